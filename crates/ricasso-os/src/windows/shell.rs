//! The shells of Windows: PowerShell without its profile, and Git Bash by its own path.

use std::path::{Path, PathBuf};

/// Where Git for Windows puts its bash. Never looked up on PATH: there the one of WSL comes first.
pub const GIT_BASH: [&str; 4] = [
    r"C:\Program Files\Git\bin\bash.exe",
    r"C:\Program Files\Git\usr\bin\bash.exe",
    r"C:\Program Files (x86)\Git\bin\bash.exe",
    r"C:\Git\bin\bash.exe",
];

/// The words that start PowerShell with this text, which reaches it as it is.
pub fn powershell(text: &str) -> Vec<String> {
    ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", text]
        .map(str::to_string)
        .to_vec()
}

/// The first bash of Git for Windows that is there.
pub fn git_bash(is_there: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    GIT_BASH.iter().map(PathBuf::from).find(|path| is_there(path))
}

/// `/c/Users/x` as Windows writes it: `C:/Users/x`. Other paths stay as they are.
pub fn from_git_bash(path: &str) -> String {
    let mut parts = path.splitn(3, '/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(""), Some(drive), rest) if is_drive(drive) => {
            format!("{}:/{}", drive.to_ascii_uppercase(), rest.unwrap_or(""))
        }
        _ => path.to_string(),
    }
}

fn is_drive(name: &str) -> bool {
    name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_07_s4_38_powershell_gets_the_text_without_profile_or_questions() {
        let words = powershell("$x = 1; echo $env:PATH");
        let line = ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command"];
        assert_eq!(words[..4], line);
        assert_eq!(words[4], "$x = 1; echo $env:PATH");
    }

    #[test]
    fn s3_20_the_body_reaches_powershell_as_it_is() {
        let text = "$v = 'a b'; Write-Output \"$v\"";
        assert_eq!(powershell(text).last().map(String::as_str), Some(text));
    }

    #[test]
    fn s5_45_s5_33_s5_05_git_bash_is_found_by_its_own_path_and_never_by_name() {
        let there = |wanted: &'static str| move |path: &Path| path == Path::new(wanted);
        assert_eq!(git_bash(&there(GIT_BASH[2])), Some(PathBuf::from(GIT_BASH[2])));
        assert_eq!(git_bash(&|path: &Path| path == Path::new("bash")), None);
        assert!(GIT_BASH.iter().all(|path| path.contains(':')));
    }

    #[test]
    fn s5_40_paths_of_git_bash_become_windows_paths() {
        assert_eq!(from_git_bash("/c/Users/x"), "C:/Users/x");
        assert_eq!(from_git_bash("/d"), "D:/");
        assert_eq!(from_git_bash("/cc/x"), "/cc/x");
        assert_eq!(from_git_bash("c/x"), "c/x");
    }
}
