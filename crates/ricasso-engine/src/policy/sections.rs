//! The sections of the policy, one row a key: its name in the file, its type, what it is for.
//!
//! Each row makes the settled field, the field of the file and the step that lays one over the
//! other, so a key cannot be read and then forgotten.

use super::layered::{Added, Assigned, Fixed, Granted, Layered};
use super::merge::Merge;
use super::pattern::CommandPattern;
use super::text::{Glob, Only, OnlyIn, OnlyMatching, PathText, RegexText, Roots};
use super::unit::{Count, Limit, Pause, Size};
use super::value::{
    Builtins, Changes, Denials, Durability, Git, Guard, Held, KnownBy, Mode, Opaque, Operators,
    Partial, Reach, Shell, Survivors, Then, Tmp, Unknown, Words,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use toml::Spanned;

macro_rules! section {
    ($(#[$meta:meta])* $name:ident from $file:ident in $table:literal {
        $( $(#[$doc:meta])* $key:literal $field:ident: $type:ty ),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$doc])* #[serde(rename = $key)] pub $field: $type ),*
        }

        /// The section as one file has it.
        #[derive(Debug, Default, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub(super) struct $file {
            $( #[serde(rename = $key)] pub(super) $field: Option<Spanned<$type>> ),*
        }

        impl $name {
            /// Every key of the section, with its table.
            pub(super) const KEYS: &'static [&'static str] = &[$( concat!($table, $key) ),*];

            /// The section before any file spoke.
            pub(super) fn tightest() -> Self {
                Self { $( $field: <$type>::tightest() ),* }
            }

            /// Lays one file's section over what holds so far.
            pub(super) fn lay(
                &mut self,
                file: $file,
                merge: &mut Merge<'_>,
            ) -> Result<(), super::Error> {
                $( merge.key(concat!($table, $key), &mut self.$field, file.$field)?; )*
                Ok(())
            }
        }
    };
}

section! {
    /// The keys without a table.
    General from GeneralFile in "" {
        /// How much of a cage there is.
        "mode" mode: Mode,
        /// The mode that nothing goes beyond.
        "ceiling" ceiling: Mode,
        /// What happens to code that the text does not show.
        "opaque" opaque: Opaque,
        /// What happens to a command that is not known before it runs.
        "unknown" unknown: Unknown,
        /// What may be missing on a weak host.
        "partial" partial: Partial,
        /// What runs shell text.
        "shell" shell: Shell,
        /// What the cage reports.
        "denials" denials: Denials,
        /// Whose /tmp a run sees.
        "tmp" tmp: Tmp,
    }
}

section! {
    /// Which files may be read and written.
    Files from FilesFile in "files." {
        /// Writable roots; `.` is the workspace.
        "write" write: Roots,
        /// Readable roots.
        "read" read: Roots,
        /// What cannot be read or listed.
        "hide" hide: Added<PathText>,
        /// Exceptions from `hide`.
        "show" show: Granted<PathText>,
        /// Readable, never writable; a relative path means in every directory.
        "protect" protect: Added<PathText>,
        /// Where commands may be started, where set.
        "cwd" cwd: OnlyIn,
        /// Which words are held to the readable roots.
        "words" words: Words,
        /// Who refuses a change outside the writable roots.
        "changes" changes: Changes,
    }
}

section! {
    /// What the network reaches.
    Net from NetFile in "net." {
        /// How far.
        "allow" allow: Reach,
        /// Sockets of listeners outside that may be reached.
        "sockets" sockets: Granted<PathText>,
    }
}

section! {
    /// Which programs may run.
    Programs from ProgramsFile in "programs." {
        /// Only these, where set.
        "allow" allow: Only,
        /// Who holds that list.
        "held" held: Held,
        /// Whether it names the shell's own commands too.
        "builtins" builtins: Builtins,
        /// What a program on the list is known by.
        "known_by" known_by: KnownBy,
        /// Never these.
        "deny" deny: Added<Glob>,
    }
}

section! {
    /// Patterns over what commands mean.
    Commands from CommandsFile in "commands." {
        /// What happens to a command that no pattern meets.
        "otherwise" otherwise: Then,
        /// Said yes beforehand.
        "allow" allow: Granted<CommandPattern>,
        /// Asked about.
        "ask" ask: Added<CommandPattern>,
        /// Never.
        "deny" deny: Added<CommandPattern>,
        /// Whether commands may be joined, redirected and substituted.
        "operators" operators: Operators,
        /// Regexes of which every command must match one, where set.
        "only" only: OnlyMatching,
    }
}

section! {
    /// Built-in care.
    Guards from GuardsFile in "guards." {
        /// What is hard to take back.
        "destructive" destructive: Guard,
        /// What git may do.
        "git" git: Git,
        /// The sub-commands that a git which only looks may have, where not all of them.
        "git_only" git_only: Only,
        /// The rules of the destructive guard that count, where not all of them do.
        "rules" rules: Only,
    }
}

section! {
    /// What the command finds in its environment.
    Env from EnvFile in "env." {
        /// Names that are passed on, as globs.
        "pass" pass: Granted<Glob>,
        /// Names that are passed on and count more than `set`, as globs.
        "keep" keep: Granted<Glob>,
        /// Names that are never passed on, as globs.
        "drop" drop: Added<Glob>,
        /// Names that no wildcard passes on, as globs; their values are no secrets by themselves.
        "secret" secret: Added<Glob>,
        /// Variables that are set.
        "set" set: Assigned,
    }
}

section! {
    /// What a job may use up.
    Limits from LimitsFile in "limits." {
        /// The deadline when the request names none.
        "timeout" timeout: Limit<Duration>,
        /// The longest deadline that a request gets.
        "max_timeout" max_timeout: Limit<Duration>,
        /// Default and maximum for background jobs.
        "max_background" max_background: Limit<Duration>,
        /// A job that was silent for this long is ended.
        "idle" idle: Limit<Duration>,
        /// Between SIGTERM and SIGKILL.
        "grace" grace: Pause,
        /// After this an MCP call answers with a handle.
        "yield" yield_after: Limit<Duration>,
        /// Memory of the whole tree.
        "memory" memory: Limit<Size>,
        /// Processes of the whole tree.
        "processes" processes: Limit<Count>,
        /// Processor time.
        "cpu" cpu: Limit<Duration>,
        /// The largest file that may be written.
        "file_size" file_size: Limit<Size>,
        /// Everything in the session's `/tmp`.
        "tmp" tmp: Limit<Size>,
        /// Open files of one process.
        "open_files" open_files: Limit<Count>,
        /// Output of the whole job.
        "output" output: Limit<Size>,
    }
}

section! {
    /// What stays of a job.
    Jobs from JobsFile in "jobs." {
        /// What happens to processes that outlive their shell.
        "survivors" survivors: Survivors,
        /// How long the spool is kept.
        "retain" retain: Fixed<Limit<Duration>>,
        /// How large all spools may be.
        "quota" quota: Limit<Size>,
        /// A job whose handle nobody touches ends after this.
        "lease" lease: Limit<Duration>,
    }
}

section! {
    /// What is hidden from every reader.
    Redact from RedactFile in "redact." {
        /// Regexes of secrets.
        "patterns" patterns: Added<RegexText>,
        /// Names of variables whose values are secrets, as globs.
        "env" env: Added<Glob>,
        /// Whether the spool itself is redacted.
        "on_write" on_write: Fixed<bool>,
    }
}

section! {
    /// What the hooks of harnesses do.
    Hook from HookFile in "hook." {
        /// Whether commands are run through ricasso.
        "rewrite" rewrite: Fixed<bool>,
        /// Whether we say yes for the harness.
        "approve" approve: Fixed<bool>,
    }
}

section! {
    /// How the ledger is kept.
    Record from RecordFile in "record." {
        /// What a line survives.
        "durability" durability: Durability,
        /// How long lines are kept.
        "retain" retain: Fixed<Limit<Duration>>,
    }
}

impl Env {
    /// Whether the value of ricasso's own environment counts more than that of `set`.
    pub fn keeps(&self, name: &[u8]) -> bool {
        self.keep.iter().any(|glob| glob.matches(name))
    }
}

impl Redact {
    /// Whether the value of a variable with this name is a secret, however it is capitalised.
    pub fn hides(&self, name: &[u8]) -> bool {
        any_case(&self.env, name)
    }
}

/// Whether one of these globs matches a name as it is or in capitals.
pub(super) fn any_case(globs: &[Glob], name: &[u8]) -> bool {
    let capitals = name.to_ascii_uppercase();
    let other = (capitals != name).then_some(capitals);
    let matches = |glob: &Glob| {
        glob.matches(name) || other.as_ref().is_some_and(|capitals| glob.matches(capitals))
    };
    globs.iter().any(matches)
}

impl Guards {
    /// Whether a rule of the destructive guard counts.
    pub fn counts(&self, rule: &str) -> bool {
        let listed = |list: &[Glob]| list.iter().any(|glob| glob.matches(rule.as_bytes()));
        self.destructive != Guard::Off && self.rules.list().is_none_or(listed)
    }
}

/// Every key that can be locked or shown.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    let sections = [
        General::KEYS,
        Files::KEYS,
        Net::KEYS,
        Programs::KEYS,
        Commands::KEYS,
        Guards::KEYS,
        Env::KEYS,
        Limits::KEYS,
        Jobs::KEYS,
        Redact::KEYS,
        Hook::KEYS,
        Record::KEYS,
    ];
    sections.into_iter().flatten().copied()
}
