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
pub(crate) const LONG_FORMS: &[LongForm] = &[LongForm {
    name: "release build",
    cargo: &["build", "--release", "--package", "ricasso"],
    why: "the profile that people run is another compilation: fat LTO, abort on panic",
}];
