//! How the task answers to words that it does not know.

use std::process::Command;

#[test]
fn unknown_verb_prints_the_usage_and_exits_with_two() {
    let wrong: &[&[&str]] = &[
        &[],
        &["chekc"],
        &["check", "--fast"],
        &["check", "--work", "--full"],
        &["tidy", "all"],
        &["fresh", "cellar"],
        &["fresh", "--base"],
    ];
    for words in wrong {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(*words).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("usage: cargo xtask VERB"), "{said}");
    }
}
