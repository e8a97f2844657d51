//! What programs do with their words, as data: the catalogue.
//!
//! A program is an entry of a table, with examples that are tests. Everything here is about words;
//! where a path leads and whether it may be touched is decided elsewhere. A program without an
//! entry is not known: nothing may be concluded about its words.

use super::word::Word;
use super::words::Meets;

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
    /// Deletes some of what is below the directory: what passes a filter by name, age or size.
    DeleteSome,
    /// Like `RunRest`, in another place: a host, a container, a cluster. Its paths are not ours,
    /// its programs and harms are judged.
    RunElsewhere,
    /// Like `RunText`, in another place.
    RunTextElsewhere,
    /// Like `RunRest`, and words of standard input are added: in `rest` they stand as unknown.
    RunForInput,
    /// A shell that reads its text from standard input.
    StdinText,
    /// Code in this language comes from standard input.
    StdinCode(Language),
    /// Prints without end.
    Endless,
    /// A word that is not known decides what is done.
    Anything,
    /// Changes the repository: refs, index, objects.
    ChangeRepository,
    /// Changes the repository's own settings, `.git/config`.
    ChangeSettings,
    /// Changes files of the work tree that git works in, by what the repository holds.
    ChangeWorkTree,
    /// Programs that the repository's own settings name may run.
    Obeys(Settings),
    /// Never, unless the guard is off: what cannot be undone and reaches far.
    Catastrophe(Harm),
    /// Loses work or touches what others share: the guard asks.
    HardToTakeBack(Harm),
}

/// What is harmed where no path says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Harm {
    /// The machine goes down, sleeps or starts again.
    Power,
    /// A disk, partition, volume group or file system.
    Disk,
    /// Work that is not committed.
    Work,
    /// Commits or refs beyond the reflog, or for others; the history of a shell.
    History,
    /// Something becomes public and stays so.
    Publish,
    /// Resources elsewhere: clusters, infrastructure, repositories, accounts.
    Remote,
    /// Services of the machine.
    Service,
    /// Packet filters and other protections.
    Protection,
    /// Users, groups, passwords.
    User,
    /// All processes, or ones that others need.
    Process,
    /// A database, or rows without a condition.
    Store,
    /// Packages that the system needs.
    Package,
    /// Modules and settings of the kernel.
    Kernel,
    /// Backups.
    Backup,
    /// Volumes and containers.
    Volume,
    /// Processes or output without end.
    Flood,
    /// The rights of a file's owner for whoever runs it.
    SetUser,
    /// A mode that lets everybody write.
    OpenToAll,
    /// Code that comes from the network by address and runs.
    ForeignCode,
    /// Tools of the machine or the user, outside any project.
    Global,
}

/// Settings of a repository that name programs, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Settings(u16);

impl Settings {
    pub(super) const FSMONITOR: Self = Self(1);
    pub(super) const HOOKS: Self = Self(1 << 1);
    pub(super) const EXTERNAL_DIFF: Self = Self(1 << 2);
    pub(super) const TEXTCONV: Self = Self(1 << 3);
    pub(super) const FILTER: Self = Self(1 << 4);
    pub(super) const PAGER: Self = Self(1 << 5);
    pub(super) const EDITOR: Self = Self(1 << 6);
    pub(super) const GPG: Self = Self(1 << 7);
    pub(super) const SSH: Self = Self(1 << 8);
    pub(super) const CREDENTIAL: Self = Self(1 << 9);
    pub(super) const MERGE: Self = Self(1 << 10);
    pub(super) const ALIAS: Self = Self(1 << 11);
    pub(super) const REMOTE: Self = Self(1 << 12);

    /// Both.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other` are in it.
    pub(super) const fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
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
    /// `perl -e`, `-n`, `-p`.
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
    /// The words of the inner command of `RunRest`, `RunElsewhere`, `RunForInput`; else empty.
    pub(super) rest: Vec<Word>,
    /// The index of the word in the command that it comes from; for `RunRest` the first word of
    /// the inner command.
    pub(super) at: usize,
    /// `Yes`, or `Perhaps` where an unknown word decides whether it is done at all.
    pub(super) sure: Meets,
}

/// What the program `words[0]` (a base name) does, in the order of its words; `None` where the
/// catalogue has no entry for it.
///
/// Inline code that was understood comes as the acts within it, and as nothing where it only
/// computes and prints; `Code` remains where it was not understood or its text is not known.
pub(super) fn acts(words: &[Word]) -> Option<Vec<Act>> {
    let _ = words;
    None
}

/// What code in this language does: for text that comes by standard input or a here-document.
pub(super) fn code(language: Language, text: &Word) -> Vec<Act> {
    let act = Act {
        does: Does::Code(language),
        with: Some(text.clone()),
        rest: Vec::new(),
        at: 0,
        sure: Meets::Yes,
    };
    vec![act]
}

/// The indices of the sub-command's words, global options skipped; `None` where the program is
/// not known or has no sub-commands.
pub(super) fn subcommand(words: &[Word]) -> Option<Vec<usize>> {
    let _ = words;
    None
}

/// Every spelling of the option that the catalogue knows, the given one included: `-f` is
/// `--force`. The sub-command is its words joined by one blank, or empty.
pub(super) fn option_spellings<'a>(
    program: &str,
    subcommand: &str,
    option: &'a str,
) -> Vec<&'a str> {
    let _ = (program, subcommand);
    vec![option]
}
