//! One command before the rules: its names, then every rule in its order.

use super::controls;
use super::judge::{Bench, Findings, Weight, reason};
use super::loader::{self, Setter};
use super::opaque;
use super::pattern::{Command, CommandPattern};
use super::rule::{GuardName, Rule};
use super::text::Glob;
use super::value::{Guard, Opaque, Then, Unknown};
use super::verdict::{Reason, ReasonLayer};
use super::walk::Simple;
use super::words::Meets;
use super::wrap::base_name;
use crate::scene::Program;

/// Whether a shell reads the command, so that its built-in commands exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    /// A program with arguments.
    Argv,
    /// A command of a shell text.
    Text,
}

/// Built-in commands of the shell that start no program.
const BUILTINS: [&[u8]; 33] = [
    b":",
    b".",
    b"[",
    b"[[",
    b"alias",
    b"break",
    b"cd",
    b"continue",
    b"declare",
    b"dirs",
    b"echo",
    b"exit",
    b"export",
    b"false",
    b"getopts",
    b"hash",
    b"let",
    b"local",
    b"popd",
    b"printf",
    b"pushd",
    b"pwd",
    b"read",
    b"readonly",
    b"return",
    b"set",
    b"shift",
    b"shopt",
    b"test",
    b"true",
    b"type",
    b"unset",
    b"wait",
];

/// Judges one command; every rule that speaks adds its reason.
pub(super) fn judge(simple: &Simple, judged: Judged, bench: &Bench<'_>, findings: &mut Findings) {
    for name in &simple.assigned {
        if let Some(does) = loader::danger(name, Setter::Text) {
            let shown = String::from_utf8_lossy(name);
            let message = format!("the text sets {shown:?}, which {does}");
            let remedy = "leave the variable out";
            let span = Some(simple.span);
            findings.add(
                Weight::Deny,
                reason("loader-variables", ReasonLayer::Policy, span, message, remedy),
            );
        }
    }
    if simple.words.is_empty() && simple.assigned.is_empty() {
        return;
    }
    let program = resolve(simple, bench);
    let names = names(simple, program.as_ref());
    let seen = Seen {
        simple,
        judged,
        program: program.as_ref(),
        command: Command { words: &simple.words, names: &names },
    };
    let denies = seen.denies(bench);
    if !denies.is_empty() {
        denies.into_iter().for_each(|reason| findings.add(Weight::Deny, reason));
        return;
    }
    if simple.words.is_empty() {
        return;
    }
    if let Some((weight, reason)) = seen.weigh(bench) {
        findings.add(weight, reason);
    }
}

/// The names that a command's program goes by when nobody can be asked about the world.
pub(super) fn names_as_written(simple: &Simple) -> Vec<Vec<u8>> {
    names(simple, None)
}

fn names(simple: &Simple, program: Option<&Program>) -> Vec<Vec<u8>> {
    let Some(Some(word)) = simple.words.first() else {
        return Vec::new();
    };
    let mut names = vec![base_name(word).to_vec()];
    let mut add = |name: &[u8]| {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_vec());
        }
    };
    if word.contains(&b'/') {
        add(word);
    }
    for path in program.iter().flat_map(|program| [&program.path, &program.real]) {
        let bytes = path.as_os_str().as_encoded_bytes();
        add(bytes);
        add(base_name(bytes));
    }
    names
}

fn resolve(simple: &Simple, bench: &Bench<'_>) -> Option<Program> {
    let word = simple.words.first()?.as_deref()?;
    bench.look.program(word, bench.places.cwd, &bench.search)
}

/// One command with everything known of it.
struct Seen<'a> {
    simple: &'a Simple,
    judged: Judged,
    program: Option<&'a Program>,
    command: Command<'a>,
}

