//! A short fuzz run of the engine's targets; the long form is
//! `cargo run -p ricasso-fuzz --release -- TARGET`.

use ricasso_fuzz::engine::{Target, excerpt, redact, seeds, spool, state};
use ricasso_fuzz::judge;
use ricasso_fuzz::reader::{self, run_target};

fn short_run(target: Target, inputs: u64) {
    let report = run_target(target, &seeds(), inputs, 20_261_115);
    if let Some((bytes, promise)) = report.broken {
        panic!("{promise}: {}", bytes.escape_ascii());
    }
    assert_eq!(report.inputs, inputs);
}

#[test]
fn mutated_output_never_makes_an_excerpt_lie() {
    short_run(excerpt, 3_000);
}

#[test]
fn mutated_output_has_the_same_secrets_however_it_is_split_or_paged() {
    short_run(redact, 3_000);
}

#[test]
fn mutated_output_comes_back_from_the_spool() {
    short_run(spool, 300);
}

#[test]
fn no_order_of_events_breaks_the_life_of_a_command() {
    short_run(state, 20_000);
}

#[test]
fn mutated_texts_get_a_verdict_that_explains_itself_and_replays() {
    let report = run_target(judge::check, &reader::seeds(), 1_500, 20_261_116);
    if let Some((bytes, promise)) = report.broken {
        panic!("{promise}: {}", bytes.escape_ascii());
    }
    assert_eq!(report.inputs, 1_500);
}
