//! The bars over the labelled commands: nothing missed, little refused without need.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ricasso_fuzz::corpus::{shared, skipped};
use ricasso_measure::Policies;
use ricasso_measure::corpus::{Wrong, measure};
use std::path::Path;

#[test]
fn the_bars_hold_over_every_labelled_command() {
    let corpus = shared().map(|shared| shared.join("corpus"));
    let Some(corpus) = corpus.filter(|corpus| corpus.is_dir()) else {
        return skipped("the_bars_hold_over_every_labelled_command", "no shared corpus at hand");
    };
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/policies");
    let report = measure(&corpus, &Policies::at(&directory)).unwrap();
    let problems: Vec<&str> = report.problems().collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(report.holds(), "{}", report.text(Wrong::Listed));
}