impl Seen<'_> {
    fn denies(&self, bench: &Bench<'_>) -> Vec<Reason> {
        let mut denies = Vec::new();
        if let Some(met) = controls::reached(self.command, &self.simple.assigned) {
            let message = format!("{met:?} would loosen what this very command is held to");
            let remedy = "run the command without it; a person changes it at a terminal";
            denies.push(self.reason("own-controls", ReasonLayer::Policy, message, remedy));
        }
        if self.simple.words.is_empty() {
            return denies;
        }
        denies.extend(self.programs(bench));
        for rule in self.rules(bench, Weight::Deny) {
            denies.push(self.of_rule(rule));
        }
        let deny = &bench.policy.commands().deny;
        if let Some(pattern) = self.first(deny, Meets::Perhaps) {
            denies.push(self.of_pattern("commands.deny", pattern));
        }
        denies
    }

    fn weigh(&self, bench: &Bench<'_>) -> Option<(Weight, Reason)> {
        let commands = bench.policy.commands();
        if let Some(pattern) = self.first(&commands.ask, Meets::Perhaps) {
            return Some((Weight::Ask, self.of_pattern("commands.ask", pattern)));
        }
        let (guards, written): (Vec<&Rule>, Vec<&Rule>) =
            self.rules(bench, Weight::Ask).into_iter().partition(|rule| rule.guard.is_some());
        if let Some(rule) = written.first() {
            return Some((Weight::Ask, self.of_rule(rule)));
        }
        if self.said_yes(bench) {
            return None;
        }
        if let Some(rule) = guards.first() {
            return Some((Weight::Ask, self.of_rule(rule)));
        }
        self.unknown(bench).or_else(|| self.opaque(bench)).or_else(|| self.otherwise(bench))
    }

    /// The rules that lead to this weight.
    fn rules<'b>(&self, bench: &Bench<'b>, weight: Weight) -> Vec<&'b Rule> {
        let leads = |rule: &&'b Rule| self.leads_to(rule, bench) == Some(weight);
        bench.policy.rules().iter().filter(leads).collect()
    }

    fn leads_to(&self, rule: &Rule, bench: &Bench<'_>) -> Option<Weight> {
        let meets = rule.meets(self.command, bench.places);
        let guard = bench.policy.guards().destructive;
        match (rule.guard, rule.then, meets) {
            (_, _, Meets::No) | (_, Then::Allow, _) => None,
            (None, Then::Deny, Meets::Yes | Meets::Perhaps) => Some(Weight::Deny),
            (None, Then::Ask, Meets::Yes | Meets::Perhaps) => Some(Weight::Ask),
            (Some(GuardName::Destructive), then, meets) => {
                // An unknown program is the business of `unknown`, not of each guard.
                let counts = bench.policy.guards().counts(&rule.id);
                if self.command.names.is_empty() || !counts {
                    return None;
                }
                guard_weight(guard, then, meets)
            }
        }
    }

    fn programs(&self, bench: &Bench<'_>) -> Option<Reason> {
        let programs = bench.policy.programs();
        let word = self.program_word()?;
        if self.command.is_called(&programs.deny) == Meets::Yes {
            let message = format!("{} is not to be run", self.called(word));
            let remedy = "use another program; programs.deny in the policy names this one";
            return Some(self.reason("programs.deny", ReasonLayer::Programs, message, remedy));
        }
        let list = programs.allow.list()?;
        let builtin = self.judged == Judged::Text && BUILTINS.contains(&word);
        if builtin || self.is_listed(list, word, bench) {
            return None;
        }
        let names: Vec<&str> = list.iter().map(Glob::as_str).collect();
        let message = format!("{} is not on the list of programs", self.called(word));
        let remedy = format!("use one of: {}", names.join(", "));
        Some(self.reason("programs.allow", ReasonLayer::Programs, message, remedy))
    }

    /// A program is on the list when a listed name leads to the same file; one that is not
    /// installed is judged by its name.
    fn is_listed(&self, list: &[Glob], word: &[u8], bench: &Bench<'_>) -> bool {
        let name = base_name(word);
        let matching = list.iter().any(|glob| glob.matches(name) || glob.matches(word));
        let Some(program) = self.program else {
            return matching;
        };
        let real = program.real.as_os_str().as_encoded_bytes();
        if list.iter().any(|glob| glob.matches(real)) {
            return true;
        }
        let standard = bench.look.program(name, bench.places.cwd, &bench.search);
        matching && (!word.contains(&b'/') || standard.is_some_and(|it| it.real == program.real))
    }

    /// An allow that someone wrote. A path, or a `PATH` of the caller's, is not what they meant.
    fn said_yes(&self, bench: &Bench<'_>) -> bool {
        let plain = self.program_word().is_some_and(|word| !word.contains(&b'/'));
        if !plain || bench.search != crate::scene::Search::Inherited {
            return false;
        }
        let rules = bench.policy.rules().iter().filter(|rule| rule.then == Then::Allow);
        let mut meets = rules.map(|rule| rule.meets(self.command, bench.places));
        meets.any(|meets| meets == Meets::Yes)
            || self.first(&bench.policy.commands().allow, Meets::Yes).is_some()
    }

    fn unknown(&self, bench: &Bench<'_>) -> Option<(Weight, Reason)> {
        if !self.command.names.is_empty() {
            return None;
        }
        let weight = match (bench.policy.unknown(), bench.policy.is_caged()) {
            (Unknown::Deny, _) => Weight::Deny,
            (Unknown::Ask, _) | (Unknown::Caged, false) => Weight::Ask,
            (Unknown::Caged, true) => return None,
        };
        let message = "which program starts here is not known before it runs".to_string();
        let remedy = "name the program in plain words";
        Some((weight, self.reason("unknown", ReasonLayer::Policy, message, remedy)))
    }

    fn opaque(&self, bench: &Bench<'_>) -> Option<(Weight, Reason)> {
        let word = self.program_word()?;
        if !opaque::runs_unseen_code(self.command, self.program) {
            return None;
        }
        let weight = match (bench.policy.opaque(), bench.policy.is_caged()) {
            (Opaque::Deny, _) => Weight::Deny,
            (Opaque::Ask, _) | (Opaque::Caged, false) => Weight::Ask,
            (Opaque::Allow, _) | (Opaque::Caged, true) => return None,
        };
        let message = format!("{} runs code that the text does not show", self.called(word));
        let remedy = "run it in mode workspace, where the cage holds it, or set opaque = \"allow\"";
        Some((weight, self.reason("opaque", ReasonLayer::Policy, message, remedy)))
    }

    fn otherwise(&self, bench: &Bench<'_>) -> Option<(Weight, Reason)> {
        let weight = match bench.policy.commands().otherwise {
            Then::Allow => return None,
            Then::Ask => Weight::Ask,
            Then::Deny => Weight::Deny,
        };
        let allowed: Vec<&str> =
            bench.policy.commands().allow.iter().map(CommandPattern::as_str).collect();
        let message = "no pattern of the policy says yes to this command".to_string();
        let remedy = match allowed.as_slice() {
            [] => "let a person add a pattern to commands.allow".to_string(),
            list => format!("use one of: {}", list.join(", ")),
        };
        Some((weight, self.reason("commands.otherwise", ReasonLayer::Policy, message, remedy)))
    }

    fn first<'b>(&self, list: &'b [CommandPattern], least: Meets) -> Option<&'b CommandPattern> {
        list.iter().find(|pattern| pattern.meets(self.command) >= least)
    }

    fn program_word(&self) -> Option<&[u8]> {
        self.simple.words.first()?.as_deref()
    }

    /// The program as written, and as what it really is where that differs.
    fn called(&self, word: &[u8]) -> String {
        let shown = String::from_utf8_lossy(word);
        match self.program {
            Some(program)
                if base_name(program.real.as_os_str().as_encoded_bytes()) != base_name(word) =>
            {
                format!("{shown:?} (really {})", program.real.display())
            }
            Some(_) | None => format!("{shown:?}"),
        }
    }

    fn of_rule(&self, rule: &Rule) -> Reason {
        let remedy = match rule.remedy.as_str() {
            "" => "write the command without what the rule names",
            remedy => remedy,
        };
        self.reason(&rule.id, ReasonLayer::Policy, rule.why.clone(), remedy)
    }

    fn of_pattern(&self, key: &str, pattern: &CommandPattern) -> Reason {
        let message = format!("the command meets the pattern {:?}", pattern.as_str());
        let remedy = format!("write it so that it does not, or change {key} in the policy");
        self.reason(key, ReasonLayer::Policy, message, remedy)
    }

    fn reason(
        &self,
        rule: &str,
        layer: ReasonLayer,
        message: String,
        remedy: impl Into<String>,
    ) -> Reason {
        reason(rule, layer, Some(self.simple.span), message, remedy)
    }
}

fn guard_weight(guard: Guard, then: Then, meets: Meets) -> Option<Weight> {
    match (guard, then, meets) {
        (Guard::Off, _, _) | (_, Then::Allow, _) | (_, _, Meets::No) => None,
        (Guard::Deny, Then::Ask | Then::Deny, Meets::Yes | Meets::Perhaps) => Some(Weight::Deny),
        (Guard::Ask, Then::Deny, Meets::Yes) => Some(Weight::Deny),
        (Guard::Ask, Then::Deny, Meets::Perhaps) => Some(Weight::Ask),
        (Guard::Ask, Then::Ask, Meets::Yes | Meets::Perhaps) => Some(Weight::Ask),
    }
}
