//! Files and flags laid over each other, from the built-in preset up. Pure: texts in, policy out.
//!
//! A later file overrides or adds; the project's file and locked keys may only tighten. An empty
//! list of layers is the preset `workspace`, never "no limits".

use super::Error;
use super::error::Place;
use super::file::File;
use super::layered::Layered;
use super::lint;
use super::merge::{Keep, Lock, Merge, Setting, covers, shown};
use super::preset::{self, Preset};
use super::sections;
use super::settled::{Policy, Settled};
use super::text::{PathText, Roots};
use super::value::{Mode, Reach};
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// Who wrote a layer; later ones are laid over earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Origin {
    /// Built in.
    Preset,
    /// The machine's file, under /etc.
    Machine,
    /// The user's file.
    User,
    /// The file in the workspace, which may only tighten.
    Project,
    /// The person who starts ricasso.
    Flags,
}

/// One file's text, with where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// Who wrote it.
    pub origin: Origin,
    /// The file's name, for messages.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// What the person who starts ricasso chooses, within the ceiling.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overrides {
    /// Puts this preset under the files and sets its mode.
    pub mode: Option<Mode>,
    /// How far the network reaches.
    pub net: Option<Reach>,
    /// More writable roots, absolute.
    pub write: Vec<String>,
    /// Whether a contract's keys decide: of the machine's and the user's file only limits,
    /// redaction, record, jobs and every deny hold then.
    pub dialect: bool,
}

/// Everything that a policy is made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Source {
    layers: Vec<Layer>,
    overrides: Overrides,
}

/// What a file says that it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extends {
    /// Nothing; the default preset.
    Nothing,
    /// A built-in preset.
    Preset(Preset),
    /// A file beside it; the door opens it and puts it, with the same origin, right before.
    File(String),
}

/// What a file's text extends, so that a door knows whether to open another one.
pub fn extends(layer: &Layer) -> Result<Extends, Error> {
    Ok(extends_of(&File::read(&layer.name, &layer.text)?))
}

fn extends_of(file: &File) -> Extends {
    match file.extends.as_ref().map(|name| name.get_ref().as_str()) {
        None => Extends::Nothing,
        Some(name) => match Preset::named(name) {
            Some(preset) => Extends::Preset(preset),
            None => Extends::File(name.to_string()),
        },
    }
}

impl Policy {
    /// Lays the files over the built-in preset, in the order given, then the flags.
    pub fn from_layers(layers: &[Layer], overrides: &Overrides) -> Result<Policy, Error> {
        let stack = Stack::build(layers, overrides)?;
        let mut laying =
            Laying { settled: Settled::tightest(), settings: Vec::new(), locks: Vec::new() };
        let shared = preset::shared();
        laying.lay(&shared, File::read(&shared.name, &shared.text)?)?;
        for (layer, mut file) in stack.layers {
            if overrides.dialect && matches!(layer.origin, Origin::Machine | Origin::User) {
                file.keep_what_limits();
            }
            laying.lay(&layer, file)?;
        }
        for (place, mode) in stack.asked {
            below_ceiling(place, mode, laying.settled.general.ceiling)?;
        }
        laying.lay_flags(overrides)?;
        let source = Source { layers: layers.to_vec(), overrides: overrides.clone() };
        Ok(Policy::seal(laying.settled, laying.settings, source))
    }

    /// Whether a contract's keys decide, and of other files only what limits holds.
    pub fn follows_a_dialect(&self) -> bool {
        self.source().overrides.dialect
    }

    /// What it was made from, as JSON: enough to make it again, for the record.
    pub fn write_down(&self) -> Vec<u8> {
        serde_json::to_vec(self.source()).expect("layers are texts, and flags are words")
    }

    /// Makes a policy again from what [`Policy::write_down`] gave. Its digest tells whether it is
    /// the same: the built-in rules may have changed with the version.
    pub fn read_back(json: &[u8]) -> Result<Policy, Error> {
        let source: Source = serde_json::from_slice(json)
            .map_err(|error| Error::NotKept { problem: error.to_string() })?;
        Policy::from_layers(&source.layers, &source.overrides)
    }

