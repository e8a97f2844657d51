//! The boiler room.
