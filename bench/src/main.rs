//! Side-by-side measurements, as ratios within one interleaved run.

#![allow(clippy::print_stdout)]

mod reader;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("reader") => reader::run(),
        _ => println!("usage: ricasso-bench reader"),
    }
}
