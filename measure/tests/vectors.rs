//! The vectors of the contracts that are about verdicts get the verdicts that they expect.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ricasso_fuzz::corpus::{shared, skipped};
use ricasso_measure::{Policies, vectors};
use std::path::Path;

#[test]
fn every_vector_about_a_verdict_is_as_expected() {
    let file = shared().map(|shared| shared.join("spec/vectors.jsonl"));
    let Some(file) = file.filter(|file| file.is_file()) else {
        return skipped("every_vector_about_a_verdict_is_as_expected", "no shared vectors at hand");
    };
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/policies");
    let answers = vectors::measure(&file, &Policies::at(&directory)).unwrap();
    assert!(answers.vectors > 500, "only {} vectors", answers.vectors);
    assert!(answers.wrong.is_empty(), "{}", answers.wrong.join("\n"));
}
