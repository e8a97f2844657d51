//! Programs that run code which the text does not show: a first, short table.

use super::pattern::Command;
use super::text::glob;
use crate::scene::Program;

/// Interpreters, build tools and package managers, by base name.
const RUNS_CODE: [&str; 46] = [
    "python*", "pypy*", "node", "nodejs", "deno", "bun", "ruby*", "perl*", "php*", "lua*",
    "Rscript", "java", "scala", "kotlin", "groovy", "make", "gmake", "cmake", "ninja", "meson",
    "bazel", "gradle", "gradlew", "mvn", "ant", "rake", "just", "task", "npm", "npx", "pnpm",
    "yarn", "cargo", "go", "dotnet", "swift", "zig", "mix", "stack", "cabal", "tox", "nox",
    "pytest", "poetry", "uv", "uvx",
];

/// Where the machine's own programs live; a program elsewhere is code that nobody has seen.
const SYSTEM: [&str; 7] =
    ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/lib", "/usr/local/bin", "/usr/libexec"];

/// Whether the command runs code that its words do not show.
pub(super) fn runs_unseen_code(command: Command<'_>, program: Option<&Program>) -> bool {
    let is = |name: &[u8]| RUNS_CODE.iter().any(|pattern| glob(pattern.as_bytes(), name));
    let known = command.names.iter().any(|name| is(name));
    let own = |program: &Program| !SYSTEM.iter().any(|root| program.real.starts_with(root));
    known || program.is_some_and(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_tools_and_own_programs_are_opaque() {
        let is = |name: &str, real: &str| {
            let names = vec![name.as_bytes().to_vec()];
            let words = vec![Some(name.as_bytes().to_vec())];
            let program = Program { path: real.into(), real: real.into() };
            runs_unseen_code(Command { words: &words, names: &names }, Some(&program))
        };
        assert!(is("make", "/usr/bin/make"));
        assert!(is("python3.12", "/usr/bin/python3.12"));
        assert!(is("./run", "/w/run"));
        assert!(!is("ls", "/usr/bin/ls"));
    }
}
