//! Side-by-side measurements, as ratios within one interleaved run.

mod capture;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("capture") => capture::run(),
        Some(_) | None => Err("say what to measure: capture".into()),
    }
}
