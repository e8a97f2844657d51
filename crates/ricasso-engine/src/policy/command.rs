//! One command before the rules: what denies it, what asks, what says yes.

use super::controls;
use super::effect::{Effect, Kind};
use super::git;
use super::guard::{self, Grave};
use super::judge::{Bench, Findings, Weight, reason};
use super::know::Does;
use super::loader::{self, Setter};
use super::misleading;
use super::pattern::{Command, CommandPattern};
use super::place;
use super::rights::Objection;
use super::rule::{GuardName, Rule};
use super::text::Glob;
use super::value::{Builtins, Git, Guard, Held, KnownBy, Opaque, Then, Unknown};
use super::verdict::{Reason, ReasonLayer};
use super::walk::{Mark, Place, Seen, Starts, base_name, is_system};
use super::words::Meets;

/// Built-in commands of the shell that no list of programs has to name.
const BUILTINS: [&[u8]; 32] = [
    b":",
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
pub(super) fn judge(seen: &Seen, bench: &Bench<'_>, findings: &mut Findings) {
    let words: Vec<Option<Vec<u8>>> = seen.words.iter().map(super::word::Word::written).collect();
    let judged = Judged { seen, command: Command { words: &words, names: &seen.names } };
    let mut denies = judged.variables(bench);
    denies.extend(judged.denies(bench));
    if !denies.is_empty() {
        denies.into_iter().for_each(|reason| findings.add(Weight::Deny, reason));
        return;
    }
    findings.neutralise(git::neutralised(seen, bench));
    if let Some((weight, reason)) = judged.weigh(bench, findings) {
        findings.add(weight, reason);
    }
}

/// Container engines: they open files by themselves.
const CONTAINERS: [&[u8]; 3] = [b"docker", b"podman", b"nerdctl"];

/// One command with everything known of it.
struct Judged<'a> {
    seen: &'a Seen,
    command: Command<'a>,
}

