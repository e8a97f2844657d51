//! Programs that run code which the text does not show: those that the
//! catalogue has no entry for.

use super::text::glob;

/// Interpreters, build tools and package managers, by base name.
const RUNS_CODE: [&str; 46] = [
    "python*", "pypy*", "node", "nodejs", "deno", "bun", "ruby*", "perl*", "php*", "lua*",
    "Rscript", "java", "scala", "kotlin", "groovy", "make", "gmake", "cmake", "ninja", "meson",
    "bazel", "gradle", "gradlew", "mvn", "ant", "rake", "just", "task", "npm", "npx", "pnpm",
    "yarn", "cargo", "go", "dotnet", "swift", "zig", "mix", "stack", "cabal", "tox", "nox",
    "pytest", "poetry", "uv", "uvx",
];

/// Whether a program of one of these names runs code that its words do not show.
pub(super) fn runs_unseen_code(names: &[Vec<u8>]) -> bool {
    let is = |name: &[u8]| RUNS_CODE.iter().any(|pattern| glob(pattern.as_bytes(), name));
    names.iter().any(|name| is(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_tools_are_opaque() {
        let is = |name: &str| runs_unseen_code(&[name.as_bytes().to_vec()]);
        assert!(is("make"));
        assert!(is("python3.12"));
        assert!(!is("ls"));
    }
}
