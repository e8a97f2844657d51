//! `mktemp`: the path of something that is new.
//!
//! Nobody knows the name before it runs, but everybody knows that nothing else has it. So a name of
//! our own stands for it, another one each time: what is written there can be followed, and
//! deleting it deletes nothing besides.

use super::super::word::{Piece, Word};
use super::Walker;
use super::state::{From, Text, Value};
use super::stream::Stream;

/// Letters that are in each of these names, as in the template that `mktemp` fills.
pub(in super::super) const NEW: &[u8] = b"XX";

/// Where they lie when nobody says. Without mounts the cage has another place, which is as good.
const DIRECTORY: &[u8] = b"/tmp";

/// The template that `mktemp` takes when it is given none.
const TEMPLATE: &[u8] = b"tmp.XXXXXXXXXX";

/// Variables that are set for one command.
type Assigned = [(Vec<u8>, Value)];

/// What the words ask for.
#[derive(Default)]
struct Asked {
    directory: Option<Vec<u8>>,
    template: Option<Vec<u8>>,
    /// Whether a template counts from the directory for temporary files.
    below: bool,
}

impl Walker<'_> {
    /// What `mktemp` prints.
    pub(super) fn temporary(&mut self, words: &[Word], assigned: &Assigned) -> Stream {
        let asked = asked(words.get(1..).unwrap_or_default());
        let made = asked.and_then(|asked| self.new_path(asked, assigned));
        match made {
            Some(path) => Stream::of(path),
            None => {
                let pieces = vec![Piece::Known(b"/tmp/tmp.".to_vec()), Piece::Unknown];
                Stream::Text(Text { pieces, from: From::Here })
            }
        }
    }

    fn new_path(&mut self, asked: Asked, assigned: &Assigned) -> Option<Vec<u8>> {
        self.temporaries += 1;
        let name = filled(asked.template.as_deref().unwrap_or(TEMPLATE), self.temporaries)?;
        if asked.template.is_some() && !asked.below {
            return Some(name);
        }
        let directory = match asked.directory {
            Some(directory) => directory,
            None => self.temporary_directory(assigned)?,
        };
        Some([directory.as_slice(), b"/", &name].concat())
    }

    /// `TMPDIR` where the text or the request sets it.
    fn temporary_directory(&self, assigned: &Assigned) -> Option<Vec<u8>> {
        let own = assigned.iter().rev().find(|(name, _)| name == b"TMPDIR").map(|(_, it)| it);
        let text = match own.or_else(|| self.state.variable(b"TMPDIR")) {
            Some(Value::One(text)) => text.known()?,
            Some(Value::Many(_) | Value::Unknown(_)) => return None,
            Some(Value::Unset) => return Some(DIRECTORY.to_vec()),
            None => {
                let mut given = self.environment.iter().rev();
                let given = given.find(|(name, _)| name.as_slice() == b"TMPDIR");
                given.map(|(_, value)| value.as_slice().to_vec()).unwrap_or_default()
            }
        };
        Some(if text.is_empty() { DIRECTORY.to_vec() } else { text })
    }
}

/// What the words say; `None` where one is not known or not understood.
fn asked(words: &[Word]) -> Option<Asked> {
    let mut asked = Asked::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let word = word.known()?;
        match word {
            b"-p" => {
                asked.directory = Some(words.next()?.known()?.to_vec());
                asked.below = true;
            }
            b"--tmpdir" => asked.below = true,
            b"--suffix" => {
                words.next()?.known()?;
            }
            b"--directory" | b"--quiet" | b"--dry-run" | b"--" => {}
            _ if word.starts_with(b"--suffix=") => {}
            _ if word.starts_with(b"--tmpdir=") => {
                asked.directory = Some(word[b"--tmpdir=".len()..].to_vec());
                asked.below = true;
            }
            [b'-', letters @ ..] if !letters.is_empty() => {
                if !letters.iter().all(|letter| b"dqut".contains(letter)) {
                    return None;
                }
                asked.below |= letters.contains(&b't');
            }
            template if asked.template.is_none() => asked.template = Some(template.to_vec()),
            _ => return None,
        }
    }
    Some(asked)
}

/// The template with a number at the end of its last letters X; `mktemp` wants three at least.
fn filled(template: &[u8], number: usize) -> Option<Vec<u8>> {
    let end = template.iter().rposition(|byte| *byte == b'X')? + 1;
    let count = template[..end].iter().rev().take_while(|byte| **byte == b'X').count();
    if count < 3 {
        return None;
    }
    let number = number.to_string();
    let mut name = template[..end].to_vec();
    name.extend_from_slice(number.as_bytes());
    name.extend_from_slice(&template[end..]);
    Some(name)
}