    /// A built-in preset alone.
    pub fn preset(preset: Preset) -> Policy {
        Policy::from_layers(&[preset.layer()], &Overrides::default())
            .expect("every preset is loaded by a test")
    }
}

/// All layers in order, presets put where they belong.
struct Stack {
    layers: Vec<(Layer, File)>,
    asked: Vec<(Place, Mode)>,
}

impl Stack {
    fn build(layers: &[Layer], overrides: &Overrides) -> Result<Self, Error> {
        let mut stack = Stack { layers: Vec::new(), asked: Vec::new() };
        if layers.first().is_none_or(|layer| layer.origin != Origin::Preset) {
            stack.put_under(Preset::Workspace)?;
        }
        for layer in layers {
            let file = File::read(&layer.name, &layer.text)?;
            stack.put_extended(layer, &file)?;
            stack.layers.push((layer.clone(), file));
        }
        if let Some(mode) = overrides.mode {
            stack.put_under(Preset::of(mode))?;
        }
        Ok(stack)
    }

    fn put_extended(&mut self, layer: &Layer, file: &File) -> Result<(), Error> {
        let at = file.extends.as_ref().map_or(0, |name| name.span().start);
        let place = Place::at(&layer.name, &layer.text, at);
        let extended = extends_of(file);
        if layer.origin == Origin::Project && extended != Extends::Nothing {
            let remedy = "a project's file may only tighten; write mode = \"read\" instead".into();
            return Err(Error::NotHere { place, key: "extends".into(), remedy });
        }
        match extended {
            Extends::Nothing => Ok(()),
            Extends::Preset(preset) => {
                self.asked.push((place, preset.mode()));
                self.put_under(preset)
            }
            Extends::File(name) => match self.layers.last() {
                Some((before, _))
                    if before.origin == layer.origin && before.name.ends_with(&name) =>
                {
                    Ok(())
                }
                Some(_) | None => Err(Error::Extends { place, name }),
            },
        }
    }

    /// Puts a preset under all files, or right above the last one that locks keys, so that the
    /// locks hold against it too.
    fn put_under(&mut self, preset: Preset) -> Result<(), Error> {
        let layer = preset.layer();
        let file = File::read(&layer.name, &layer.text)?;
        match self.layers.iter().rposition(|(_, file)| file.locked.is_some()) {
            Some(at) => self.layers.insert(at + 1, (layer, file)),
            None => {
                self.layers.retain(|(layer, _)| layer.origin != Origin::Preset);
                self.layers.insert(0, (layer, file));
            }
        }
        Ok(())
    }
}

struct Laying {
    settled: Settled,
    settings: Vec<Setting>,
    locks: Vec<Lock>,
}

impl Laying {
    fn lay(&mut self, layer: &Layer, mut file: File) -> Result<(), Error> {
        lint::file(layer, &file)?;
        let mode = file.own_mode();
        let sets_ceiling = file.ceiling.is_some();
        let settled = &mut self.settled;
        lint::shadows(layer, &file, &settled.commands)?;
        let mut merge = Merge { layer, locks: &self.locks, settings: &mut self.settings };
        settled.general.lay(file.take_general(), &mut merge)?;
        settled.files.lay(file.files, &mut merge)?;
        settled.net.lay(file.net, &mut merge)?;
        settled.programs.lay(file.programs, &mut merge)?;
        settled.commands.lay(file.commands, &mut merge)?;
        settled.guards.lay(file.guards, &mut merge)?;
        settled.env.lay(file.env, &mut merge)?;
        settled.limits.lay(file.limits, &mut merge)?;
        settled.jobs.lay(file.jobs, &mut merge)?;
        settled.redact.lay(file.redact, &mut merge)?;
        settled.hook.lay(file.hook, &mut merge)?;
        settled.record.lay(file.record, &mut merge)?;
        merge.rules(&mut settled.rules, file.rules)?;
        for pattern in file.patterns {
            merge.note("patterns", pattern.get_ref(), pattern.span().start, Keep::Earlier);
            if !settled.patterns.contains(pattern.get_ref()) {
                settled.patterns.push(pattern.into_inner());
            }
        }
        if let Some(dialect) = file.dialect {
            settled.dialect.extend(dialect.into_inner());
        }
        self.lock(layer, file.locked.as_ref(), sets_ceiling)?;
        let ceiling = self.settled.general.ceiling;
        match mode {
            Some(mode) if layer.origin != Origin::Preset => {
                below_ceiling(Place::start(&layer.name), mode, ceiling)
            }
            Some(_) | None => {
                self.settled.general.mode = self.settled.general.mode.min(ceiling);
                Ok(())
            }
        }
    }

