//! What can be done: the words in which the catalogue speaks to the judge.

/// What a program does with one word, or by being started at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::policy) enum Does {
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
    /// Replaces the file, or puts files into it where it is a directory: the goal of `cp`.
    PutAt,
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
    /// Changes settings of the user's or the machine's tools, outside any project.
    ChangeGlobalSettings,
    /// Changes files of the work tree that git works in, by what the repository holds.
    ChangeWorkTree,
    /// Puts back what the repository holds: changes of the file or below the directory are lost.
    Discard,
    /// Programs that the repository's own settings name may run.
    Obeys(Settings),
    /// Never, unless the guard is off: what cannot be undone and reaches far.
    Catastrophe(Harm),
    /// Loses work or touches what others share: the guard asks.
    HardToTakeBack(Harm),
}

/// What is harmed where no path says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::policy) enum Harm {
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
pub(in crate::policy) struct Settings(u16);

impl Settings {
    pub(in crate::policy) const FSMONITOR: Self = Self(1);
    pub(in crate::policy) const HOOKS: Self = Self(1 << 1);
    pub(in crate::policy) const EXTERNAL_DIFF: Self = Self(1 << 2);
    pub(in crate::policy) const TEXTCONV: Self = Self(1 << 3);
    pub(in crate::policy) const FILTER: Self = Self(1 << 4);
    pub(in crate::policy) const PAGER: Self = Self(1 << 5);
    pub(in crate::policy) const EDITOR: Self = Self(1 << 6);
    pub(in crate::policy) const GPG: Self = Self(1 << 7);
    pub(in crate::policy) const SSH: Self = Self(1 << 8);
    pub(in crate::policy) const CREDENTIAL: Self = Self(1 << 9);
    pub(in crate::policy) const MERGE: Self = Self(1 << 10);
    pub(in crate::policy) const ALIAS: Self = Self(1 << 11);
    pub(in crate::policy) const REMOTE: Self = Self(1 << 12);

    /// Both.
    pub(in crate::policy) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other` are in it.
    pub(in crate::policy) const fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Languages whose inline code is looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::policy) enum Language {
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
    /// The shell of a document store.
    Mongo,
    /// The commands of a key store, one on each line.
    Redis,
    /// `vim -c`, `+cmd`.
    Vim,
    /// A makefile.
    Make,
    /// Lines of a timetable: when, and what a shell is handed then.
    Cron,
    /// Anything else that is code; opaque.
    Other,
}

impl Does {
    /// Whether it changes something, here or elsewhere.
    pub(super) const fn changes(self) -> bool {
        match self {
            Self::Create
            | Self::Append
            | Self::Overwrite
            | Self::Edit
            | Self::Delete
            | Self::DeleteTree
            | Self::DeleteSome
            | Self::PutAt
            | Self::MoveAway
            | Self::Permission
            | Self::PermissionTree
            | Self::LinkTo
            | Self::Signal
            | Self::ChangeRepository
            | Self::ChangeSettings
            | Self::ChangeGlobalSettings
            | Self::ChangeWorkTree
            | Self::Discard
            | Self::Catastrophe(_)
            | Self::HardToTakeBack(_) => true,
            Self::Nothing
            | Self::Read
            | Self::ReadTree
            | Self::ReadThroughLinks
            | Self::LookAt
            | Self::Enter
            | Self::RunProgram
            | Self::RunRest
            | Self::RunText
            | Self::Code(_)
            | Self::CodeFile
            | Self::ObeyFile
            | Self::Connect
            | Self::Listen
            | Self::Set
            | Self::Unset
            | Self::Print
            | Self::Opaque
            | Self::Elevate
            | Self::ShowEnvironment
            | Self::RunElsewhere
            | Self::RunTextElsewhere
            | Self::RunForInput
            | Self::StdinText
            | Self::StdinCode(_)
            | Self::Endless
            | Self::Anything
            | Self::Obeys(_) => false,
        }
    }

    /// Whether it is at most a read.
    pub(super) const fn only_reads(self) -> bool {
        matches!(
            self,
            Self::Nothing
                | Self::Read
                | Self::ReadTree
                | Self::ReadThroughLinks
                | Self::LookAt
                | Self::Print
                | Self::Enter
                | Self::Unset
        )
    }

    /// Whether it is done with a word; else by being given at all.
    pub(super) const fn takes_word(self) -> bool {
        !matches!(
            self,
            Self::ChangeRepository
                | Self::ChangeSettings
                | Self::ChangeGlobalSettings
                | Self::ChangeWorkTree
                | Self::Opaque
                | Self::Elevate
                | Self::Listen
                | Self::ShowEnvironment
                | Self::Endless
                | Self::StdinText
                | Self::StdinCode(_)
                | Self::Obeys(_)
        )
    }
}
