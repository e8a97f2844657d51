//! What the reading contracts, 2 and 3, let a command see and run on this very machine.

use super::session::{Era, Session};
use crate::escape::stage::Machine;
use crate::place::Place;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

fn call(place: &Place, dialect: &[&str], arguments: &Value) -> Value {
    let text = arguments.to_string();
    let answer = place.call(&[&["call", "--dialect"], dialect, &[&text]].concat());
    serde_json::from_slice(&answer.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", answer.stderr))
}

fn text(result: &Value, at: usize) -> &str {
    result["content"][at]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

/// A repository with one commit, outside the workspace.
fn repository(place: &Place) -> String {
    let path = place.root.join("repository");
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(&path).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words);
        assert!(git.output().unwrap().status.success(), "{words:?}");
    };
    std::fs::create_dir(&path).unwrap();
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "the first one"]);
    path.to_str().unwrap().to_string()
}

#[test]
fn s3_24_s3_25_s3_29_the_machines_tmp_is_read_and_the_scratch_directory_is_written() {
    let place = Place::new();
    let beside = place.root.join("beside.txt");
    std::fs::write(&beside, "beside\n").unwrap();
    let repository = repository(&place);
    let (at, name) = (beside.display(), format!("scratch-{}", std::process::id()));
    let reads =
        format!("cat {at}; git -C {repository} log --format=%s; git -C {repository} status -s");
    // Without namespaces the machine's own /tmp is shut, and $TMPDIR leads to the session's.
    let own = if Machine::Plain.has_namespaces() { "/tmp" } else { "$TMPDIR" };
    let scratch =
        format!("echo own > {own}/{name} && cat {own}/{name}; test -f $(mktemp) && echo made");
    let command = format!("{reads}; {scratch}");
    let wanted = "beside\nthe first one\nown\nmade\n";
    let result = call(&place, &["execute-command"], &json!({ "command": command }));
    assert_eq!(text(&result, 0), wanted, "{result}");
    let mut session = Session::start(&place, &["--dialect", "execute-command"], Era::Modern);
    let result = session.tool("execute_command", &json!({ "command": command }));
    assert_eq!(text(&result, 0), wanted, "{result}");
    session.end();
    assert!(!Path::new("/tmp").join(name).exists(), "the scratch directory is the session's own");
    let writes = [
        format!("echo x > {at}"),
        format!("rm -f {at}"),
        format!("mv {at} {at}.old"),
        format!("chmod 777 {at}"),
        format!("touch -d 2001-01-01 {at}"),
        format!("mkdir {repository}/new"),
        format!("mv {} /tmp/elsewhere", place.root.display()),
    ];
    for write in writes {
        let before = std::fs::metadata(&beside).unwrap();
        let result = call(&place, &["execute-command"], &json!({ "command": write }));
        assert_eq!(result["isError"], true, "{write}: {result}");
        let after = std::fs::metadata(&beside).unwrap();
        assert_eq!(before.modified().unwrap(), after.modified().unwrap(), "{write}");
        assert_eq!(before.permissions(), after.permissions(), "{write}");
        assert_eq!(std::fs::read_to_string(&beside).unwrap(), "beside\n", "{write}");
        assert!(!Path::new(&repository).join("new").exists(), "{write}");
    }
}

#[test]
fn s3_24_what_left_the_machines_tmp_leaves_no_name_behind() {
    let place = Place::new();
    let passing = std::env::temp_dir().join(format!("ricasso-passing-{}", std::process::id()));
    let list = json!({ "command": format!("cat {0}/f && ls -d {0}", passing.display()) });
    std::fs::create_dir_all(&passing).unwrap();
    std::fs::write(passing.join("f"), "here\n").unwrap();
    let there = call(&place, &["execute-command"], &list);
    std::fs::remove_dir_all(&passing).unwrap();
    assert_eq!(there["isError"], false, "{there}");
    let made = json!({ "command": format!("mkdir {0} && echo own > {0}/f; cat {0}/f", passing.display()) });
    let gone = call(&place, &["execute-command"], &list);
    assert_eq!(gone["isError"], true, "{gone}");
    if passing.starts_with("/tmp") {
        let own = call(&place, &["execute-command"], &made);
        match Machine::Plain.has_namespaces() {
            true => assert_eq!(text(&own, 0), "own\n", "the name is the session's: {own}"),
            false => assert!(own["structuredContent"]["denials"].to_string().contains("$TMPDIR")),
        }
    }
    assert!(!passing.exists());
}