    fn lock(
        &mut self,
        layer: &Layer,
        locked: Option<&Spanned<Vec<String>>>,
        sets_ceiling: bool,
    ) -> Result<(), Error> {
        let file = layer.name.clone();
        if sets_ceiling {
            self.locks.push(Lock { key: "ceiling".into(), file: file.clone() });
        }
        for key in locked.into_iter().flat_map(Spanned::get_ref) {
            let known = sections::keys().any(|known| covers(key, known));
            if !known {
                let at = locked.map_or(0, |list| list.span().start);
                let place = Place::at(&layer.name, &layer.text, at);
                let keys = sections::keys().collect::<Vec<_>>().join(", ");
                return Err(Error::UnknownKey { place, key: key.clone(), keys });
            }
            self.locks.push(Lock { key: key.clone(), file: file.clone() });
        }
        Ok(())
    }

    fn lay_flags(&mut self, flags: &Overrides) -> Result<(), Error> {
        let place = |flag: &str| Place::start(flag);
        let ceiling = self.settled.general.ceiling;
        if let Some(mode) = flags.mode {
            below_ceiling(place("--mode"), mode, ceiling)?;
            self.unlocked("--mode", "mode", &self.settled.general.mode, &mode)?;
            self.settled.general.mode = mode;
            self.note_flag("mode", &mode);
        }
        if self.settled.general.mode == Mode::Read {
            self.settled.files.write = Roots::none();
        }
        if let Some(net) = flags.net {
            let held = self.settled.net.allow;
            if held.widened_by(&net) && ceiling != Mode::Open {
                let (asked, ceiling) = (format!("net {}", net.name()), ceiling.name().into());
                return Err(Error::AboveCeiling { place: place("--net"), asked, ceiling });
            }
            self.unlocked("--net", "net.allow", &held, &net)?;
            self.settled.net.allow = net;
            self.note_flag("net.allow", &net);
        }
        flags.write.iter().try_for_each(|root| self.lay_write(root))
    }

    fn lay_write(&mut self, root: &str) -> Result<(), Error> {
        let place = Place::start("--write");
        let path = match PathText::try_from(root.to_string()) {
            Ok(path) if root.starts_with('/') => path,
            Ok(_) | Err(_) => {
                let problem = format!("{root:?} is no root");
                let remedy = "give an absolute path without ..".into();
                return Err(Error::BadValue { place, key: "files.write".into(), problem, remedy });
            }
        };
        let held = self.settled.files.write.clone();
        let mut more = held.clone();
        more.push(path);
        let ceiling = self.settled.general.ceiling;
        if held.widened_by(&more) && ceiling != Mode::Open {
            let (asked, ceiling) = (format!("writing to {root}"), ceiling.name().into());
            return Err(Error::AboveCeiling { place, asked, ceiling });
        }
        self.unlocked("--write", "files.write", &held, &more)?;
        self.note_flag("files.write", &more);
        self.settled.files.write = more;
        Ok(())
    }

    fn unlocked<T: Layered>(&self, flag: &str, key: &str, held: &T, new: &T) -> Result<(), Error> {
        match self.locks.iter().find(|lock| covers(&lock.key, key)) {
            Some(lock) if held.widened_by(new) => Err(Error::Widens {
                place: Place::start(flag),
                key: key.to_string(),
                held: shown(held),
                by: format!("since {} locks it, a flag", lock.file),
            }),
            Some(_) | None => Ok(()),
        }
    }

