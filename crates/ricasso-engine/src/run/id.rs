//! Names of jobs and owners: unguessable, and good as file names.

use super::error::Error;
use serde::{Deserialize, Serialize};
use std::fmt;

/// 128 random bits: nobody finds a job by guessing.
const ID_BYTES: usize = 16;
/// Crockford's alphabet in small letters: no `i`, `l`, `o`, `u`, so that no id is misread.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The name of one job.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct JobId(String);

impl JobId {
    /// A new one.
    pub fn new() -> Result<JobId, Error> {
        let mut bytes = [0u8; ID_BYTES];
        ricasso_os::random(&mut bytes).map_err(|source| Error::Random { source })?;
        Ok(JobId(spell(&bytes)))
    }

    /// An id that a person typed. `None` for what cannot be one, so that it never becomes a path.
    pub fn parse(text: &str) -> Option<JobId> {
        let good = text.bytes().all(|byte| DIGITS.contains(&byte));
        (good && text.len() == ID_BYTES * 8 / 5 + 1).then(|| JobId(text.to_string()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn spell(bytes: &[u8; ID_BYTES]) -> String {
    let mut number = u128::from_be_bytes(*bytes);
    let mut text = Vec::with_capacity(26);
    for _ in 0..ID_BYTES * 8 / 5 + 1 {
        text.push(DIGITS[(number % 32) as usize]);
        number /= 32;
    }
    text.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_parse_and_never_look_like_a_path() {
        let ids: std::collections::BTreeSet<String> =
            (0..2000).map(|_| JobId::new().unwrap().to_string()).collect();
        assert_eq!(ids.len(), 2000);
        for id in &ids {
            assert_eq!(JobId::parse(id).unwrap().as_str(), id);
        }
        assert_eq!(JobId::parse("../../../../etc/passwd0000"), None);
        assert_eq!(JobId::parse(""), None);
    }
}
