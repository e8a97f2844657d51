//! Tables of the shell that say what the name of a command means.

use super::super::word::Word;
use super::Walker;
use super::command::Call;
use super::expand::Argument;
use super::reader::Reader;
use super::state::{From, Text};
use super::{Feed, command::By};
use std::rc::Rc;

/// bash keeps here which file a name starts.
const FILES: &[u8] = b"BASH_CMDS";
/// And here which text it stands for.
const TEXTS: &[u8] = b"BASH_ALIASES";

/// Those of zsh: files, texts, bodies of functions.
const ZSH: [&[u8]; 5] = [b"commands", b"aliases", b"galiases", b"saliases", b"functions"];

/// Whether this is one of the tables, or an element of one.
pub(super) fn is_table(name: &[u8]) -> bool {
    [FILES, TEXTS].iter().any(|table| {
        let rest = name.strip_prefix(*table);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"["))
    })
}

/// The table of bash that one of zsh is like; in bash the same name is a plain array.
fn like(table: &[u8], zsh: bool) -> &[u8] {
    match table {
        b"commands" if zsh => FILES,
        name if zsh && ZSH.contains(&name) => TEXTS,
        name => name,
    }
}

impl Walker<'_> {
    /// `BASH_CMDS[name]=FILE` and `BASH_ALIASES[name]=TEXT`: from now on the name means that.
    pub(super) fn renamed(&mut self, table: &[u8], name: &Text, value: &Text) {
        let known = (name.known(), value.known());
        let table = self.state.referred(table).to_vec();
        match (like(&table, self.reads == Reader::Zsh), known) {
            (FILES, (_, Some(file))) => {
                let word = |word: Word| Argument::new(word, self.here);
                let arguments = vec![word(Word::of(file)), word(Word::unknown())];
                let (assigned, effects, span) = (Vec::new(), Vec::new(), self.here);
                let (feed, by) = (Feed::inherited(), By::Program);
                self.call(Call { arguments, assigned, effects, feed, span, by });
            }
            (TEXTS, (Some(name), value)) => {
                Rc::make_mut(&mut self.state.aliases).insert(name, value);
            }
            (FILES | TEXTS, _) => self.unknown_code(From::Here),
            _ => {}
        }
    }
}
