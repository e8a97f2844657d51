//! One policy file: TOML in, typed sections out, or an error that names file, line and key.
//!
//! It reads text that somebody else opened. It must never skip a key that it does not know.

use super::Error;
use super::error::Place;
use super::rule::{Pattern, Rule};
use super::sections::{
    CommandsFile, EnvFile, FilesFile, GeneralFile, GuardsFile, HookFile, JobsFile, LimitsFile,
    NetFile, ProgramsFile, RecordFile, RedactFile,
};
use super::value::{Denials, Mode, Opaque, Partial, Shell, Then, Tmp, Unknown};
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A policy file may have this many bytes; a longer one is not written by people.
pub(super) const MAX_FILE_BYTES: usize = 1 << 20;

/// Everything that one file says.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct File {
    version: Option<Spanned<i64>>,
    pub(super) extends: Option<Spanned<String>>,
    pub(super) locked: Option<Spanned<Vec<String>>>,
    mode: Option<Spanned<Mode>>,
    pub(super) ceiling: Option<Spanned<Mode>>,
    opaque: Option<Spanned<Opaque>>,
    unknown: Option<Spanned<Unknown>>,
    partial: Option<Spanned<Partial>>,
    shell: Option<Spanned<Shell>>,
    denials: Option<Spanned<Denials>>,
    tmp: Option<Spanned<Tmp>>,
    pub(super) files: FilesFile,
    pub(super) net: NetFile,
    pub(super) programs: ProgramsFile,
    pub(super) commands: CommandsFile,
    pub(super) guards: GuardsFile,
    pub(super) env: EnvFile,
    pub(super) limits: LimitsFile,
    pub(super) jobs: JobsFile,
    pub(super) redact: RedactFile,
    pub(super) hook: HookFile,
    pub(super) record: RecordFile,
    pub(super) rules: Vec<Spanned<Rule>>,
    pub(super) patterns: Vec<Spanned<Pattern>>,
    pub(super) dialect: Option<Spanned<toml::Table>>,
}

/// The version of the language that this house reads.
const VERSION: i64 = 1;

impl File {
    /// Reads a file's text; `name` is only for messages.
    pub(super) fn read(name: &str, text: &str) -> Result<Self, Error> {
        if text.len() > MAX_FILE_BYTES {
            let place = Place::start(name);
            return Err(Error::TooLong { place, bytes: text.len(), most: MAX_FILE_BYTES });
        }
        let file: File = toml::from_str(text).map_err(|error| told(name, text, &error))?;
        match &file.version {
            Some(version) if *version.get_ref() != VERSION => Err(Error::Version {
                place: Place::at(name, text, version.span().start),
                found: *version.get_ref(),
            }),
            Some(_) | None => Ok(file),
        }
    }

    /// The keys without a table, as a section like the others.
    pub(super) fn take_general(&mut self) -> GeneralFile {
        GeneralFile {
            mode: self.mode.take(),
            ceiling: self.ceiling.take(),
            opaque: self.opaque.take(),
            unknown: self.unknown.take(),
            partial: self.partial.take(),
            shell: self.shell.take(),
            denials: self.denials.take(),
            tmp: self.tmp.take(),
        }
    }

    /// Leaves what holds under a dialect too: limits, redaction, record, jobs, and every deny.
    pub(super) fn keep_what_limits(&mut self) {
        let whole = std::mem::take(self);
        *self = File {
            version: whole.version,
            locked: whole.locked,
            ceiling: whole.ceiling,
            files: FilesFile {
                hide: whole.files.hide,
                protect: whole.files.protect,
                ..FilesFile::default()
            },
            programs: ProgramsFile { deny: whole.programs.deny, ..ProgramsFile::default() },
            commands: CommandsFile { deny: whole.commands.deny, ..CommandsFile::default() },
            env: EnvFile { drop: whole.env.drop, ..EnvFile::default() },
            limits: whole.limits,
            jobs: whole.jobs,
            redact: whole.redact,
            record: whole.record,
            rules: whole.rules,
            patterns: whole.patterns,
            dialect: whole.dialect,
            ..File::default()
        };
        self.rules.retain(|rule| rule.get_ref().then == Then::Deny);
    }

    /// The mode that this very file names.
    pub(super) fn own_mode(&self) -> Option<Mode> {
        self.mode.as_ref().map(|mode| *mode.get_ref())
    }
}

