//! Which files are run or obeyed later by programs that nobody asked: a table of names. Pure.
//!
//! Sources that a build reads (`Makefile`, `package.json`, `build.rs`) are not in it: they are the
//! work itself, and whoever builds asks for them.

use std::path::{Component, Path};

/// One row: the last names of a path, and what happens. `*` stands for any beginning of a name.
type Row = (&'static [&'static str], &'static str);

pub(super) const GIT: &str = "git obeys it, and it can name programs to run";
/// Git takes hooks and settings from the directory that it names.
pub(super) const ELSEWHERE: &str = "git takes its hooks and settings from where it leads";
pub(super) const HOOK: &str = "git runs it";
pub(super) const PROTECTED: &str = "the policy protects it";
const SHELL: &str = "a shell runs it when it starts here";
const HARNESS: &str = "an agent's harness obeys it";
const EDITOR: &str = "an editor obeys it, and it can name programs to run";
const TOOL: &str = "a tool obeys it, and it can name programs to run";
const CI: &str = "a build server runs it once it is pushed";
const OURS: &str = "ricasso obeys it";

/// Compared in lower case, so that a file system that does not tell cases apart fools nobody.
const ROWS: &[Row] = &[
    (&[".git", "hooks", "*"], HOOK),
    (&[".git", "config"], GIT),
    (&[".git", "config.worktree"], GIT),
    (&[".git", "info", "attributes"], GIT),
    (&[".git", "commondir"], ELSEWHERE),
    (&[".gitconfig"], GIT),
    (&[".gitmodules"], GIT),
    (&[".hg", "hgrc"], TOOL),
    (&[".husky", "*"], HOOK),
    (&[".ricasso.toml"], OURS),
    (&[".envrc"], SHELL),
    (&[".bashrc"], SHELL),
    (&[".bash_profile"], SHELL),
    (&[".bash_login"], SHELL),
    (&[".bash_logout"], SHELL),
    (&[".bash_aliases"], SHELL),
    (&[".profile"], SHELL),
    (&[".zshrc"], SHELL),
    (&[".zshenv"], SHELL),
    (&[".zprofile"], SHELL),
    (&[".zlogin"], SHELL),
    (&[".zlogout"], SHELL),
    (&[".kshrc"], SHELL),
    (&[".cshrc"], SHELL),
    (&[".tcshrc"], SHELL),
    (&[".login"], SHELL),
    (&[".inputrc"], SHELL),
    (&[".xprofile"], SHELL),
    (&[".xinitrc"], SHELL),
    (&[".xsession"], SHELL),
    (&[".xsessionrc"], SHELL),
    (&[".pam_environment"], SHELL),
    (&["mise.toml"], SHELL),
    (&[".mise.toml"], SHELL),
    (&["fish", "config.fish"], SHELL),
    (&[".mcp.json"], HARNESS),
    (&[".claude", "settings.json"], HARNESS),
    (&[".claude", "settings.local.json"], HARNESS),
    (&[".claude", "hooks", "*"], HARNESS),
    (&[".claude", "commands", "*"], HARNESS),
    (&[".claude", "agents", "*"], HARNESS),
    (&[".claude", "skills", "*", "*"], HARNESS),
    (&[".codex", "*"], HARNESS),
    (&[".claude", "plugins", "*"], HARNESS),
    (&["claude.local.md"], HARNESS),
    (&["agents.override.md"], HARNESS),
    (&[".agents", "*"], HARNESS),
    (&[".agents", "*", "*"], HARNESS),
    (&[".agents", "skills", "*", "*"], HARNESS),
    (&[".kilocode", "mcp.json"], HARNESS),
    (&[".kilocode", "*", "*"], HARNESS),
    (&[".junie", "*"], HARNESS),
    (&[".junie", "mcp", "*"], HARNESS),
    (&[".qwen", "settings.json"], HARNESS),
    (&["qwen.md"], HARNESS),
    (&[".crush.json"], HARNESS),
    (&["crush.json"], HARNESS),
    (&["crush.md"], HARNESS),
    (&[".windsurf", "*", "*"], HARNESS),
    (&[".clinerules", "*"], HARNESS),
    (&[".clinerules", "*", "*"], HARNESS),
    (&[".roomodes"], HARNESS),
    (&[".roo", "*", "*"], HARNESS),
    (&[".augment", "*", "*"], HARNESS),
    (&[".goosehints"], HARNESS),
    (&[".kiro", "*", "*"], HARNESS),
    (&[".roo", "mcp.json"], HARNESS),
    (&[".amazonq", "mcp.json"], HARNESS),
    (&[".continue", "config.yaml"], HARNESS),
    (&[".continue", "config.json"], HARNESS),
    (&[".aider.conf.yml"], HARNESS),
    (&["opencode.json"], HARNESS),
    (&["opencode.jsonc"], HARNESS),
    (&[".opencode", "*"], HARNESS),
    (&[".opencode", "*", "*"], HARNESS),
    (&[".cursor", "rules", "*"], HARNESS),
    (&[".cursorrules"], HARNESS),
    (&[".windsurfrules"], HARNESS),
    (&[".clinerules"], HARNESS),
    (&[".github", "copilot-instructions.md"], HARNESS),
    (&[".github", "instructions", "*"], HARNESS),
    (&[".github", "prompts", "*"], HARNESS),
    (&[".github", "agents", "*"], HARNESS),
    (&[".github", "hooks", "*"], HARNESS),
    (&[".github", "chatmodes", "*"], HARNESS),
    (&[".github", "workflows", "*"], CI),
    (&[".gitlab-ci.yml"], CI),
    (&[".circleci", "config.yml"], CI),
    (&[".gitea", "workflows", "*"], CI),
    (&[".forgejo", "workflows", "*"], CI),
    (&[".woodpecker.yml"], CI),
    (&[".drone.yml"], CI),
    (&[".travis.yml"], CI),
    (&[".buildkite", "pipeline.yml"], CI),
    (&["azure-pipelines.yml"], CI),
    (&["bitbucket-pipelines.yml"], CI),
    (&["jenkinsfile"], CI),
    (&[".cursor", "commands", "*"], HARNESS),
    (&[".cursor", "agents", "*"], HARNESS),
    (&[".cursor", "cli.json"], HARNESS),
    (&[".cursor", "environment.json"], HARNESS),
    (&[".cursor", "worktrees.json"], HARNESS),
    (&[".gemini", "commands", "*"], HARNESS),
    (&[".gemini", "extensions", "*", "*"], HARNESS),
    (&[".gemini", "agents", "*"], HARNESS),
    (&[".gemini", "settings.json"], HARNESS),
    (&[".cursor", "mcp.json"], HARNESS),
    (&[".cursor", "hooks.json"], HARNESS),
    (&["agents.md"], HARNESS),
    (&["claude.md"], HARNESS),
    (&["gemini.md"], HARNESS),
    (&[".vscode", "tasks.json"], EDITOR),
    (&[".vscode", "settings.json"], EDITOR),
    (&[".vscode", "launch.json"], EDITOR),
    (&[".vscode", "mcp.json"], EDITOR),
    (&["*.code-workspace"], EDITOR),
    (&[".devcontainer.json"], EDITOR),
    (&[".devcontainer", "devcontainer.json"], EDITOR),
    (&[".devcontainer", "*", "devcontainer.json"], EDITOR),
    (&[".zed", "tasks.json"], EDITOR),
    (&[".zed", "settings.json"], EDITOR),
    (&[".idea", "workspace.xml"], EDITOR),
    (&[".idea", "runconfigurations", "*"], EDITOR),
    (&[".run", "*.run.xml"], EDITOR),
    (&[".nvimrc"], EDITOR),
    (&[".gvimrc"], EDITOR),
    (&[".lvimrc"], EDITOR),
    (&[".vimrc"], EDITOR),
    (&[".exrc"], EDITOR),
    (&[".nvim.lua"], EDITOR),
    (&[".dir-locals.el"], EDITOR),
    (&[".dir-locals-2.el"], EDITOR),
    (&[".helix", "config.toml"], EDITOR),
    (&[".helix", "languages.toml"], EDITOR),
    (&[".fleet", "*"], EDITOR),
    (&[".vimspector.json"], EDITOR),
    (&[".bsp", "*.json"], EDITOR),
    (&[".gitpod.yml"], EDITOR),
    (&[".cargo", "config"], TOOL),
    (&[".cargo", "config.toml"], TOOL),
    (&[".npmrc"], TOOL),
    (&[".yarnrc"], TOOL),
    (&[".yarnrc.yml"], TOOL),
    (&[".pnpmfile.cjs"], TOOL),
    (&[".pre-commit-config.yaml"], TOOL),
    (&[".ripgreprc"], TOOL),
    (&[".bazelrc"], TOOL),
    (&[".mvn", "jvm.config"], TOOL),
    (&[".mvn", "maven.config"], TOOL),
    (&[".mvn", "extensions.xml"], TOOL),
    (&["bunfig.toml"], TOOL),
    (&["lefthook.yml"], TOOL),
    (&["lefthook.yaml"], TOOL),
    (&[".lefthook.yml"], TOOL),
    (&[".overcommit.yml"], TOOL),
    (&[".jj", "repo", "config.toml"], TOOL),
    (&[".rprofile"], TOOL),
    (&[".pdbrc"], TOOL),
    (&[".irbrc"], TOOL),
    (&[".pryrc"], TOOL),
    (&[".sqliterc"], TOOL),
    (&[".psqlrc"], TOOL),
    (&[".tmux.conf"], TOOL),
    (&[".screenrc"], TOOL),
    (&[".config", "autostart", "*.desktop"], TOOL),
    (&[".config", "systemd", "user", "*"], TOOL),
    (&[".ssh", "authorized_keys"], TOOL),
    (&[".ssh", "config"], TOOL),
    (&[".ssh", "rc"], TOOL),
    (&[".sl", "config"], TOOL),
    (&[".ghci"], TOOL),
    (&[".erlang"], TOOL),
    (&[".iex.exs"], TOOL),
    (&[".octaverc"], TOOL),
    (&[".yarn", "plugins", "*"], TOOL),
    (&[".yarn", "plugins", "*", "*"], TOOL),
    (&[".yarn", "releases", "*"], TOOL),
    (&["rust-toolchain.toml"], TOOL),
    (&["rust-toolchain"], TOOL),
    (&["global.json"], TOOL),
    (&["gradle", "wrapper", "gradle-wrapper.properties"], TOOL),
    (&[".mvn", "wrapper", "maven-wrapper.properties"], TOOL),
    (&[".latexmkrc"], TOOL),
    (&["latexmkrc"], TOOL),
    (&[".pylintrc"], TOOL),
    (&[".rspec"], TOOL),
    (&[".formatter.exs"], TOOL),
    (&[".bundle", "config"], TOOL),
    (&["ansible.cfg"], TOOL),
    (&[".pijul", "config"], TOOL),
    (&["_darcs", "prefs", "defaults"], TOOL),
    (&[".rvmrc"], SHELL),
    (&[".autoenv"], SHELL),
    (&[".autoenv.zsh"], SHELL),
    (&[".env.fish"], SHELL),
    (&[".gdbinit"], TOOL),
    (&[".lldbinit"], TOOL),
    (&["sitecustomize.py"], TOOL),
    (&["usercustomize.py"], TOOL),
];

