//! Variables that make a program load or run something that the command does not show.
//!
//! The caller may not set them. Inside a text some are everyday use, so each row says how far it
//! reaches.

/// One row: a name or a glob, where it counts, what it would do.
struct Row {
    name: &'static str,
    counts: Counts,
    does: &'static str,
}

/// Who set a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setter {
    /// The request, beside the command.
    Caller,
    /// The text itself, in front of a command or by export.
    Text,
    /// The text itself, where only the judge holds a list of programs.
    Named,
    /// The text itself, under a list of programs that must stay what they are.
    Listed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    Everywhere,
    /// Its value is a command: from a text it is judged as one.
    AsCommand,
    FromTheCaller,
    UnderAList,
}

const ROWS: &[Row] = &[
    row("LD_*", "makes every program load foreign code"),
    row("DYLD_*", "makes every program load foreign code"),
    row("GLIBC_TUNABLES", "changes the C library of every program"),
    row("GCONV_PATH", "makes the C library load foreign converters"),
    row("LOCPATH", "makes the C library load foreign locales"),
    row("BASH_ENV", "is run by every bash that starts"),
    row("ENV", "is run by every sh that starts"),
    row("BASH_FUNC_*", "replaces commands by functions"),
    row("SHELLOPTS", "changes how every bash reads its text"),
    row("BASHOPTS", "changes how every bash reads its text"),
    row("PROMPT_COMMAND", "is run by bash before each prompt"),
    row("PS4", "is expanded, and so run, when bash traces"),
    row("ZDOTDIR", "names start-up files that zsh runs"),
    row("PYTHONSTARTUP", "is run by python"),
    row("PYTHONHOME", "replaces python's own library"),
    row("PYTHONBREAKPOINT", "names code that python runs"),
    row("PERL5OPT", "adds options, and so code, to every perl"),
    row("PERL5DB", "is run by perl's debugger"),
    row("RUBYOPT", "adds options, and so code, to every ruby"),
    row("JAVA_TOOL_OPTIONS", "adds options, and so agents, to every java"),
    row("_JAVA_OPTIONS", "adds options, and so agents, to every java"),
    row("JDK_JAVA_OPTIONS", "adds options, and so agents, to every java"),
    command("GIT_SSH", "names a program that git runs"),
    command("GIT_SSH_COMMAND", "names a program that git runs"),
    command("GIT_EXTERNAL_DIFF", "names a program that git runs"),
    command("GIT_PROXY_COMMAND", "names a program that git runs"),
    command("GIT_ASKPASS", "names a program that git runs"),
    command("GIT_SEQUENCE_EDITOR", "names a program that git runs"),
    row("GIT_EXEC_PATH", "replaces git's own programs"),
    row("GIT_TEMPLATE_DIR", "puts hooks into new repositories"),
    row("GIT_CONFIG_*", "sets keys of git that can name programs"),
    command("SSH_ASKPASS", "names a program that ssh runs"),
    command("SUDO_ASKPASS", "names a program that sudo runs"),
    row("LESSOPEN", "names a program that less runs"),
    row("LESSCLOSE", "names a program that less runs"),
    command("MANPAGER", "names a program that man runs"),
    command("RUSTC_WRAPPER", "names a program that cargo runs"),
    command("CARGO_BUILD_RUSTC_WRAPPER", "names a program that cargo runs"),
    row("MAKEFLAGS", "adds options, and so code, to every make"),
    caller("PATH", "decides which programs the names in the command mean"),
    caller("CDPATH", "decides where cd leads"),
    caller("PYTHONPATH", "makes python load foreign modules"),
    caller("PERL5LIB", "makes perl load foreign modules"),
    caller("RUBYLIB", "makes ruby load foreign modules"),
    caller("NODE_OPTIONS", "adds options, and so code, to every node"),
    caller("NODE_PATH", "makes node load foreign modules"),
    caller("CLASSPATH", "makes java load foreign classes"),
    command("PAGER", "names a program that many tools run"),
    command("GIT_PAGER", "names a program that git runs"),
    command("EDITOR", "names a program that many tools run"),
    command("VISUAL", "names a program that many tools run"),
    command("GIT_EDITOR", "names a program that git runs"),
    command("RSYNC_RSH", "names a program that rsync runs"),
    command("CVS_RSH", "names a program that cvs runs"),
    command("SVN_EDITOR", "names a program that svn runs"),
    command("HGEDITOR", "names a program that hg runs"),
    command("KUBE_EDITOR", "names a program that kubectl runs"),
    command("PSQL_EDITOR", "names a program that psql runs"),
    command("PSQL_PAGER", "names a program that psql runs"),
    command("SYSTEMD_EDITOR", "names a program that systemctl runs"),
    command("SYSTEMD_PAGER", "names a program that systemctl runs"),
    command("FCEDIT", "names a program that the shell runs"),
    command("BROWSER", "names a program that many tools run"),
    listed("GIT_*"),
    listed("HOME"),
    listed("XDG_*"),
    listed("TAR_OPTIONS"),
    listed("GZIP"),
    listed("PYTHON*"),
    listed("PERL*"),
    listed("RUBY*"),
    listed("NODE_*"),
    listed("NPM_*"),
    listed("npm_config_*"),
    listed("YARN_*"),
    listed("CARGO*"),
    listed("RUSTC*"),
    listed("RUSTFLAGS"),
    listed("GOFLAGS"),
    listed("GOENV"),
    listed("GOPATH"),
    listed("GOROOT"),
    listed("MAKE*"),
    listed("LESS*"),
    listed("MORE"),
    listed("MAN*"),
    listed("BROWSER"),
    listed("EDITOR"),
    listed("VISUAL"),
    listed("PAGER"),
    listed("BASH*"),
    listed("CDPATH"),
    listed("FPATH"),
    listed("BUNDLE_*"),
    listed("GEM_*"),
    listed("DOCKER_*"),
    listed("KUBECONFIG"),
    listed("AWS_*"),
    listed("SSH_*"),
    listed("OPENSSL_CONF"),
    listed("CURL_HOME"),
    listed("WGETRC"),
    listed("PSQLRC"),
    listed("INPUTRC"),
    listed("RIPGREP_CONFIG_PATH"),
    listed("AWKPATH"),
    listed("AWKLIBPATH"),
    listed("MAGIC"),
    listed("VIM*"),
    listed("EXINIT"),
    listed("EMACSLOADPATH"),
    listed("TERMINFO*"),
    listed("TMPDIR"),
    listed("CC"),
    listed("CXX"),
    listed("LUA_*"),
    listed("PHP*"),
    listed("JAVA_*"),
    listed("CLASSPATH"),
    listed("NIX_*"),
    listed("MALLOC_*"),
    listed("FZF_*"),
    listed("SHELL"),
];