    fn note_flag<T: Serialize>(&mut self, key: &str, value: &T) {
        let layer = Layer { origin: Origin::Flags, name: "flags".to_string(), text: String::new() };
        let mut merge = Merge { layer: &layer, locks: &[], settings: &mut self.settings };
        merge.note(key, value, 0, Keep::Nothing);
    }
}

fn below_ceiling(place: Place, mode: Mode, ceiling: Mode) -> Result<(), Error> {
    if mode > ceiling {
        let asked = format!("mode {}", mode.name());
        return Err(Error::AboveCeiling { place, asked, ceiling: ceiling.name().into() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Limit, Preset, Shell, Tmp, Unknown};
    use super::*;
    use std::time::Duration;

    fn layer(origin: Origin, text: &str) -> Layer {
        Layer { origin, name: format!("{origin:?}.toml"), text: text.to_string() }
    }

    fn load(layers: &[(Origin, &str)], flags: &Overrides) -> Result<Policy, Error> {
        let layers: Vec<Layer> = layers.iter().map(|(origin, text)| layer(*origin, text)).collect();
        Policy::from_layers(&layers, flags)
    }

    fn user(text: &str) -> Policy {
        load(&[(Origin::User, text)], &Overrides::default()).unwrap()
    }

    fn refused(layers: &[(Origin, &str)]) -> String {
        load(layers, &Overrides::default()).unwrap_err().to_string()
    }

    #[test]
    fn every_preset_loads_and_sets_every_key() {
        for preset in Preset::ALL {
            let policy = Policy::preset(preset);
            assert_eq!(policy.mode(), preset.mode());
            let set: Vec<&str> = policy.settings().iter().map(|s| s.key.as_str()).collect();
            let missing: Vec<&str> = sections::keys().filter(|key| !set.contains(key)).collect();
            // The ceiling and some lists are there only when somebody sets them.
            let lists =
                ["files.cwd", "programs.allow", "commands.only", "guards.rules", "guards.git_only"];
            assert!(
                missing.iter().all(|key| *key == "ceiling" || lists.contains(key)),
                "{missing:?}"
            );
        }
    }

    #[test]
    fn every_built_in_rule_keeps_its_own_examples() {
        let presets = Preset::ALL.map(Policy::preset);
        for rule in presets.iter().flat_map(Policy::rules) {
            lint::examples(Place::start("presets"), rule).unwrap();
            assert!(!rule.must_match.is_empty() && !rule.must_not_match.is_empty(), "{}", rule.id);
        }
    }

    #[test]
    fn nothing_at_all_is_the_workspace_preset() {
        let policy = load(&[], &Overrides::default()).unwrap();
        assert_eq!(policy.digest(), Policy::preset(Preset::Workspace).digest());
        assert_eq!(user("").digest(), policy.digest());
        assert_eq!(policy.limits().timeout, Limit::At(Duration::from_secs(600)));
        assert_eq!((policy.shell(), policy.tmp()), (&Shell::Bash, Tmp::Session));
    }

    #[test]
    fn later_files_override_scalars_and_add_to_lists() {
        let layers = [
            (Origin::Machine, "[limits]\ntimeout = '1m'\n[files]\nhide = ['/srv/keys']"),
            (Origin::User, "[limits]\ntimeout = '2m'\n[programs]\ndeny = ['nc']"),
            (Origin::Project, "[programs]\ndeny = ['wget']\n[limits]\ntimeout = '30s'"),
        ];
        let policy = load(&layers, &Overrides::default()).unwrap();
        assert_eq!(policy.limits().timeout, Limit::At(Duration::from_secs(30)));
        let deny: Vec<&str> = policy.programs().deny.iter().map(|glob| glob.as_str()).collect();
        assert_eq!(deny, ["nc", "wget"]);
        assert!(policy.files().hide.iter().any(|path| path.as_str() == "/srv/keys"));
        assert!(policy.files().hide.iter().any(|path| path.as_str() == "~/.ssh"));
        let timeout: Vec<_> =
            policy.settings().iter().filter(|s| s.key == "limits.timeout").collect();
        assert_eq!((timeout.len(), timeout[0].origin, timeout[0].line), (1, Origin::Project, 4));
    }

    #[test]
    fn a_project_may_only_tighten() {
        let widening = [
            ("mode = 'open'", "mode"),
            ("unknown = 'caged'\nopaque = 'allow'", "opaque"),
            ("shell = '/tmp/sh'", "shell"),
            ("tmp = 'host'", "tmp"),
            ("partial = ['net']", "partial"),
            ("[files]\nwrite = ['/etc']", "files.write"),
            ("[files]\nshow = ['~/.aws']", "files.show"),
            ("[net]\nallow = 'open'", "net.allow"),
            ("[net]\nsockets = ['/run/x']", "net.sockets"),
            ("[commands]\nallow = ['git push *']", "commands.allow"),
            ("[guards]\ndestructive = 'off'", "guards.destructive"),
            ("[env]\npass = ['GH_TOKEN']", "env.pass"),
            ("[env]\nset = { PATH = '/tmp' }", "env.set"),
            ("[limits]\ntimeout = '2h'", "limits.timeout"),
            ("[limits]\nmemory = 'off'", "limits.memory"),
            ("[limits]\nprocesses = 5000", "limits.processes"),
            ("[hook]\napprove = true", "hook.approve"),
            ("[record]\nretain = '1d'", "record.retain"),
            ("extends = 'open'", "extends"),
            ("locked = ['mode']", "locked"),
            ("[dialect.bash]\nx = 1", "dialect"),
            ("[[rules]]\nid = 'x'\nthen = 'allow'\nprogram = 'a'\nwhy = 'b'", "rules.x"),
        ];
        for (text, key) in widening {
            let error = refused(&[(Origin::Project, text)]);
            assert!(error.starts_with("Project.toml:"), "{error}");
            assert!(error.contains(&format!(": {key} ")), "{text:?} gives {error}");
        }
    }

    #[test]
    fn a_project_that_tightens_is_obeyed() {
        let text = "mode = 'read'\nopaque = 'deny'\nunknown = 'deny'\n[net]\nallow = 'none'\n\
                    [limits]\nidle = '5s'\n[programs]\nallow = ['git']";
        let policy = load(&[(Origin::Project, text)], &Overrides::default()).unwrap();
        assert_eq!((policy.mode(), policy.unknown()), (Mode::Read, Unknown::Deny));
        assert!(policy.files().write.is_empty());
        assert_eq!(policy.programs().allow.list().map(<[_]>::len), Some(1));
        let smaller = load(&[(Origin::Project, "[files]\nwrite = ['src']")], &Overrides::default());
        assert_eq!(smaller.unwrap().files().write[0].as_str(), "src");
    }

    #[test]
    fn locked_keys_hold_against_files_presets_and_flags() {
        let machine = (Origin::Machine, "locked = ['net', 'limits.timeout']");
        let error = refused(&[machine, (Origin::User, "[net]\nallow = 'open'")]);
        assert!(error.contains("net.allow") && error.contains("Machine.toml locks it"), "{error}");
        let error = refused(&[machine, (Origin::User, "extends = 'open'")]);
        assert!(error.contains("net.allow"), "{error}");
        let flags = Overrides { net: Some(Reach::Open), ..Overrides::default() };
        assert!(load(&[machine], &flags).unwrap_err().to_string().starts_with("--net"));
        let tighter = [machine, (Origin::User, "[net]\nallow = 'none'")];
        assert_eq!(load(&tighter, &Overrides::default()).unwrap().net().allow, Reach::None);
        let error = refused(&[(Origin::Machine, "locked = ['nett']")]);
        assert!(error.contains("nett is no key"), "{error}");
    }

    #[test]
    fn the_ceiling_holds_against_files_presets_and_flags() {
        let low = (Origin::Machine, "ceiling = 'workspace'");
        assert!(refused(&[low, (Origin::User, "mode = 'open'")]).contains("beyond the ceiling"));
        assert!(refused(&[low, (Origin::User, "extends = 'open'")]).contains("beyond the ceiling"));
        assert!(refused(&[low, (Origin::User, "ceiling = 'open'")]).contains("ceiling"));
        for flags in [
            Overrides { mode: Some(Mode::Open), ..Overrides::default() },
            Overrides { net: Some(Reach::Open), ..Overrides::default() },
            Overrides { write: vec!["/srv".into()], ..Overrides::default() },
        ] {
            let error = load(&[low], &flags).unwrap_err();
            assert!(matches!(error, Error::AboveCeiling { .. }), "{error}");
        }
        let lowest = load(&[(Origin::User, "ceiling = 'read'")], &Overrides::default()).unwrap();
        assert_eq!(lowest.mode(), Mode::Read);
    }

    #[test]
    fn flags_choose_within_the_ceiling() {
        let flags = Overrides {
            mode: Some(Mode::Read),
            net: Some(Reach::Loopback),
            write: vec!["/srv/out".into()],
            ..Overrides::default()
        };
        let policy = load(&[(Origin::User, "[files]\nwrite = ['.', '/x']")], &flags).unwrap();
        assert_eq!((policy.mode(), policy.net().allow), (Mode::Read, Reach::Loopback));
        let write: Vec<&str> = policy.files().write.iter().map(|path| path.as_str()).collect();
        assert_eq!(write, ["/srv/out"]);
        let open = Overrides { mode: Some(Mode::Open), ..Overrides::default() };
        let policy = load(&[], &open).unwrap();
        assert_eq!(policy.digest(), Policy::preset(Preset::Open).digest());
        let relative = Overrides { write: vec!["out".into()], ..Overrides::default() };
        assert!(load(&[], &relative).is_err());
    }

    #[test]
    fn what_a_file_extends_lies_under_it() {
        assert_eq!(user("extends = 'read'").mode(), Mode::Read);
        let base = layer(Origin::User, "[limits]\ntimeout = '9s'");
        let base = Layer { name: "/home/u/base.toml".into(), ..base };
        let top = layer(Origin::User, "extends = 'base.toml'");
        assert_eq!(extends(&top).unwrap(), Extends::File("base.toml".into()));
        let policy = Policy::from_layers(&[base, top.clone()], &Overrides::default()).unwrap();
        assert_eq!(policy.limits().timeout, Limit::At(Duration::from_secs(9)));
        let error = Policy::from_layers(&[top], &Overrides::default()).unwrap_err();
        assert!(matches!(error, Error::Extends { .. }), "{error}");
    }

    #[test]
    fn rules_are_held_to_their_examples_and_must_be_able_to_count() {
        let rule = "[[rules]]\nid = 'x'\nthen = 'deny'\nprogram = 'a'\nwhy = 'b'\n";
        let cases = [
            (format!("{rule}must_match = ['c']"), "breaks its own must_match \"c\""),
            (format!("{rule}must_not_match = ['env a']"), "must_not_match \"env a\""),
            (format!("{rule}{}", rule.replace("'x'", "'y'")), "y never counts"),
            (format!("{rule}{}", rule.replace("'a'", "'z'")), "\"x\" is taken"),
            (format!("{rule}effect = 'reads'"), "no kind of effect"),
            (rule.replace("program = 'a'\n", ""), "names no condition"),
            (
                format!("{rule}subcommand = 'b'\nmust_match = ['a -x b']").replace("deny", "allow"),
                "must_match \"a -x b\"",
            ),
            ("[commands]\nallow = ['a b']\ndeny = ['a b']".into(), "\"a b\" never counts"),
            ("[commands]\nask = ['a b -f *']\ndeny = ['a b *']".into(), "a deny, \"a b *\","),
            ("[commands]\nallow = ['ab c']\nask = ['a* *']".into(), "\"ab c\" never counts"),
            ("mode = 'read'\n[files]\nwrite = ['.']".into(), "mode read writes nothing"),
        ];
        for (text, part) in cases {
            let error = refused(&[(Origin::User, &text)]);
            assert!(error.contains(part), "{text:?} gives {error}");
        }
    }
}
