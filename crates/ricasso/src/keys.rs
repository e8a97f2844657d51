//! A dialect's configuration: the contract's own keys, in JSON, TOML or YAML, and no others.

use ricasso_engine::capture::Lines;
use ricasso_os::read_plain;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::io;
use std::marker::PhantomData;
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
                let told = toml::de::Error::to_string(&error);
                // The key stands on a line of its own.
                let what = told.trim().replace("\n", ", ");
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
    let bytes = read_plain(path, MAX_BYTES)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

fn of_json<T: DeserializeOwned>(place: &str, text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|error| {
        let told = error.to_string();
        let what = told.rsplit_once(" at line ").map_or(told.as_str(), |(what, _)| what);
        let line = Some(error.line() as u64).filter(|line| *line > 0);
        let what = with_key(up_to(text, error.line(), error.column()), what);
        Error::Key { place: place.to_string(), line, what }
    })
}

fn of_toml<T: DeserializeOwned>(place: &str, text: &str) -> Result<T, Error> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map(|before| 1 + before.matches('\n').count() as u64);
        let what = with_key(before.unwrap_or_default(), error.message());
        Error::Key { place: place.to_string(), line, what }
    })
}

fn of_yaml<T: DeserializeOwned>(place: &str, text: &str) -> Result<T, Error> {
    serde_saphyr::from_str(text).map_err(|error| {
        let at = error.location();
        let line = at.map(|location| location.line());
        let before = at.map_or("", |at| up_to(text, at.line() as usize, at.column() as usize));
        let what = with_key(before, &error.without_snippet().to_string());
        Error::Key { place: place.to_string(), line, what }
    })
}

/// The text before a place that is told by line and column, which count from 1.
fn up_to(text: &str, line: usize, column: usize) -> &str {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let end = (before + column.saturating_sub(1)).min(text.len());
    text.get(..end).unwrap_or(text)
}

/// What is wrong, with the key whose value it is: the last one before. Where a name is at fault
/// the message tells it already.
fn with_key(before: &str, what: &str) -> String {
    if what.contains(" field `") {
        return what.to_string();
    }
    let name = |text: &str| {
        let text = text.trim_end().trim_end_matches(['"', '\'']);
        let key = text.rsplit(|sign: char| !(sign.is_alphanumeric() || "_-".contains(sign))).next();
        key.filter(|key| !key.is_empty()).map(str::to_string)
    };
    let signs = before.char_indices().rev().filter(|(_, sign)| matches!(sign, ':' | '='));
    match signs.filter_map(|(at, _)| name(&before[..at])).next() {
        Some(key) => format!("{key}: {what}"),
        None => what.to_string(),
    }
}

/// A regex that compiles: one that does not is a mistake of the file that holds it.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Regex(pub(crate) String);

impl AsRef<str> for Regex {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// A list of regexes where keys are meant too, and what is wrong is told of the one that is there.
pub(crate) fn list_or_keys<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + From<Vec<Regex>> + Default,
{
    struct Either<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de> + From<Vec<Regex>> + Default> Visitor<'de> for Either<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of regexes, or keys")
        }

        fn visit_unit<E>(self) -> Result<T, E> {
            Ok(T::default())
        }

        fn visit_seq<S: SeqAccess<'de>>(self, list: S) -> Result<T, S::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(list)).map(T::from)
        }

        fn visit_map<M: MapAccess<'de>>(self, keys: M) -> Result<T, M::Error> {
            T::deserialize(MapAccessDeserializer::new(keys))
        }
    }
    from.deserialize_any(Either(PhantomData))
}

impl TryFrom<String> for Regex {
    type Error = String;

    fn try_from(text: String) -> Result<Regex, String> {
        Lines::check(&text).map(|()| Regex(text)).map_err(|error| error.to_string())
    }
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
    fn a_value_of_the_wrong_kind_is_told_with_line_and_key() {
        let json = of_json::<Keys>("c.json", "{\n \"names\": [],\n \"timeout\": \"x\"\n}");
        let toml = of_toml::<Keys>("c.toml", "names = []\n\ntimeout = \"x\"\n");
        let yaml = of_yaml::<Keys>("c.yaml", "names: []\n\ntimeout: x\n");
        for (error, place) in [(json, "c.json"), (toml, "c.toml"), (yaml, "c.yaml")] {
            let told = error.unwrap_err().to_string();
            assert!(told.starts_with(&format!("{place}, line 3: timeout: ")), "{told}");
        }
        let inside = of_json::<Keys>("c.json", "{\"timeout\": 1, \"names\": [\"a\", 2]}");
        assert!(inside.unwrap_err().to_string().contains("line 1: names: "));
        let table = toml::from_str("timeout = \"x\"").unwrap();
        let table = Source::Table { place: "[dialect.x]".into(), table };
        let told = table.read::<Keys>().unwrap_err().to_string();
        assert!(told.contains("[dialect.x]") && told.contains("timeout"), "{told}");
    }

    #[test]
    fn all_three_forms_mean_the_same() {
        let wanted = Keys { timeout: 7, names: vec!["a".into()] };
        assert_eq!(of_json::<Keys>("x", r#"{"timeout":7,"names":["a"]}"#).unwrap(), wanted);
        assert_eq!(of_toml::<Keys>("x", "timeout = 7\nnames = [\"a\"]").unwrap(), wanted);
        assert_eq!(of_yaml::<Keys>("x", "timeout: 7\nnames:\n  - a\n").unwrap(), wanted);
    }
}