const fn listed(name: &'static str) -> Row {
    let does = "changes what a listed program reads, writes or runs";
    Row { name, counts: Counts::UnderAList, does }
}

const fn row(name: &'static str, does: &'static str) -> Row {
    Row { name, counts: Counts::Everywhere, does }
}

const fn command(name: &'static str, does: &'static str) -> Row {
    Row { name, counts: Counts::AsCommand, does }
}

const fn caller(name: &'static str, does: &'static str) -> Row {
    Row { name, counts: Counts::FromTheCaller, does }
}

/// What setting this variable would do; `None` where it is an ordinary one.
pub(super) fn danger(name: &[u8], setter: Setter) -> Option<&'static str> {
    let counts = |row: &&Row| match (row.counts, setter) {
        (Counts::Everywhere, _) => true,
        (Counts::AsCommand, Setter::Caller | Setter::Listed) => true,
        (Counts::AsCommand, Setter::Text | Setter::Named) => false,
        (Counts::FromTheCaller, Setter::Caller | Setter::Listed) => true,
        // Where the names of programs are found is followed.
        (Counts::FromTheCaller, Setter::Named) => row.name != "PATH",
        (Counts::FromTheCaller, Setter::Text) => false,
        (Counts::UnderAList, Setter::Listed) => true,
        (Counts::UnderAList, Setter::Caller | Setter::Text | Setter::Named) => false,
    };
    let named = |row: &&Row| match row.name.strip_suffix('*') {
        Some(start) => name.starts_with(start.as_bytes()),
        None => name == row.name.as_bytes(),
    };
    ROWS.iter().filter(counts).find(named).map(|row| row.does)
}

/// Whether the value of this variable is a command that other programs run.
pub(super) fn is_command(name: &[u8]) -> bool {
    let command = |row: &Row| row.counts == Counts::AsCommand && row.name.as_bytes() == name;
    ROWS.iter().any(command)
}

/// Whether a value only says how, and adds no code: `MAKEFLAGS=-j4`.
pub(super) fn is_plain(name: &[u8], value: &Option<Vec<u8>>) -> bool {
    let Some(value) = value.as_deref().filter(|_| name == b"MAKEFLAGS") else { return false };
    let mut words = value.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    words.all(|word| {
        let jobs = word.strip_prefix(b"-j").or_else(|| word.strip_prefix(b"--jobs="));
        jobs.is_some_and(|count| count.iter().all(u8::is_ascii_digit))
            || matches!(word, b"-s" | b"-k" | b"-B" | b"--no-print-directory" | b"--silent")
    })
}

/// How a variable of one run may reach the next one of its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carry {
    /// Beside the command, as a caller sets it.
    Beside,
    /// In front of the command, as a text that is judged.
    InText,
    /// Not at all.
    Never,
}

/// How this variable may be carried on.
pub fn carry(name: &[u8]) -> Carry {
    if is_ours(name) || danger(name, Setter::Text).is_some() {
        return Carry::Never;
    }
    match danger(name, Setter::Caller) {
        Some(_) => Carry::InText,
        None => Carry::Beside,
    }
}

/// Whether the name is one of our own.
pub(super) fn is_ours(name: &[u8]) -> bool {
    name.starts_with(b"RICASSO_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaders_are_known_by_name_and_by_family() {
        assert!(danger(b"LD_PRELOAD", Setter::Text).is_some());
        assert!(danger(b"GIT_CONFIG_COUNT", Setter::Caller).is_some());
        assert!(danger(b"PATH", Setter::Caller).is_some());
        assert!(danger(b"PATH", Setter::Text).is_none());
        assert!(danger(b"PATH", Setter::Named).is_none());
        assert!(danger(b"NODE_OPTIONS", Setter::Named).is_some());
        assert!(danger(b"NODE_OPTIONS", Setter::Text).is_none());
        assert!(danger(b"CI", Setter::Caller).is_none());
        assert!(danger(b"ENVIRONMENT", Setter::Caller).is_none());
        assert_eq!(carry(b"LD_PRELOAD"), Carry::Never);
        assert_eq!(carry(b"RICASSO_X"), Carry::Never);
        assert_eq!(carry(b"PATH"), Carry::InText);
        assert_eq!(carry(b"MY_NAME"), Carry::Beside);
    }
}
