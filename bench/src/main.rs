//! Side-by-side measurements, as ratios within one interleaved run.

fn main() {}
