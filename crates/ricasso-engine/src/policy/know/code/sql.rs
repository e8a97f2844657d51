//! Statements that lose tables or rows.

use crate::policy::know::table::Reach;
use crate::policy::know::{Act, Does, Language};
use crate::policy::word::Word;

/// The acts of statements in SQL.
pub(in crate::policy::know) fn acts(word: &Word, _reach: Reach, at: usize) -> Vec<Act> {
    vec![Act::with(Does::Code(Language::Sql), word, at)]
}
