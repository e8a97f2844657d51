//! Drives the fuzz targets on stable: plain functions over bytes.

fn main() {}
