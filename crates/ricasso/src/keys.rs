//! A dialect's configuration: the contract's own keys, in JSON, TOML or YAML, and no others.

use serde::de::DeserializeOwned;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A configuration is a page; a file this large is something else.
const MAX_BYTES: u64 = 1 << 20;

/// Why a configuration cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be read.
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its name does not tell how it is written.
    Format {
        /// Which.
        path: PathBuf,
    },
    /// A key or value that the contract does not know.
    Key {
        /// The file, or the table in the user's file.
        place: String,
        /// The line, where one is known.
        line: Option<u64>,
        /// What is wrong, with the keys that exist.
        what: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read { path, .. } => {
                write!(f, "cannot read {}; check its name and that it is a text", path.display())
            }
            Error::Format { path } => {
                let path = path.display();
                write!(f, "{path} does not say how it is written; call it .json, .toml or .yaml")
            }
            Error::Key { place, line: Some(line), what } => {
                write!(f, "{place}, line {line}: {what}")
            }
            Error::Key { place, line: None, what } => write!(f, "{place}: {what}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Read { source, .. } => Some(source),
            Error::Format { .. } | Error::Key { .. } => None,
        }
    }
}

/// Where the contract's keys come from.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// Nothing is configured.
    Defaults,
    /// A file.
    File(PathBuf),
    /// A table of the user's file.
    Table {
        /// For messages.
        place: String,
        /// The contract's keys.
        table: toml::Table,
    },
}

impl Source {
    /// Reads the contract's keys. What is not set has the contract's default.
    pub(crate) fn read<T: DeserializeOwned + Default>(&self) -> Result<T, Error> {
        match self {
            Source::Defaults => Ok(T::default()),
            Source::Table { place, table } => table.clone().try_into().map_err(|error| {
                let what = toml::de::Error::message(&error).to_string();
                Error::Key { place: place.clone(), line: None, what }
            }),
            Source::File(path) => {
                let text =
                    text_of(path).map_err(|source| Error::Read { path: path.clone(), source })?;
                let place = path.display().to_string();
                let extension = path.extension().and_then(|extension| extension.to_str());
                // A list would be taken for the keys in their order.
                if extension != Some("toml") && text.trim_start().starts_with('[') {
                    let what = "it holds a list, not keys".to_string();
                    return Err(Error::Key { place, line: Some(1), what });
                }
                match extension {
                    Some("json") => of_json(&place, &text),
                    Some("toml") => of_toml(&place, &text),
                    Some("yaml" | "yml") => of_yaml(&place, &text),
                    Some(_) | None => Err(Error::Format { path: path.clone() }),
                }
            }
        }
    }
}

fn text_of(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let mut file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
    }
    let read = file.by_ref().take(MAX_BYTES + 1).read_to_string(&mut text)?;
    match read as u64 > MAX_BYTES {
        true => Err(io::Error::new(io::ErrorKind::InvalidData, "it is larger than 1 MiB")),
        false => Ok(text),
    }
}

fn of_json<T: DeserializeOwned>(place: &str, text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|error| {
        let told = error.to_string();
        let what = told.rsplit_once(" at line ").map_or(told.as_str(), |(what, _)| what);
        Error::Key {
            place: place.to_string(),
            line: Some(error.line() as u64).filter(|line| *line > 0),
            what: what.to_string(),
        }
    })
}

fn of_toml<T: DeserializeOwned>(place: &str, text: &str) -> Result<T, Error> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map(|before| 1 + before.matches('\n').count() as u64);
        Error::Key { place: place.to_string(), line, what: error.message().to_string() }
    })
}

fn of_yaml<T: DeserializeOwned>(place: &str, text: &str) -> Result<T, Error> {
    serde_saphyr::from_str(text).map_err(|error| {
        let line = error.location().map(|location| location.line());
        let what = error.without_snippet().to_string();
        Error::Key { place: place.to_string(), line, what }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Keys {
        timeout: u64,
        names: Vec<String>,
    }

    #[test]
    fn an_unknown_key_is_told_with_line_and_the_keys_that_exist() {
        let json =
            of_json::<Keys>("c.json", "{\n \"timeout\": 1,\n \"tiemout\": 2\n}").unwrap_err();
        let toml = of_toml::<Keys>("c.toml", "timeout = 1\ntiemout = 2\n").unwrap_err();
        let yaml = of_yaml::<Keys>("c.yaml", "timeout: 1\ntiemout: 2\n").unwrap_err();
        for (error, place) in
            [(json, "c.json, line 3"), (toml, "c.toml, line 2"), (yaml, "c.yaml, line 2")]
        {
            let told = error.to_string();
            assert!(told.starts_with(place), "{told}");
            assert!(told.contains("tiemout") && told.contains("names"), "{told}");
        }
    }

    #[test]
    fn all_three_forms_mean_the_same() {
        let wanted = Keys { timeout: 7, names: vec!["a".into()] };
        assert_eq!(of_json::<Keys>("x", r#"{"timeout":7,"names":["a"]}"#).unwrap(), wanted);
        assert_eq!(of_toml::<Keys>("x", "timeout = 7\nnames = [\"a\"]").unwrap(), wanted);
        assert_eq!(of_yaml::<Keys>("x", "timeout: 7\nnames:\n  - a\n").unwrap(), wanted);
    }
}
