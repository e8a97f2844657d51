//! A short fuzz run; the long form is `cargo run -p ricasso-fuzz --release -- reader`.

use ricasso_fuzz::reader::{check, run, seeds};

/// Enough to meet the common slips; the long form reads ten million.
const INPUTS: u64 = 50_000;

#[test]
fn mutated_texts_break_no_promise() {
    let report = run(&seeds(), INPUTS, 20_261_115);
    if let Some((text, promise)) = report.broken {
        panic!("{promise}: {}", text.escape_ascii());
    }
    assert_eq!(report.inputs, INPUTS);
}

#[test]
fn arbitrary_bytes_break_no_promise() {
    arbtest::arbtest(|input| {
        let length = input.arbitrary_len::<u8>()?.min(512);
        let bytes = input.bytes(length)?;
        if let Err(promise) = check(bytes) {
            panic!("{promise}: {}", bytes.escape_ascii());
        }
        Ok(())
    })
    .budget_ms(3_000);
}