#[test]
fn s4_31_what_a_reading_dialect_leaves_in_the_session_bars_no_other_job() {
    let place = Place::new();
    let keys = place.root.join("k.json");
    std::fs::write(&keys, r#"{"restrictToWorkspace":true}"#).unwrap();
    let exec = ["exec", "--dialect-config", keys.to_str().unwrap()];
    for _ in 0..2 {
        let read = call(&place, &["execute-command"], &json!({ "command": "pwd && ls" }));
        assert_eq!(read["isError"], false, "{read}");
        let command = "echo x > made && ls \"$PWD\" >/dev/null && pwd";
        let worked = call(&place, &exec, &json!({ "command": command }));
        assert_eq!(text(&worked, 0), format!("{}\n", place.work().display()), "{worked}");
    }
}

#[test]
fn s4_31_s5_39_a_command_knows_its_own_name_and_nobody_elses() {
    let place = Place::new();
    let keys = place.root.join("k.json");
    std::fs::write(&keys, r#"{"restrictToWorkspace":true}"#).unwrap();
    let exec = ["exec", "--dialect-config", keys.to_str().unwrap()];
    let name = Command::new("id").arg("-un").output().unwrap().stdout;
    let name = String::from_utf8(name).unwrap();
    let list = "python3 -c \"print(open(chr(47)+'etc'+chr(47)+'passwd').read())\"";
    for dialect in [&exec[..], &["bash"]] {
        for command in ["whoami", "id -un", "python3 -c 'import getpass; print(getpass.getuser())'"]
        {
            let result = call(&place, dialect, &json!({ "command": command }));
            assert_eq!(result["isError"], false, "{result}");
            assert!(result.to_string().contains(name.trim()), "{result}");
        }
        let result = call(&place, dialect, &json!({ "command": list }));
        assert!(result.to_string().contains("nobody:x:65534"), "{result}");
        // A list of one's own is a mount.
        let others = result.to_string().contains("daemon:");
        assert_eq!(others, !Machine::Plain.has_namespaces(), "{result}");
    }
}

#[test]
fn s2_27_a_repository_in_tmp_is_looked_at() {
    let place = Place::new();
    let command = format!("git -C {} log --format=%s", repository(&place));
    let result = call(&place, &["analysis"], &json!({ "command": command }));
    assert!(text(&result, 1).contains("Output: the first one\n"), "{result}");
}

/// One everyday form of each listed program that ends with 0 wherever the program is.
const EVERYDAY: [&str; 64] = [
    "ls -la",
    "find . -name a.txt",
    "stat a.txt",
    "file a.txt",
    "du -s .",
    "wc -l a.txt",
    "head -1 a.txt",
    "tail -1 a.txt",
    "cat a.txt",
    "less a.txt",
    "sort a.txt",
    "uniq a.txt",
    "diff a.txt a.txt",
    "comm a.txt a.txt",
    "tr a b < a.txt",
    "cut -c1 a.txt",
    "paste a.txt",
    "column a.txt",
    "grep a a.txt",
    "egrep 'a|b' a.txt",
    "rg a a.txt",
    "ag a a.txt",
    "awk '{ print $1 }' a.txt",
    "sed -n 1p a.txt",
    "xargs -a a.txt echo",
    "jq .a a.json",
    "yq .a a.json",
    "git --version",
    "python --version",
    "python3 -c 'print(6 * 7)'",
    "node --version",
    "npx --version",
    "uv --version",
    "cargo --version",
    "go version",
    "java -version",
    "javac -version",
    "npm --version",
    "pip --version",
    "pip3 --version",
    "make -n",
    "base64 a.txt",
    "xxd a.txt",
    "hexdump a.txt",
    "echo a",
    "printf a",
    "date",
    "env",
    "printenv HOME",
    "which ls",
    "type ls",
    "uname -a",
    "id",
    "pwd",
    "realpath a.txt",
    "dirname a/b",
    "basename a/b",
    "ast-grep --version",
    "repomix --version",
    "tree",
    "tokei",
    "cloc a.txt",
    "scc",
    "javac A.java",
];

#[test]
fn s2_10_s2_11_s2_12_s2_13_s2_14_s2_15_every_listed_program_runs_where_it_is_installed() {
    let place = Place::new();
    place.write("a.txt", "a b\n");
    place.write("a.json", "{\"a\": 1}\n");
    place.write("Makefile", "all:\n\techo made\n");
    place.write("A.java", "class A {}\n");
    let arguments = json!({ "command": EVERYDAY.to_vec(), "ignore_errors": true });
    let result = call(&place, &["analysis"], &arguments);
    assert_eq!(result["structuredContent"]["attempted"], EVERYDAY.len(), "{result}");
    for (command, told) in
        EVERYDAY.iter().zip(result["structuredContent"]["results"].as_array().unwrap())
    {
        assert_eq!(told["verdict"], "allow", "{command}: {told}");
        let name = command.split(' ').next().unwrap();
        let found = ["/usr/local/bin", "/usr/bin", "/bin"]
            .iter()
            .any(|at| Path::new(at).join(name).exists());
        let wanted = match name {
            // The compiler starts, and the kernel keeps what it makes out of the workspace.
            "javac" if command.ends_with(".java") && found => 1,
            "type" => 0,
            _ if found => 0,
            _ => 127,
        };
        assert_eq!(told["exit_code"], wanted, "{command}: {result}");
    }
    assert!(!place.work().join("A.class").exists());
}
