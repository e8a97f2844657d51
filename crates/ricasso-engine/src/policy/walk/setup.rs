//! Programs that print lines for the shell to evaluate: how tools set up a session.
//!
//! What they print is not shown, as a script's content is not: it is opaque, not unknown.

use super::super::word::Word;
use super::command::base_name;

/// Names of programs with the words that make them print such lines.
const TOOLS: &[(&str, &str)] = &[
    ("ssh-agent", "-s -c -k"),
    ("gpg-agent", "--daemon"),
    ("keychain", "--eval"),
    ("dircolors", "-b --sh"),
    ("lesspipe lesspipe.sh resize tset", ""),
    ("brew", "shellenv"),
    ("opam", "env"),
    ("pyenv rbenv nodenv jenv goenv plenv phpenv tfenv luaenv", "init"),
    ("direnv", "hook export"),
    ("conda mamba micromamba", "shell.bash shell.zsh shell.posix shell"),
    ("fnm", "env"),
    ("mise rtx", "activate env hook-env"),
    ("starship zoxide oh-my-posh atuin mcfly navi broot thefuck", "init --alias"),
    ("minikube", "docker-env podman-env"),
    ("docker-machine", "env"),
    ("luarocks", "path"),
    ("register-python-argcomplete", ""),
    ("kubectl helm gh npm pip pip3 rustup poetry just cargo docker", "completion completions"),
    ("poetry", "env"),
    ("modulecmd", "bash sh"),
];

/// Whether a command prints lines that are made to be evaluated.
pub(super) fn prints_for_the_shell(words: &[Word]) -> bool {
    let Some(name) = words.first().and_then(Word::known).map(base_name) else { return false };
    let second = words.get(1).map(|word| word.known().unwrap_or_default());
    let among = |list: &str, wanted: &[u8]| list.split(' ').any(|one| one.as_bytes() == wanted);
    TOOLS.iter().any(|(names, verbs)| {
        among(names, name)
            && match second {
                Some(second) => verbs.is_empty() || among(verbs, second),
                None => verbs.is_empty() || name == b"ssh-agent",
            }
    })
}