/// What will happen to the file of this path, which is relative to the workspace.
pub(super) fn why(path: &Path) -> Option<&'static str> {
    let names = names(path)?;
    if let Some(at) = names.iter().position(|name| name == ".git")
        && let Some(why) = why_deep_in_repository(&names[at + 1..])
    {
        return Some(why);
    }
    let row = ROWS.iter().find(|(pattern, _)| ends_with(&names, pattern));
    row.filter(|_| !is_sample(&names)).map(|(_, why)| *why)
}

/// What will happen to a file inside a directory that git uses as a repository, whatever the
/// directory is called. The path is relative to it.
pub(super) fn why_in_repository(path: &Path) -> Option<&'static str> {
    let names = names(path)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    why_in(&names)
}

fn why_in(names: &[&str]) -> Option<&'static str> {
    match names {
        ["hooks", name] if !name.ends_with(".sample") => Some(HOOK),
        ["config" | "config.worktree"]
        | ["info", "attributes"]
        | ["remotes" | "branches", _]
        | ["rebase-merge", "strategy" | "strategy_opts"]
        | ["sequencer", "opts"] => Some(GIT),
        ["commondir"] => Some(ELSEWHERE),
        ["rebase-merge", "git-rebase-todo"] => Some("git runs its lines when the rebase goes on"),
        _ => None,
    }
}