impl Judged<'_> {
    /// Variables that make programs load or run something.
    fn variables(&self, bench: &Bench<'_>) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for assigned in &self.seen.assigned {
            let strict = bench.policy.unknown() == Unknown::Deny
                && (bench.policy.programs().allow.list().is_some()
                    || bench.policy.guards().git == Git::ReadOnly);
            let named = bench.policy.programs().allow.list().is_some();
            let builtins = bench.policy.programs().builtins;
            let setter = match (strict, named, builtins) {
                (true, _, _) => Setter::Listed,
                (false, true, Builtins::Listed) => Setter::Caller,
                (false, true, Builtins::Free) if !bench.policy.is_caged() => Setter::Named,
                (false, _, _) => Setter::Text,
            };
            let plain = setter == Setter::Text && loader::is_plain(&assigned.name, &assigned.value);
            if let Some(does) = loader::danger(&assigned.name, setter).filter(|_| !plain) {
                let shown = String::from_utf8_lossy(&assigned.name);
                let message = format!("the text sets {shown:?}, which {does}");
                let remedy = "leave the variable out";
                reasons.push(self.reason("loader-variables", ReasonLayer::Policy, message, remedy));
            }
        }
        reasons
    }

    fn denies(&self, bench: &Bench<'_>) -> Vec<Reason> {
        let mut denies = Vec::new();
        let assigned: Vec<Vec<u8>> =
            self.seen.assigned.iter().map(|assigned| assigned.name.clone()).collect();
        if let Some(met) = controls::reached(self.command, &assigned) {
            let message = format!("{met:?} would loosen what this very command is held to");
            let remedy = "run the command without it; a person changes it at a terminal";
            denies.push(self.reason("own-controls", ReasonLayer::Policy, message, remedy));
        }
        if self.seen.marks.contains(&Mark::Unreadable) {
            let message = "an inner text of the command cannot be read".to_string();
            let remedy = "mend the text; what no shell reader understands is never run";
            denies.push(self.reason("unreadable", ReasonLayer::Policy, message, remedy));
        }
        denies.extend(self.misleading());
        denies.extend(self.programs(bench));
        denies.extend(git::read_only(self.seen, bench));
        denies.extend(git::settings(self.seen, bench));
        denies.extend(bench.policy.programs().allow.list().and_then(|it| self.shell_for_text(it)));
        denies.extend(git::own_programs(self.seen));
        denies.extend(self.guard(bench, Weight::Deny));
        denies.extend(self.rights(bench));
        let starts = matches!(self.seen.starts, Starts::Program | Starts::Elsewhere);
        denies.extend(starts.then(|| place::judge_work(self.seen, bench)).flatten());
        if self.seen.words.is_empty() {
            return denies;
        }
        for rule in self.rules(bench, Weight::Deny) {
            denies.push(self.of_rule(rule));
        }
        let deny = &bench.policy.commands().deny;
        if let Some(pattern) = self.first(deny, Meets::Perhaps) {
            denies.push(self.of_pattern("commands.deny", pattern));
        }
        denies
    }

    fn weigh(&self, bench: &Bench<'_>, findings: &mut Findings) -> Option<(Weight, Reason)> {
        let commands = bench.policy.commands();
        if !self.seen.words.is_empty() {
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
        }
        if let Some(reason) = self.guard(bench, Weight::Ask) {
            return Some((Weight::Ask, reason));
        }
        self.unknown(bench, findings)
            .or_else(|| self.opaque(bench, findings))
            .or_else(|| self.otherwise(bench))
    }

    fn rights(&self, bench: &Bench<'_>) -> Vec<Reason> {
        if self.seen.place != Place::Here {
            return Vec::new();
        }
        let mut reasons: Vec<Reason> = Vec::new();
        let starts = matches!(self.seen.starts, Starts::Program | Starts::Elsewhere);
        let works = starts.then(|| bench.rights.object_to_work_in(&self.seen.works_in)).flatten();
        let works = works.map(|objection| (objection, self.seen.span));
        let effects = self.seen.effects.iter();
        let effects = effects.filter_map(|it| Some((bench.rights.object(it)?, it)));
        let effects = effects.filter(|(objection, it)| !self.may_be_inside(objection, it, bench));
        let effects = effects.map(|(objection, it)| (objection, it.span));
        // The engine of containers opens what it is handed, not the command: no path of ours.
        let engine = CONTAINERS.iter().any(|name| self.seen.is_called(name));
        for (mut objection, span) in effects.chain(works) {
            let span = Some(span);
            if engine {
                objection.layer = ReasonLayer::Policy;
            }
            reasons.push(reason(
                objection.rule,
                objection.layer,
                span,
                objection.message,
                objection.remedy,
            ));
        }
        reasons
    }

    /// Whether a relative path lies outside from one directory that the command may be in, and
    /// inside from another: where it is, is then not known, and the cage holds it.
    fn may_be_inside(&self, objection: &Objection, effect: &Effect, bench: &Bench<'_>) -> bool {
        let several = self.seen.works_in.len() > 1 && bench.policy.is_caged();
        let same = |other: &&Effect| {
            other.does == effect.does && other.span == effect.span && other.word == effect.word
        };
        let inside = |other: &Effect| bench.rights.object(other).is_none();
        several
            && objection.rule == "files.write"
            && self.seen.effects.iter().filter(same).any(inside)
    }

    fn guard(&self, bench: &Bench<'_>, wanted: Weight) -> Option<Reason> {
        let guards = bench.policy.guards();
        if guards.destructive == Guard::Off {
            return None;
        }
        let danger = guard::danger(self.seen, bench.homeland(), |rule| guards.counts(rule))?;
        let weight = match (danger.grave, guards.destructive) {
            (Grave::Catastrophic, _) | (Grave::Hard, Guard::Deny) => Weight::Deny,
            (Grave::Hard, Guard::Ask | Guard::Off) => Weight::Ask,
        };
        if weight != wanted {
            return None;
        }
        let message = match danger.lost.and_then(|lost| guard::counted(&lost, bench.look)) {
            Some(count) => format!("{} ({count})", danger.message),
            None => danger.message,
        };
        let span = danger.span.unwrap_or(self.seen.span);
        Some(reason(danger.rule, ReasonLayer::Policy, Some(span), message, danger.remedy))
    }

    fn misleading(&self) -> Option<Reason> {
        let word = self.seen.words.first()?.known()?;
        let met = misleading::mixed(word)?;
        let message = format!("the name {met} looks like another program's");
        let remedy = "write the name in plain letters";
        Some(self.reason("misleading-text", ReasonLayer::Policy, message, remedy))
    }

    /// The rules that lead to this weight.
    fn rules<'b>(&self, bench: &Bench<'b>, weight: Weight) -> Vec<&'b Rule> {
        let leads = |rule: &&'b Rule| self.leads_to(rule, bench) == Some(weight);
        bench.policy.rules().iter().filter(leads).collect()
    }

    fn leads_to(&self, rule: &Rule, bench: &Bench<'_>) -> Option<Weight> {
        let meets = rule.meets(self.command, &self.seen.effects, bench.places);
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
        match self.seen.starts {
            Starts::Nothing => return self.nameless(bench),
            Starts::Function => return None,
            Starts::Program | Starts::Elsewhere | Starts::Builtin => {}
        }
        let word = self.seen.program_word()?;
        if self.command.is_called(&programs.deny) == Meets::Yes {
            let message = format!("{} is not to be run", self.called(word));
            let remedy = "use another program; programs.deny in the policy names this one";
            return Some(self.reason("programs.deny", ReasonLayer::Programs, message, remedy));
        }
        if let Some(reason) = self.named_in_code(&programs.deny) {
            return Some(reason);
        }
        if let Some(name) = self.wraps(&programs.deny) {
            let message = format!("{} may start {name}, which is not to be run", self.called(word));
            let remedy = "call the program plainly; programs.deny in the policy names that one";
            return Some(self.reason("programs.deny", ReasonLayer::Programs, message, remedy));
        }
        let list = programs.allow.list()?;
        let builtin = self.seen.starts == Starts::Builtin
            && programs.builtins == Builtins::Free
            && BUILTINS.contains(&word);
        if self.seen.place == Place::Here && (builtin || self.is_listed(list, word, bench)) {
            return None;
        }
        Some(self.unlisted(list, self.called(word)))
    }

    fn unlisted(&self, list: &[Glob], what: String) -> Reason {
        let names: Vec<&str> = list.iter().map(Glob::as_str).collect();
        let message = format!("{what} is not on the list of programs");
        let remedy = format!("use one of: {}", names.join(", "));
        self.reason("programs.allow", ReasonLayer::Programs, message, remedy)
    }

    /// A redirection without a program changes a file, and no list has a name for that.
    fn nameless(&self, bench: &Bench<'_>) -> Option<Reason> {
        let programs = bench.policy.programs();
        let list = programs.allow.list().filter(|_| programs.builtins == Builtins::Listed)?;
        let changes = |effect: &Effect| matches!(effect.kind(), Kind::Write | Kind::Delete);
        let found = self.seen.effects.iter().any(changes);
        found.then(|| self.unlisted(list, "a redirection without a program".into()))
    }

    /// A listed program that hands a text to a shell starts one, and it must be listed too.
    fn shell_for_text(&self, list: &[Glob]) -> Option<Reason> {
        let shells = [&b"sh"[..], b"bash", b"dash", b"zsh", b"ksh"];
        let own = shells.iter().any(|name| self.seen.is_called(name));
        let listed = shells.iter().any(|name| list.iter().any(|glob| glob.matches(name)));
        if own || listed || self.seen.starts == Starts::Builtin {
            return None;
        }
        let texts = |effect: &&Effect| effect.does == Does::RunText;
        let effect = self.seen.effects.iter().find(texts)?;
        let word = self.seen.program_word().unwrap_or_default();
        let message = format!("{} starts a shell, which is not on the list", self.called(word));
        let remedy = "run the inner command by itself";
        let (layer, span) = (ReasonLayer::Programs, Some(effect.span));
        Some(reason("programs.allow", layer, span, message, remedy))
    }

    /// Code that nobody understood must not so much as name what is not to be run.
    fn named_in_code(&self, deny: &[Glob]) -> Option<Reason> {
        let codes = self.seen.effects.iter().filter(|effect| effect.kind() == Kind::Opaque);
        for effect in codes.filter(|_| !deny.is_empty()) {
            let Some(text) = effect.word.as_ref().and_then(|word| word.known()) else { continue };
            let part = |byte: &u8| !(byte.is_ascii_alphanumeric() || b"_.+-".contains(byte));
            let mut words = text.split(part);
            if let Some(word) = words.find(|word| deny.iter().any(|glob| glob.matches(word))) {
                let shown = String::from_utf8_lossy(word);
                let message = format!("code that is not understood names {shown:?}");
                let remedy = "use another program; programs.deny in the policy names this one";
                let span = Some(effect.span);
                return Some(reason("programs.deny", ReasonLayer::Programs, span, message, remedy));
            }
        }
        None
    }

    /// A denied program among the words of a program that nobody knows.
    fn wraps(&self, deny: &[Glob]) -> Option<String> {
        if !self.seen.marks.contains(&Mark::Uncatalogued) {
            return None;
        }
        let mut names = self.seen.words.iter().skip(1).filter_map(|word| word.known());
        let denied = |name: &&[u8]| deny.iter().any(|glob| glob.matches(base_name(name)));
        names.find(denied).map(|name| String::from_utf8_lossy(name).into_owned())
    }

    /// A program is on the list when a listed name leads to the same file; one that is not
    /// installed is judged by its name.
    fn is_listed(&self, list: &[Glob], word: &[u8], bench: &Bench<'_>) -> bool {
        let name = base_name(word);
        let matching = list.iter().any(|glob| glob.matches(name) || glob.matches(word));
        if self.seen.starts == Starts::Builtin {
            return matching;
        }
        if self.seen.starts == Starts::Elsewhere && !word.contains(&b'/') {
            return false;
        }
        if bench.policy.programs().known_by == KnownBy::Name {
            return list.iter().any(|glob| glob.matches(name));
        }
        let Some(program) = &self.seen.program else {
            return matching && !word.contains(&b'/');
        };
        let real = program.real.as_os_str().as_encoded_bytes();
        if list.iter().any(|glob| glob.matches(real)) {
            return true;
        }
        if !matching || !word.contains(&b'/') {
            return matching;
        }
        if is_system(&program.path) && is_system(&program.real) {
            return true;
        }
        let standard = bench.look.program(name, bench.places.cwd, &bench.search);
        standard.is_some_and(|it| it.real == program.real)
    }

    /// An allow that someone wrote. A path, or a `PATH` of the caller's, is not what they meant.
    fn said_yes(&self, bench: &Bench<'_>) -> bool {
        let plain = self.seen.program_word().is_some_and(|word| !word.contains(&b'/'));
        let changed = self.seen.starts == Starts::Elsewhere;
        if !plain || changed || bench.search != crate::scene::Search::Inherited {
            return false;
        }
        let rules = bench.policy.rules().iter().filter(|rule| rule.then == Then::Allow);
        let mut meets =
            rules.map(|rule| rule.meets(self.command, &self.seen.effects, bench.places));
        meets.any(|meets| meets == Meets::Yes)
            || self.first(&bench.policy.commands().allow, Meets::Yes).is_some()
    }

    /// Which program starts, or what code runs, is not known.
    fn unknown(&self, bench: &Bench<'_>, findings: &mut Findings) -> Option<(Weight, Reason)> {
        let program = self.command.names.is_empty() && !self.seen.words.is_empty();
        let code = self.seen.marks.iter().any(|mark| match mark {
            Mark::UnknownCode | Mark::NetworkCode => true,
            Mark::ForkBomb | Mark::Unreadable | Mark::Endless | Mark::Uncatalogued => false,
        });
        if !program && !code {
            return None;
        }
        // A list that only the judge holds says nothing about a program that it cannot see.
        let programs = bench.policy.programs();
        let contained = bench.policy.is_caged()
            && (programs.allow.list().is_none() || programs.held == Held::Kernel);
        let weight = match (bench.policy.unknown(), contained) {
            (Unknown::Deny, _) => Weight::Deny,
            (Unknown::Allow, _) if programs.allow.list().is_none() => return None,
            (Unknown::Ask | Unknown::Allow, _) | (Unknown::Caged, false) => Weight::Ask,
            (Unknown::Caged, true) => {
                findings.demand_cage();
                return None;
            }
        };
        let (message, remedy) = match program {
            true => (
                "which program starts here is not known before it runs",
                "name the program in plain words",
            ),
            false => (
                "the text that becomes code here is not known before it runs",
                "write the text out in plain words",
            ),
        };
        Some((weight, self.reason("unknown", ReasonLayer::Policy, message.into(), remedy)))
    }

    fn opaque(&self, bench: &Bench<'_>, findings: &mut Findings) -> Option<(Weight, Reason)> {
        let opaque = self.seen.effects.iter().find(|effect| effect.kind() == Kind::Opaque)?;
        let weight = match (bench.policy.opaque(), bench.policy.is_caged()) {
            (Opaque::Deny, _) => Weight::Deny,
            (Opaque::Ask, _) | (Opaque::Caged, false) => Weight::Ask,
            (Opaque::Allow, _) => return None,
            (Opaque::Caged, true) => {
                findings.demand_cage();
                return None;
            }
        };
        let called = self.seen.program_word().map_or("this".to_string(), |word| self.called(word));
        let message = format!("{called} runs code that the text does not show");
        let remedy = "run it in mode workspace, where the cage holds it, or set opaque = \"allow\"";
        let span = Some(opaque.span);
        Some((weight, reason("opaque", ReasonLayer::Policy, span, message, remedy)))
    }

    fn otherwise(&self, bench: &Bench<'_>) -> Option<(Weight, Reason)> {
        if self.seen.words.is_empty() {
            return None;
        }
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

    /// The program as written, and as what it really is where that differs.
    fn called(&self, word: &[u8]) -> String {
        let shown = String::from_utf8_lossy(word);
        match &self.seen.program {
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
        reason(rule, layer, Some(self.seen.span), message, remedy)
    }
}

fn guard_weight(guard: Guard, then: Then, meets: Meets) -> Option<Weight> {
    match (guard, then, meets) {
        (Guard::Off, _, _) | (_, Then::Allow, _) | (_, _, Meets::No) => None,
        (Guard::Deny, Then::Ask | Then::Deny, Meets::Yes | Meets::Perhaps) => Some(Weight::Deny),
        (Guard::Ask, Then::Deny, Meets::Yes) => Some(Weight::Deny),
        (Guard::Ask, Then::Deny, Meets::Perhaps) => Some(Weight::Ask),
        (Guard::Ask, Then::Ask, Meets::Yes) => Some(Weight::Ask),
        // What may be hard to take back by a reading of words that nobody knows is daily work.
        (Guard::Ask, Then::Ask, Meets::Perhaps) => None,
    }
}
