//! The policy as it holds after all files and flags: read by judge and plan, changed by nobody.

use super::hidden::Hidden;
use super::layers::Source;
use super::merge::Setting;
use super::rule::{Pattern, Rule};
use super::sections::{
    Commands, Env, Files, General, Guards, Hook, Jobs, Limits, Net, Programs, Record, Redact,
    any_case,
};
use super::text::Glob;
use super::value::{Denials, Mode, Opaque, Partial, Shell, Tmp, Unknown};
use crate::request::to_hex;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// What may run, and with what rights. Made from layers alone.
#[derive(Debug, Clone)]
pub struct Policy {
    settled: Settled,
    settings: Vec<Setting>,
    source: Source,
    digest: String,
    hidden: Hidden,
}

/// Everything that decides; its JSON is the canonical form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Settled {
    pub(super) general: General,
    pub(super) files: Files,
    pub(super) net: Net,
    pub(super) programs: Programs,
    pub(super) commands: Commands,
    pub(super) guards: Guards,
    pub(super) env: Env,
    pub(super) limits: Limits,
    pub(super) jobs: Jobs,
    pub(super) redact: Redact,
    pub(super) hook: Hook,
    pub(super) record: Record,
    pub(super) rules: Vec<Rule>,
    pub(super) patterns: Vec<Pattern>,
    pub(super) dialect: toml::Table,
}

impl Settled {
    /// The tables of a file, in its order.
    pub(super) const TABLES: [&'static str; 11] = [
        "files", "net", "programs", "commands", "guards", "env", "limits", "jobs", "redact",
        "hook", "record",
    ];

    /// What holds before any file spoke: nothing is allowed that a file could allow. A ceiling is
    /// the exception: it is there only when somebody sets one.
    pub(super) fn tightest() -> Self {
        let mut general = General::tightest();
        general.ceiling = Mode::Open;
        Self {
            general,
            files: Files::tightest(),
            net: Net::tightest(),
            programs: Programs::tightest(),
            commands: Commands::tightest(),
            guards: Guards::tightest(),
            env: Env::tightest(),
            limits: Limits::tightest(),
            jobs: Jobs::tightest(),
            redact: Redact::tightest(),
            hook: Hook::tightest(),
            record: Record::tightest(),
            rules: Vec::new(),
            patterns: Vec::new(),
            dialect: toml::Table::new(),
        }
    }
}

impl Policy {
    /// Seals what the layers made.
    pub(super) fn seal(settled: Settled, settings: Vec<Setting>, source: Source) -> Self {
        let json = serde_json::to_vec(&settled).expect("a policy is made of texts and numbers");
        let hidden = Hidden::of(&settled.files.hide);
        Self { settled, settings, source, digest: to_hex(&Sha256::digest(json)), hidden }
    }

    /// What is hidden, ready to be compared with.
    pub(super) fn hidden(&self) -> &Hidden {
        &self.hidden
    }

    /// Everything that decides, for the page that shows it.
    pub(super) fn settled(&self) -> &Settled {
        &self.settled
    }

    /// How much of a cage there is.
    pub fn mode(&self) -> Mode {
        self.settled.general.mode
    }

    /// Whether the plan holds files for certain: a policy that lets them be missing has no cage
    /// that the judge may rely on.
    pub fn is_caged(&self) -> bool {
        let may_be_missing = match self.partial() {
            Partial::Refuse => false,
            Partial::May(parts) => parts.iter().any(|part| part == "files"),
        };
        match self.mode() {
            Mode::Open => false,
            Mode::Read | Mode::Workspace => !may_be_missing,
        }
    }

    /// The mode that no flag goes beyond.
    pub fn ceiling(&self) -> Mode {
        self.settled.general.ceiling
    }

    /// What happens to code that the text does not show.
    pub fn opaque(&self) -> Opaque {
        self.settled.general.opaque
    }

    /// What happens to a command that is not known before it runs.
    pub fn unknown(&self) -> Unknown {
        self.settled.general.unknown
    }

    /// What may be missing on a weak host.
    pub fn partial(&self) -> &Partial {
        &self.settled.general.partial
    }

    /// What runs shell text.
    pub fn shell(&self) -> &Shell {
        &self.settled.general.shell
    }

    /// What the cage reports.
    pub fn denials(&self) -> Denials {
        self.settled.general.denials
    }

    /// Whose /tmp a run sees.
    pub fn tmp(&self) -> Tmp {
        self.settled.general.tmp
    }

    /// Which files may be read and written.
    pub fn files(&self) -> &Files {
        &self.settled.files
    }

    /// What the network reaches.
    pub fn net(&self) -> &Net {
        &self.settled.net
    }

    /// Which programs may run.
    pub fn programs(&self) -> &Programs {
        &self.settled.programs
    }

    /// Patterns over what commands mean.
    pub fn commands(&self) -> &Commands {
        &self.settled.commands
    }

    /// Built-in care.
    pub fn guards(&self) -> &Guards {
        &self.settled.guards
    }

    /// What the command finds in its environment.
    pub fn env(&self) -> &Env {
        &self.settled.env
    }

    /// Whether a name says that its variable holds, or leads to, a secret.
    pub fn is_sensitive(&self, name: &[u8]) -> bool {
        self.redact().hides(name) || any_case(&self.env().secret, name)
    }

    /// Whether a variable of ricasso's own environment is passed on. A wildcard does not mean
    /// secrets; a name in full does.
    pub fn passes(&self, name: &[u8]) -> bool {
        let env = self.env();
        let sensitive = self.is_sensitive(name);
        let means =
            |glob: &Glob| glob.as_str().as_bytes() == name || !sensitive && glob.matches(name);
        !env.drop.iter().any(|glob| glob.matches(name))
            && env.pass.iter().chain(env.keep.iter()).any(means)
    }

    /// What a job may use up.
    pub fn limits(&self) -> &Limits {
        &self.settled.limits
    }

    /// What stays of a job.
    pub fn jobs(&self) -> &Jobs {
        &self.settled.jobs
    }

    /// What is hidden from every reader.
    pub fn redact(&self) -> &Redact {
        &self.settled.redact
    }

    /// What the hooks of harnesses do.
    pub fn hook(&self) -> &Hook {
        &self.settled.hook
    }

    /// What it was made from.
    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    /// How the ledger is kept.
    pub fn record(&self) -> &Record {
        &self.settled.record
    }

    /// The long rules, built-in ones first.
    pub fn rules(&self) -> &[Rule] {
        &self.settled.rules
    }

    /// Regexes that deny.
    pub fn patterns(&self) -> &[Pattern] {
        &self.settled.patterns
    }

    /// What the files say for one dialect, in that dialect's own keys.
    pub fn dialect(&self, name: &str) -> Option<&toml::Table> {
        self.settled.dialect.get(name).and_then(toml::Value::as_table)
    }

    /// Each value that holds, with the file and line that it comes from.
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// SHA-256 of the canonical form, in hexadecimal: equal for policies that decide alike.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}