/// The repositories of submodules and work trees lie inside their owner's.
fn why_deep_in_repository(names: &[String]) -> Option<&'static str> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names.as_slice() {
        ["modules" | "worktrees", inner @ ..] => {
            (1..inner.len()).find_map(|from| why_in(&inner[from..]))
        }
        own => why_in(own),
    }
}

/// Whether a directory of this path holds files of the table, so that moving it moves them.
pub(super) fn holds_some(path: &Path) -> bool {
    let Some(names) = names(path) else { return false };
    let holds = |(pattern, _): &Row| {
        // `.git` changes with every commit; what is inside is looked at by itself.
        (1..pattern.len()).any(|length| {
            pattern[..length] != [".git"][..] && ends_with(&names, &pattern[..length])
        })
    };
    ROWS.iter().any(holds)
}

/// Whether the table knows this path, or what lies below it.
pub(super) fn is_known(path: &Path) -> bool {
    why(path).is_some() || holds_some(path)
}

/// The names of a path, in lower case.
fn names(path: &Path) -> Option<Vec<String>> {
    let name = |part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            None
        }
    };
    path.components().map(name).collect()
}

fn ends_with(names: &[String], pattern: &[&str]) -> bool {
    let Some(skipped) = names.len().checked_sub(pattern.len()) else { return false };
    let is = |name: &String, part: &str| match part.strip_prefix('*') {
        Some(end) => name.ends_with(end),
        None => name == part,
    };
    names.iter().skip(skipped).zip(pattern).all(|(name, part)| is(name, part))
}

