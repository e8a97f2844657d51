//! The vocabulary that entries of the catalogue are written in.
//!
//! An entry is data: names, options, operands, sub-commands, examples. What a value means beyond
//! one plain act is a `Use`; how words are told apart is a `Style`. No entry brings code of its own
//! except by a `Style::Special`, for the few grammars that are like no other.

use super::{Act, Does, Language};
use crate::policy::word::Word;

/// One program, or one sub-command of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program {
    /// Base names, separated by blanks.
    pub(super) names: &'static str,
    /// How its words are told apart.
    pub(super) style: Style,
    /// Options that take a value or do something by being given.
    pub(super) options: &'static [Opt],
    /// What is done with the operands.
    pub(super) shape: Shape,
    /// What is done instead where an option is given; the first that holds counts.
    pub(super) when: &'static [Rule],
    /// Options under which nothing is changed: what remains is reading, connecting and running.
    pub(super) dry: &'static str,
    /// Options under which it prints and ends.
    pub(super) tells: &'static str,
    /// Sub-commands.
    pub(super) subs: &'static [Program],
    /// What a sub-command does that is not listed.
    pub(super) other: &'static [Does],
    /// `words => acts`; each is a test.
    pub(super) examples: &'static [&'static str],
}

/// How the words of a program are told apart.
#[derive(Debug, Clone, Copy)]
pub(super) enum Style {
    /// Options anywhere, bundles, glued values, long options abbreviated.
    Gnu,
    /// The same, and the first operand ends the options.
    Stop,
    /// Options anywhere, bundles, long options in full.
    Exact,
    /// The same, and the first operand ends the options.
    ExactStop,
    /// A shell: the same, and `+o` is an option.
    Shell,
    /// Long options with one dash, no bundles: `-auto-approve`, `-o=x`.
    Dash,
    /// The same, and the first operand ends the options.
    DashStop,
    /// `NAME=VALUE` words are the options, by their name with the `=`: `if=`.
    Pairs,
    /// A grammar of its own.
    Special(fn(&[Word]) -> Vec<Act>),
}

/// An option, all its spellings separated by blanks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opt {
    /// `-o --output`.
    pub(super) names: &'static str,
    /// Whether a value follows.
    pub(super) value: Value,
    /// What is done with the value, or by giving the option.
    pub(super) used: Use,
}

/// Whether an option has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// None.
    No,
    /// Glued, after `=`, or the next word.
    Next,
    /// Glued or after `=` only, and it may be missing.
    Glued,
    /// The next two words: `--arg NAME VALUE`; the second is used.
    Two,
}

