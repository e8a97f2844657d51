//! The doors.
