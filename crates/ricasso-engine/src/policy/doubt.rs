//! What a policy says that will not do what its writer may think: interpreters on a list, rules
//! that never apply, keys that nothing holds in this mode.
//!
//! A doubt is advice for a person; it must never change a verdict.

use super::guard;
use super::layers::Origin;
use super::pattern::CommandPattern;
use super::settled::Policy;
use super::text::{Glob, glob};
use super::unit::Limit;
use super::value::{Mode, Partial};

/// Programs that run any code they are given, so that a list which names them bounds nothing.
const INTERPRETERS: &str = "\
     sh bash dash zsh ksh fish busybox python* pypy* node nodejs deno bun ruby* perl* \
     php* lua* Rscript java awk gawk mawk sed find xargs env make gmake npm npx pnpm yarn \
     cargo go gradle mvn rake just vim vi emacs gdb docker podman ssh sudo doas su tmux \
     screen git";

/// One piece of advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// The key that it is about.
    pub key: String,
    /// What will not happen as written.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl Policy {
    /// Everything in this policy that a person should look at again.
    pub fn doubts(&self) -> Vec<Doubt> {
        let mut doubts = Vec::new();
        self.interpreters(&mut doubts);
        self.never(&mut doubts);
        self.unheld(&mut doubts);
        self.limits_that_cross(&mut doubts);
        doubts
    }

    fn interpreters(&self, doubts: &mut Vec<Doubt>) {
        let listed = self.programs().allow.list().unwrap_or_default();
        for name in listed.iter().map(Glob::as_str) {
            let base = name.rsplit('/').next().unwrap_or(name);
            let runs = |pattern: &str| glob(pattern.as_bytes(), base.as_bytes());
            if INTERPRETERS.split_whitespace().any(runs) {
                let message = format!("{name} runs code and other programs that it is given");
                let remedy = "the list still bounds which files start; set opaque to \"ask\" or \
                              \"deny\", or take it off the list";
                doubts.push(doubt("programs.allow", message, remedy));
            }
        }
    }

    /// Rules and patterns that another key makes idle.
    fn never(&self, doubts: &mut Vec<Doubt>) {
        let commands = self.commands();
        let lists = [
            ("commands.allow", &commands.allow[..]),
            ("commands.ask", &commands.ask[..]),
            ("commands.deny", &commands.deny[..]),
        ];
        for (key, patterns) in lists {
            for pattern in patterns {
                let what = format!("the pattern {:?}", pattern.as_str());
                doubts.extend(self.idle(key, &what, program_of(pattern)));
            }
        }
        for rule in self.rules().iter().filter(|rule| rule.guard.is_none()) {
            let names = rule.program.globs();
            let idle: Vec<Doubt> = names
                .iter()
                .filter_map(|name| {
                    self.idle("rules", &format!("the rule {}", rule.id), name.as_str())
                })
                .collect();
            if !names.is_empty() && idle.len() == names.len() {
                doubts.extend(idle.into_iter().next());
            }
        }
        for wanted in self.guards().rules.list().unwrap_or_default() {
            let known = self.rules().iter().any(|rule| wanted.matches(rule.id.as_bytes()))
                || guard::RULES.iter().any(|id| wanted.matches(id.as_bytes()));
            if !known {
                let message = format!("no rule of the guard is called {:?}", wanted.as_str());
                doubts.push(doubt("guards.rules", message, "mend the name or take it off"));
            }
        }
    }

    fn idle(&self, key: &str, what: &str, program: &str) -> Option<Doubt> {
        if program.contains(['*', '?', '[']) {
            return None;
        }
        let programs = self.programs();
        let meets = |list: &[Glob]| list.iter().any(|glob| glob.matches(program.as_bytes()));
        if meets(&programs.deny) {
            let message = format!("{what} never applies: programs.deny names {program}");
            return Some(doubt(key, message, "remove one of them"));
        }
        match programs.allow.list() {
            Some(list) if !meets(list) && !list.iter().any(|one| base(one) == program) => {
                let message = format!("{what} never applies: programs.allow lacks {program}");
                Some(doubt(key, message, "add the program to the list, or remove the rule"))
            }
            Some(_) | None => None,
        }
    }

    fn unheld(&self, doubts: &mut Vec<Doubt>) {
        if self.mode() == Mode::Open {
            let written = self.settings().iter().filter(|one| one.origin != Origin::Preset);
            let caged = |key: &str| {
                key.starts_with("files.") || key.starts_with("net.") || key.starts_with("programs.")
            };
            let mut keys: Vec<&str> =
                written.map(|one| one.key.as_str()).filter(|key| caged(key)).collect();
            keys.dedup();
            for key in keys {
                let message = "mode open has no cage: only what the text shows is judged by it";
                let remedy = match key {
                    "programs.deny" => {
                        "choose mode workspace or read, and a list in programs.allow"
                    }
                    _ => "choose mode workspace or read, where the kernel holds it",
                };
                doubts.push(doubt(key, message.into(), remedy));
            }
        }
        let programs = self.programs();
        let by_text = !programs.deny.is_empty() && programs.allow.list().is_none();
        if self.mode() != Mode::Open && by_text {
            let message = "without a list in programs.allow the kernel starts any program: \
                           only what the text shows is judged by it";
            let remedy = "write programs.allow; what programs.deny names is taken out of it";
            doubts.push(doubt("programs.deny", message.into(), remedy));
        }
        for pattern in self.patterns() {
            let message = format!(
                "the regex {:?} reads letters: another spelling of the same command passes it",
                pattern.regex.as_str()
            );
            doubts.push(doubt("patterns", message, "write a rule or a command pattern as well"));
        }
        match self.partial() {
            Partial::Refuse => {}
            Partial::May(parts) if parts.is_empty() => {}
            Partial::May(parts) => {
                let message = format!("on a weak host {} may be missing", parts.join(", "));
                let remedy = "write partial = \"refuse\" to refuse instead";
                doubts.push(doubt("partial", message, remedy));
            }
        }
    }

    fn limits_that_cross(&self, doubts: &mut Vec<Doubt>) {
        let limits = self.limits();
        if let (Limit::At(usual), Limit::At(most)) = (limits.timeout, limits.max_timeout)
            && usual > most
        {
            let message = "the usual deadline is longer than the longest one, which cuts it";
            doubts.push(doubt("limits.timeout", message.into(), "make it max_timeout or less"));
        }
    }
}