/// What is done with a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Use {
    /// This.
    Is(Does),
    /// Two acts with the same word.
    Both(Does, Does),
    /// `@FILE` is read, anything else is text: `curl -d`.
    AtFile,
    /// `name=@FILE` or `name=<FILE` is read: `curl -F`.
    FormFile,
    /// An address: `file://` is read, a host is connected to, a local path is used as said.
    Url,
    /// `HOST:PATH` and `scheme://` connect, anything else is a path used as said.
    Place(Does),
    /// The place of a repository: a path is read, `ext::` runs, the rest connects.
    Repository,
    /// A mode of `chmod`.
    Mode,
    /// A run level of `init`: one character.
    RunLevel,
    /// `key=value` of `git -c`.
    GitSetting,
    /// A revision or a path: what lies outside for certain is read.
    Revision,
    /// A format of `git log`: `%G` asks the program that checks signatures.
    GitFormat,
    /// The place of a repository's own files; its settings are obeyed.
    GitDirectory,
    /// A branch, or a path whose changes are discarded.
    Path,
    /// The directory that `git clone` makes, or a refspec of `git fetch`.
    CloneGoal,
    /// A path whose changes are discarded.
    Discard,
    /// `Key=value` of `ssh -o`.
    SshOption,
    /// `HOST_PATH:PLACE[:ro]` of a container.
    Volume,
    /// `type=bind,src=PATH,…` of a container.
    Mount,
    /// An address of socat.
    Socat,
    /// A text that is split into words, and the words after it follow: `env -S`.
    Split,
    /// `NAME=VALUE` sets a variable; anything else is nothing.
    Assignment,
    /// `NAME=VALUE` sets a variable; anything else is done as said.
    AssignmentOr(Does),
    /// What follows the last such byte: `json:FILE`, `exec=TEXT`.
    After(u8, Does),
    /// What follows this text, where the word starts with it; else nothing.
    Behind(&'static str, Does),
    /// What follows this text is done as the first says, other words as the second.
    BehindOr(&'static str, Does, Does),
    /// A program fetched by its name, with the words after it: `npx NAME …`.
    Tool,
    /// A script: by address it is foreign code, else a file.
    Remote,
    /// What `go run` and `go install` take: a place with a version is foreign code.
    GoTarget,
    /// `-MNAME` of perl.
    PerlModule,
    /// The file of a database, and the statements after it: `sqlite3`.
    Database,
    /// Code for the shell of a document store.
    Mongo,
    /// A command of a key store: `flushall`.
    Redis,
    /// A file of vim, or `+command`.
    VimFile,
    /// Options of `mount`.
    MountOptions,
    /// What `umount` takes away.
    Unmount,
    /// A word of a cloud's tool: `delete-bucket`, `apps:destroy`.
    CloudVerb,
    /// A kind of object of a cluster: a namespace takes everything in it along.
    KubernetesKind,
    /// A method for the interface of a forge.
    ForgeMethod,
    /// A pattern of files that the program itself expands and deletes.
    PatternTree,
    /// What is done with a service: `stop` and its kin.
    ServiceVerb,
    /// A method of HTTP: `DELETE` destroys.
    Method,
    /// What to install: an address of code, a path, or a name.
    Package,
    /// A refspec of `git push`: `+main` and `:main` rewrite for others.
    Refspec,
    /// A signal of `kill`, or a process.
    Process,
    /// A pattern that names processes: `pkill`.
    ProcessPattern,
    /// A user all of whose processes are meant.
    ProcessOwner,
    /// A unit of the service manager.
    Unit,
    /// A tool of `cmake -E`, with the words after it.
    CmakeTool,
    /// A statement in SQL.
    Sql(Reach),
    /// A module of python that runs: `-m`.
    Module,
    /// A file of code in this language, or `-` for standard input.
    Script(Language),
    /// A file, or a command of a pager: `+!text`.
    Plus,
    /// The file of a page or program that a pager shows: a path where it has a `/`.
    Page,
    /// A command whose words are separated by commas: `gcc -wrapper`.
    Commas,
    /// The value of `git config KEY VALUE`: the setting is made, and what it names will run.
    GitConfig(Does),
}

/// How far a database reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// A file beside us.
    File,
    /// A server that others use.
    Server,
}

/// What is done with operands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// The first ones.
    pub(super) first: &'static [Use],
    /// Those between.
    pub(super) each: Use,
    /// The last ones, where there are more than the first.
    pub(super) last: &'static [Use],
    /// What the words from here on are, after `first`.
    pub(super) rest: Rest,
    /// What is done in any case.
    pub(super) always: &'static [Does],
    /// What is done where there are no operands.
    pub(super) alone: &'static [Does],
}

/// What the words after the first operands are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// Operands.
    Operands,
    /// A command.
    Command,
    /// A command in another place.
    Elsewhere,
    /// A text for a shell: all words joined by blanks.
    Text,
    /// A text for a shell in another place.
    TextElsewhere,
    /// `NAME=VALUE` words, then a command.
    SetsThenCommand,
    /// A command, and words of standard input are added.
    ForInput,
    /// Words for code that was named before; nothing is known of them.
    Words,
}

/// Another shape where an option is given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// Spellings of the options, any of which will do.
    pub(super) given: &'static str,
    /// And one of these too, unless empty.
    pub(super) also: &'static str,
    /// The shape then.
    pub(super) shape: Shape,
}

pub(super) const NOTHING: Use = Use::Is(Does::Nothing);
pub(super) const READ: Use = Use::Is(Does::Read);
pub(super) const READ_TREE: Use = Use::Is(Does::ReadTree);
pub(super) const LOOK: Use = Use::Is(Does::LookAt);
pub(super) const CREATE: Use = Use::Is(Does::Create);
pub(super) const WRITE: Use = Use::Is(Does::Overwrite);
pub(super) const APPEND: Use = Use::Is(Does::Append);
pub(super) const PUT: Use = Use::Is(Does::PutAt);
pub(super) const EDIT: Use = Use::Is(Does::Edit);
pub(super) const DELETE: Use = Use::Is(Does::Delete);
pub(super) const RUN: Use = Use::Is(Does::RunProgram);
pub(super) const TEXT: Use = Use::Is(Does::RunText);
pub(super) const ENTER: Use = Use::Is(Does::Enter);
pub(super) const OBEY: Use = Use::Is(Does::ObeyFile);
pub(super) const CODE_FILE: Use = Use::Is(Does::CodeFile);
pub(super) const CONNECT: Use = Use::Is(Does::Connect);
pub(super) const OPAQUE: Use = Use::Is(Does::Opaque);

