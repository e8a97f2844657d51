//! The long forms: what `cargo xtask check --full` runs besides the tests. One row each.
//!
//! A row that cannot fail does not belong here. The tests themselves see `RICASSO_LONG=1` and
//! lengthen their own loops; a row is for what is no test of cargo.

/// One command that takes too long for every commit.
pub(crate) struct LongForm {
    /// What the stage is called.
    pub(crate) name: &'static str,
    /// The arguments for cargo.
    pub(crate) cargo: &'static [&'static str],
    /// What it finds that the short form does not.
    pub(crate) why: &'static str,
}

/// All of them, in the order in which they run.
pub(crate) const LONG_FORMS: &[LongForm] = &[
    LongForm {
        name: "build for packages",
        cargo: &["build", "--profile", "dist", "--package", "ricasso"],
        why: "the profile of packages is another compilation: fat LTO, abort on panic",
    },
    fuzz("fuzz the reader", &FUZZ_READER),
    fuzz("fuzz the judge", &FUZZ_JUDGE),
    fuzz("fuzz the excerpt", &FUZZ_EXCERPT),
    fuzz("fuzz redaction", &FUZZ_REDACT),
    fuzz("fuzz the spool", &FUZZ_SPOOL),
    fuzz("fuzz the state machine", &FUZZ_STATE),
];

const FUZZ_READER: [&str; 8] = fuzz_arguments("reader", "10000000");
const FUZZ_JUDGE: [&str; 8] = fuzz_arguments("judge", "300000");
const FUZZ_EXCERPT: [&str; 8] = fuzz_arguments("excerpt", "1000000");
const FUZZ_REDACT: [&str; 8] = fuzz_arguments("redact", "1000000");
const FUZZ_SPOOL: [&str; 8] = fuzz_arguments("spool", "100000");
const FUZZ_STATE: [&str; 8] = fuzz_arguments("state", "10000000");

const fn fuzz(name: &'static str, cargo: &'static [&'static str]) -> LongForm {
    LongForm { name, cargo, why: "the tests try a thousandth of these inputs" }
}

const fn fuzz_arguments(target: &'static str, inputs: &'static str) -> [&'static str; 8] {
    ["run", "--release", "--package", "ricasso-fuzz", "--", target, "--inputs", inputs]
}
