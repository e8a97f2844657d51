//! How paths are written down: as text where they are UTF-8, else byte for byte.

use crate::request::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::{Path, PathBuf};

/// Writes one path.
pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    Bytes::from(path.as_os_str().as_encoded_bytes().to_vec()).serialize(serializer)
}

/// Reads one path.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<PathBuf, D::Error> {
    Bytes::deserialize(reader).map(|bytes| from_bytes(bytes.as_slice()))
}

/// Lists of paths.
pub(super) mod list {
    use super::{Bytes, Deserialize, Deserializer, PathBuf, Serializer, from_bytes};

    /// Writes them in order.
    pub(crate) fn serialize<S: Serializer>(
        paths: &[PathBuf],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let bytes = |path: &PathBuf| Bytes::from(path.as_os_str().as_encoded_bytes().to_vec());
        serializer.collect_seq(paths.iter().map(bytes))
    }

    /// Reads them in order.
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        reader: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        let all = Vec::<Bytes>::deserialize(reader)?;
        Ok(all.iter().map(|bytes| from_bytes(bytes.as_slice())).collect())
    }
}

/// The path that these bytes are.
#[cfg(unix)]
pub(super) fn from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// The path that these bytes are; elsewhere paths are text.
#[cfg(not(unix))]
pub(super) fn from_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