/// Operands that do nothing.
pub(super) const NONE: Shape = each(NOTHING);

/// The base of an entry.
const BASE: Program = Program {
    names: "",
    style: Style::Gnu,
    options: &[],
    shape: NONE,
    when: &[],
    dry: "",
    tells: "--help --version",
    subs: &[],
    other: &[],
    examples: &[],
};

/// An entry in the GNU style.
pub(super) const GNU: Program = BASE;
/// An entry whose first operand ends the options.
pub(super) const STOP: Program = Program { style: Style::Stop, ..BASE };
/// An entry whose long options are spelled in full.
pub(super) const EXACT: Program = Program { style: Style::Exact, ..BASE };
/// The same, and the first operand ends the options.
pub(super) const EXACT_STOP: Program = Program { style: Style::ExactStop, ..BASE };
/// An entry of a shell.
pub(super) const SHELL: Program = Program { style: Style::Shell, ..BASE };
/// An entry with one dash before long options.
pub(super) const DASH: Program = Program { style: Style::Dash, ..BASE };
/// The same, and the first operand ends the options.
pub(super) const DASH_STOP: Program = Program { style: Style::DashStop, ..BASE };

/// An option that does something by being given.
pub(super) const fn act(names: &'static str, does: Does) -> Opt {
    Opt { names, value: Value::No, used: Use::Is(does) }
}

/// An option with a value.
pub(super) const fn val(names: &'static str, used: Use) -> Opt {
    Opt { names, value: Value::Next, used }
}

/// An option with a value that does nothing.
pub(super) const fn skip(names: &'static str) -> Opt {
    val(names, NOTHING)
}

/// An option whose value is glued or missing.
pub(super) const fn glued(names: &'static str, used: Use) -> Opt {
    Opt { names, value: Value::Glued, used }
}

/// An option with two values, the second of which is used.
pub(super) const fn two(names: &'static str, used: Use) -> Opt {
    Opt { names, value: Value::Two, used }
}

/// A flag that does nothing by itself; named so that its spellings are known.
pub(super) const fn flag(names: &'static str) -> Opt {
    act(names, Does::Nothing)
}

/// Every operand is used so.
pub(super) const fn each(used: Use) -> Shape {
    Shape { first: &[], each: used, last: &[], rest: Rest::Operands, always: &[], alone: &[] }
}

/// The first operands are used so, the others as the second says.
pub(super) const fn then(first: &'static [Use], each: Use) -> Shape {
    Shape { first, each, last: &[], rest: Rest::Operands, always: &[], alone: &[] }
}

/// All operands but the last are used as the first says.
pub(super) const fn to(each: Use, last: &'static [Use]) -> Shape {
    Shape { first: &[], each, last, rest: Rest::Operands, always: &[], alone: &[] }
}

/// After the first operands come words of this kind.
pub(super) const fn rest(first: &'static [Use], rest: Rest) -> Shape {
    Shape { first, each: NOTHING, last: &[], rest, always: &[], alone: &[] }
}

/// This is done in any case, the operands are nothing.
pub(super) const fn always(does: &'static [Does]) -> Shape {
    NONE.always(does)
}

/// Another shape where one of these options is given.
pub(super) const fn when(given: &'static str, shape: Shape) -> Rule {
    Rule { given, also: "", shape }
}

/// Another shape where one option of each list is given.
pub(super) const fn both(given: &'static str, also: &'static str, shape: Shape) -> Rule {
    Rule { given, also, shape }
}

/// A sub-command that only does this.
pub(super) const fn sub(names: &'static str, does: &'static [Does]) -> Program {
    Program { names, shape: always(does), ..EXACT }
}

/// A sub-command with operands of this shape.
pub(super) const fn shaped(names: &'static str, shape: Shape) -> Program {
    Program { names, shape, ..EXACT }
}

impl Program {
    /// The same with examples.
    pub(super) const fn with(mut self, examples: &'static [&'static str]) -> Self {
        self.examples = examples;
        self
    }
}

impl Shape {
    /// The same, and this in any case.
    pub(super) const fn always(mut self, does: &'static [Does]) -> Self {
        self.always = does;
        self
    }

    /// The same, and this where there are no operands.
    pub(super) const fn alone(mut self, does: &'static [Does]) -> Self {
        self.alone = does;
        self
    }
}