fn doubt(key: &str, message: String, remedy: &str) -> Doubt {
    Doubt { key: key.to_string(), message, remedy: remedy.to_string() }
}

fn program_of(pattern: &CommandPattern) -> &str {
    pattern.as_str().split_whitespace().next().unwrap_or_default()
}

fn base(glob: &Glob) -> &str {
    glob.as_str().rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{Layer, Overrides, Preset};
    use super::*;

    fn doubts(text: &str) -> Vec<(String, String)> {
        let name = "f.toml".to_string();
        let layer = Layer { origin: Origin::User, name, text: text.to_string() };
        let policy = Policy::from_layers(&[layer], &Overrides::default()).unwrap();
        policy.doubts().into_iter().map(|doubt| (doubt.key, doubt.message)).collect()
    }

    #[test]
    fn a_preset_that_people_choose_has_no_doubts() {
        for preset in [Preset::Read, Preset::Workspace, Preset::Open] {
            assert_eq!(Policy::preset(preset).doubts(), [], "{}", preset.name());
        }
    }

    #[test]
    fn what_will_not_do_as_written_is_told() {
        let cases = [
            ("[programs]\nallow = ['python3', 'ls']", "programs.allow", "python3 runs code"),
            (
                "[programs]\nallow = ['ls']\n[commands]\nask = ['cat *']",
                "commands.ask",
                "lacks cat",
            ),
            ("[programs]\ndeny = ['nc']\n[commands]\nask = ['nc *']", "commands.ask", "names nc"),
            (
                "[programs]\ndeny = ['nc']\n[[rules]]\nid = 'x'\nthen = 'ask'\nprogram = 'nc'\nwhy = 'y'",
                "rules",
                "the rule x never applies",
            ),
            ("[guards]\nrules = ['nothing-like-it']", "guards.rules", "no rule of the guard"),
            ("extends = 'open'\n[files]\nhide = ['/srv']", "files.hide", "no cage"),
            ("[[patterns]]\nregex = 'a'\nwhy = 'b'", "patterns", "another spelling"),
            ("partial = ['net']", "partial", "net may be missing"),
            ("[limits]\ntimeout = '2h'", "limits.timeout", "longer than the longest"),
        ];
        for (text, key, part) in cases {
            let found = doubts(text);
            assert!(
                found.iter().any(|(about, message)| about == key && message.contains(part)),
                "{text:?} gives {found:?}"
            );
        }
        assert_eq!(doubts("[programs]\nallow = ['ls', 'cat']\n[commands]\nask = ['ls *']"), []);
    }
}