fn told(name: &str, text: &str, error: &toml::de::Error) -> Error {
    let at = error.span().map_or(0, |span| span.start);
    let place = Place::at(name, text, at);
    let message = error.message().trim().replace('\n', " ");
    let key = key_at(text, at);
    if key.is_empty() {
        return Error::BadToml { place, problem: message };
    }
    match message.split_once(", expected ") {
        Some((problem, keys)) if problem.starts_with("unknown field") => {
            let keys = keys.trim_start_matches("one of ").replace('`', "");
            Error::UnknownKey { place, key, keys }
        }
        Some((problem, wanted)) => Error::BadValue {
            place,
            key,
            problem: problem.replace('`', ""),
            remedy: format!("write {}", wanted.replace('`', "")),
        },
        None => match message.split_once("; ") {
            Some((problem, remedy)) => {
                Error::BadValue { place, key, problem: problem.into(), remedy: remedy.into() }
            }
            None => Error::BadToml { place, problem: message },
        },
    }
}

/// The dotted key whose name or value covers this offset; empty where the text is no TOML.
fn key_at(text: &str, at: usize) -> String {
    let Ok(table) = DeTable::parse(text) else {
        return String::new();
    };
    let mut path = Vec::new();
    descend(table.get_ref(), at, &mut path);
    path.join(".")
}

fn descend(table: &DeTable<'_>, at: usize, path: &mut Vec<String>) {
    // A table's own span is its header alone, so the nearest entry that starts before the
    // offset, or holds something that covers it, is the one.
    for (key, value) in table {
        if covers(&key.span(), at) {
            path.push(key.get_ref().to_string());
            return;
        }
        path.push(key.get_ref().to_string());
        if within(value, at, path) {
            return;
        }
        path.pop();
    }
}

fn within(value: &Spanned<DeValue<'_>>, at: usize, path: &mut Vec<String>) -> bool {
    match value.get_ref() {
        DeValue::Table(table) => {
            let depth = path.len();
            descend(table, at, path);
            path.len() > depth || covers(&value.span(), at)
        }
        DeValue::Array(items) => {
            items.iter().any(|item| within(item, at, path)) || covers(&value.span(), at)
        }
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => covers(&value.span(), at),
    }
}

fn covers(span: &Range<usize>, at: usize) -> bool {
    span.contains(&at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        File::read("f.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_key_is_named_with_its_place_and_its_neighbours() {
        let text = error("version = 1\n[limits]\ntimeout = \"1s\"\ntimout = \"1s\"\n");
        assert!(text.starts_with("f.toml:4:1: "), "{text}");
        assert!(text.contains("limits.timout"), "{text}");
        assert!(text.contains("timeout, max_timeout"), "{text}");
    }

    #[test]
    fn wrong_types_units_regexes_and_globs_are_told_with_a_remedy() {
        let cases = [
            ("[limits]\nmemory = 5\n", "f.toml:2:10: limits.memory", "write a size with a unit"),
            ("[limits]\ntimeout = \"10\"\n", "f.toml:2:11: limits.timeout", "write a duration"),
            ("[limits]\nprocesses = 0\n", "f.toml:2:13: limits.processes", "above zero"),
            ("mode = \"closed\"\n", "f.toml:1:8: mode", "read, workspace, open"),
            ("[redact]\npatterns = ['a(']\n", "f.toml:2:12: redact.patterns", "mend it"),
            ("[[patterns]]\nregex = 'a('\nwhy = 'x'\n", "f.toml:2:9: patterns.regex", "mend it"),
            ("[programs]\ndeny = ['a[']\n", "f.toml:2:8: programs.deny", "close it"),
            ("[files]\nwrite = '.'\n", "f.toml:2:9: files.write", "write a sequence"),
            ("version = 2\n", "f.toml:1:11: version 2", "version = 1"),
            ("mode = \n", "f.toml:1:8: ", "TOML"),
            ("[[rules]]\nid = 'x'\n", "f.toml:1:1: ", "then"),
        ];
        for (text, start, end) in cases {
            let error = error(text);
            assert!(error.starts_with(start), "{text:?} gives {error}");
            assert!(error.contains(end), "{text:?} gives {error}");
        }
    }
}
