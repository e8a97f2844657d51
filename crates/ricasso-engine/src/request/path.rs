//! Paths in JSON: as [`Bytes`] are, so that one that is no text is kept too.

use super::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    Bytes::from(path.as_os_str().as_bytes().to_vec()).serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
    Bytes::deserialize(from).map(to_path)
}

fn to_path(bytes: Bytes) -> PathBuf {
    OsString::from_vec(bytes.into_vec()).into()
}

/// The same where there may be none.
pub(super) mod option {
    use super::{Bytes, Deserialize, Deserializer, OsStrExt, PathBuf, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        path: &Option<PathBuf>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let bytes = path.as_ref().map(|path| Bytes::from(path.as_os_str().as_bytes().to_vec()));
        bytes.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        Ok(Option::<Bytes>::deserialize(from)?.map(super::to_path))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Stdin;
    use super::*;

    #[test]
    fn a_path_that_is_no_text_survives_json() {
        let odd = Stdin::File(to_path(vec![b'/', 0xff].into()));
        let json = serde_json::to_string(&odd).unwrap();
        assert_eq!(json, r#"{"file":{"hex":"2fff"}}"#);
        assert_eq!(serde_json::from_str::<Stdin>(&json).unwrap(), odd);
    }
}
