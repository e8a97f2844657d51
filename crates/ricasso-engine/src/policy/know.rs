//! What programs do with their words, as data: the catalogue.
//!
//! A program is an entry of a table, with examples that are tests. Everything here is about words;
//! where a path leads and whether it may be touched is decided elsewhere. A program without an
//! entry is not known: nothing may be concluded about its words.

use super::word::Word;

/// What a program does with one word, or by being started at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Does {
    /// Nothing that matters: a number, a pattern, a text.
    Nothing,
    /// Reads the file, or lists the directory.
    Read,
    /// Reads everything below, links not followed.
    ReadTree,
    /// Reads everything below, and follows links out of it.
    ReadThroughLinks,
    /// Works on the link itself: `readlink`, `rm`, `ls -l`.
    LookAt,
    /// Makes a file or directory that is new, or touches one; loses nothing.
    Create,
    /// Adds to the end.
    Append,
    /// Replaces the content.
    Overwrite,
    /// Changes the content in place, or writes below the directory.
    Edit,
    /// Deletes the file or the empty directory.
    Delete,
    /// Deletes everything below.
    DeleteTree,
    /// Takes it away from where it is: the source of `mv`.
    MoveAway,
    /// Changes mode, owner, attributes.
    Permission,
    /// The same for everything below.
    PermissionTree,
    /// Makes a link that leads to the word; the link's own place is another act.
    LinkTo,
    /// The directory that the program works in, for the words after it.
    Enter,
    /// Runs the program that the word names, without arguments that we know.
    RunProgram,
    /// This word and all after it are a command.
    RunRest,
    /// This word is a text that a shell reads.
    RunText,
    /// The word is code in this language.
    Code(Language),
    /// The word names a file whose content is code.
    CodeFile,
    /// The word names a file of words or options that the program obeys.
    ObeyFile,
    /// Connects to the host or address that the word names.
    Connect,
    /// Listens.
    Listen,
    /// Signals the process that the word names.
    Signal,
    /// Sets a variable for what is started: `NAME=value`.
    Set,
    /// Unsets a variable.
    Unset,
    /// Writes to standard output and nothing else, whatever the word says.
    Print,
    /// Runs code that the words do not show.
    Opaque,
    /// Needs more rights than the caller has: `sudo`.
    Elevate,
    /// Shows all variables.
    ShowEnvironment,
}

/// Languages whose inline code is looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Language {
    /// sed scripts: `w`, `r`, `e`, `s///we`.
    Sed,
    /// awk programs: redirections, `system`, pipes, `getline`.
    Awk,
    /// jq filters: `env`, `$ENV`, `input_filename`.
    Jq,
    /// find expressions are words, not code: see `Grammar::Find`.
    Perl,
    /// `python -c`.
    Python,
    /// `ruby -e`.
    Ruby,
    /// `node -e`, `deno eval`, `bun -e`.
    JavaScript,
    /// `php -r`.
    Php,
    /// `lua -e`.
    Lua,
    /// SQL, with the dot commands of sqlite3 and the backslash commands of psql.
    Sql,
    /// `vim -c`, `+cmd`.
    Vim,
    /// Anything else that is code; opaque.
    Other,
}

/// One act: what is done, and with which word. `None`: by being started at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Act {
    /// What is done.
    pub(super) does: Does,
    /// With what: the operand, or the value of the option without its name.
    pub(super) with: Option<Word>,
    /// The index of the word in the command that it comes from; for `RunRest` the first word of
    /// the inner command.
    pub(super) at: usize,
}