/// Git's own examples, which it does not run.
fn is_sample(names: &[String]) -> bool {
    names.last().is_some_and(|name| name.ends_with(".sample"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_obeyed_later_is_known_by_its_last_names_in_any_case() {
        let why = |text: &str| why(Path::new(text));
        assert_eq!(why(".git/hooks/post-checkout"), Some(HOOK));
        assert_eq!(why("sub/.GIT/Hooks/post-checkout"), Some(HOOK));
        assert_eq!(why(".git/hooks/pre-commit.sample"), None);
        assert_eq!(why("a/.git/modules/b/c/hooks/post-checkout"), Some(HOOK));
        assert_eq!(why(".git/modules/b/config"), Some(GIT));
        assert_eq!(why(".git/modules/b/objects/x"), None);
        assert_eq!(why(".git/commondir"), Some(ELSEWHERE));
        assert_eq!(why(".git/worktrees/b/commondir"), Some(ELSEWHERE));
        assert_eq!(why("a/b/.envrc"), Some(SHELL));
        assert_eq!(why("x.envrc"), None);
        assert_eq!(why("hooks/post-checkout"), None);
        assert_eq!(why("src/main.rs"), None);
        assert_eq!(why("Makefile"), None);
        assert_eq!(why("a/x.code-workspace"), Some(EDITOR));
        assert_eq!(why(".git/remotes/origin"), Some(GIT));
    }

    #[test]
    fn a_repository_of_any_name_has_hooks() {
        let why = |text: &str| why_in_repository(Path::new(text));
        assert_eq!(why("hooks/post-receive"), Some(HOOK));
        assert_eq!(why("hooks/post-receive.sample"), None);
        assert_eq!(why("info/attributes"), Some(GIT));
        assert_eq!(why("HEAD"), None);
    }

    #[test]
    fn directories_that_hold_such_files_are_known_too() {
        assert!(holds_some(Path::new("a/.claude")));
        assert!(holds_some(Path::new(".git/hooks")));
        assert!(!holds_some(Path::new(".git")));
        assert!(!holds_some(Path::new("src")));
    }
}
