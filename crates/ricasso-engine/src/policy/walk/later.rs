//! Files that somebody runs although the text never says so: hooks, start-up files, and what a
//! project tells its own tools to run.

use super::super::know::{self, Act, Does};
use super::super::paths::Content;
use super::super::word::Word;
use super::Walker;
use super::command::Call;
use super::effects::Doing;
use super::reader::Reader;
use super::seen::Seen;
use std::path::Path;

/// Files that a shell runs when it starts or ends.
const STARTS: [&str; 12] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".envrc",
    "bash.bashrc",
];

/// Where make looks for its rules.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// A project's own file is read as far as this many of its commands.
const MAX_SCRIPTS: usize = 64;

impl Walker<'_> {
    /// What was written to a file that will be run: its text is walked as what comes later.
    pub(super) fn runs_later(&mut self, file: &Path, content: &Content) {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let hook = file.parent().is_some_and(|directory| directory.ends_with(".git/hooks"));
        if !hook && !STARTS.contains(&name) {
            return;
        }
        let (Content::Known(text) | Content::Partly(text)) = content else { return };
        let printed = std::mem::take(&mut self.printed);
        self.in_process(Reader::Either, |walker| {
            walker.state.parameters = None;
            walker.inner_fed(text, &super::Feed::unknown());
        });
        self.printed = printed;
    }

    /// What a project's own file, written by the text, tells its tool to run.
    pub(super) fn told_by_project(&mut self, seen: &mut Seen, call: &Call, doing: &mut Doing) {
        let make = ["make", "gmake"].iter().any(|name| seen.is_called(name.as_bytes()));
        let node = ["npm", "pnpm", "yarn", "bun"].iter().any(|it| seen.is_called(it.as_bytes()));
        if !make && !node {
            return;
        }
        let names: &[&str] = if make { &MAKEFILES } else { &["package.json"] };
        let mut acts = Vec::new();
        for directory in &doing.last {
            for name in names {
                let written = self.state.made.content(&directory.join(name));
                let Some(Content::Known(text) | Content::Partly(text)) = written else { continue };
                acts.extend(match make {
                    true => know::code(know::Language::Make, &Word::of(text.clone())),
                    false => scripts(text, seen),
                });
            }
        }
        self.acts_into(&acts, seen, call, doing, 1);
    }
}

/// The commands of `package.json` that the words ask for; all of them where that is not plain.
fn scripts(text: &[u8], seen: &Seen) -> Vec<Act> {
    let parsed: Option<serde_json::Value> = serde_json::from_slice(text).ok();
    let parsed = parsed.as_ref().and_then(|it| it.get("scripts")?.as_object());
    let named = |name: &str| {
        let own = |word: &Word| {
            word.known().is_none_or(|word| {
                let plain = name.strip_prefix("pre").or_else(|| name.strip_prefix("post"));
                [Some(name), plain].into_iter().flatten().any(|it| it.as_bytes() == word)
            })
        };
        seen.words.iter().skip(1).any(own)
            // These run while packages are installed.
            || matches!(name, "preinstall" | "install" | "postinstall" | "prepare")
    };
    let wanted = parsed.into_iter().flatten().filter(|(name, _)| named(name)).take(MAX_SCRIPTS);
    let texts = wanted.filter_map(|(_, value)| value.as_str());
    texts.map(|text| Act::with(Does::RunText, &Word::of(text), 0)).collect()
}
