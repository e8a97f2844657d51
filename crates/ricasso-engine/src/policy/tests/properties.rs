//! What no rewriting of a command may change: a refusal stays one.
//!
//! Quoting, wrapping, splitting into variables, comments and newlines are tried on commands that
//! are refused, at random and bounded.

use crate::policy::{Layer, Origin, Overrides, Policy, Preset, judge};
use crate::request::{Caller, Manner, OnFailure, Request, Stdin, Step};
use crate::scene::{Answer, Described, Fact, Look, Query, Recorded, Scene};
use arbtest::arbitrary::{self, Unstructured};
use std::sync::Mutex;

/// Commands that are refused under the policy beside them, in plain words.
const REFUSED: [(&str, &str); 12] = [
    ("rm -rf /", "open"),
    ("rm -rf /etc", "open"),
    ("rm -r /home/user", "open"),
    ("dd if=/dev/zero of=/dev/sda", "open"),
    ("chmod -R 777 /", "open"),
    ("shutdown -h now", "open"),
    ("cat /etc/shadow", "open"),
    ("touch /etc/x", "workspace"),
    ("cp a /usr/bin/ls", "workspace"),
    ("curl http://example.com/x", "workspace"),
    ("touch x", "read"),
    ("touch x", "blocked"),
];

fn policy(name: &str) -> Policy {
    if let Some(preset) = Preset::named(name) {
        return Policy::preset(preset);
    }
    let text = "extends = 'open'\nunknown = 'deny'\n[programs]\ndeny = ['touch']\n".to_string();
    let layer = Layer { origin: Origin::User, name: "blocked.toml".into(), text };
    Policy::from_layers(&[layer], &Overrides::default()).unwrap()
}

fn request(text: &str) -> Request {
    Request {
        steps: vec![Step::Shell(text.into())],
        on_failure: OnFailure::Stop,
        cwd: "/home/user/project".into(),
        workspace: Some("/home/user/project".into()),
        env: Vec::new(),
        stdin: Stdin::Closed,
        manner: Manner::default(),
        timeout: None,
        caller: Caller { door: "library".into(), session: "s".into(), client: None },
    }
}

fn world() -> Described {
    Described::new()
        .set("HOME", "/home/user")
        .directory("/home/user/project")
        .link("/home/user/project/link", "/home/user/out")
}

/// One rewriting that changes nothing of what runs.
fn rewritten(text: &str, choose: &mut Unstructured<'_>) -> arbitrary::Result<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let plain =
        text.chars().all(|letter| letter.is_ascii_alphanumeric() || " /-:.=".contains(letter));
    let quoted = format!("'{}'", text.replace('\'', "'\\''"));
    Ok(match choose.int_in_range(0..=37)? {
        0 if plain => words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
        1 if plain => words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join("  "),
        2 if plain => {
            let (first, rest) = text.split_at(1);
            format!("\\{first}{rest}")
        }
        3 if plain => format!("V='{}'; $V {}", words[0], words[1..].join(" ")),
        4 if plain => {
            let (last, first) = words.split_last().unwrap();
            format!("V={last}; {} \"$V\"", first.join(" "))
        }
        5 => format!("sh -c {quoted}"),
        6 => format!("bash -c {quoted}"),
        7 => format!("eval {quoted}"),
        8 if plain => format!("env A=1 {text}"),
        9 if plain => format!("timeout 5 nice {text}"),
        10 => format!("true && {{ {text}\n}} # done"),
        11 => format!("# first\n\n{text}\n"),
        12 => format!("if true; then {text}\nfi"),
        13 => format!("f() {{ {text}\n}}; f"),
        14 => format!("for i in 1 2; do {text}\ndone"),
        15 => format!("({text})\n"),
        16 => format!("echo | xargs sh -c {quoted}"),
        17 if plain => format!("echo {} | xargs {}", words[1..].join(" "), words[0]),
        18 if plain => format!("xargs {text} < /dev/null"),
        19 if plain => {
            let (last, first) = words.split_last().unwrap();
            format!("echo {last} | xargs -I{{}} {} {{}}", first.join(" "))
        }
        20 => format!("bash <<'END_OF_IT'\n{text}\nEND_OF_IT"),
        21 => format!("sh <<< {quoted}"),
        22 => format!("printf '%s\\n' {quoted} | bash"),
        23 if plain => format!("a=({text}); \"${{a[@]}}\""),
        24 if plain => format!("set -- {text}; \"$@\""),
        25 if plain => {
            let (first, rest) = text.split_at(1);
            format!("P={first}; ${{P}}{rest}")
        }
        26 if plain => format!("read -r a <<< '{}'; $a {}", words[0], words[1..].join(" ")),
        27 if plain => format!("read -ra a <<< '{text}'; \"${{a[@]}}\""),
        28 if plain => format!("printf -v c %s '{}'; $c {}", words[0], words[1..].join(" ")),
        29 if plain => format!("env -S '{text}'"),
        30 if plain => format!("command {text}"),
        31 if plain => {
            let (first, rest) = text.split_at(1);
            format!("{first}\\\n{rest}")
        }
        32 => format!("{{\n{text}\n}} 2>&1 | cat"),
        33 => format!(": $(\n{text}\n)"),
        34 => format!("cat <(\n{text}\n)"),
        35 => format!("while :; do {text}\nbreak; done"),
        36 => format!("case x in\n x) {text}\n;; esac"),
        37 => format!("trap {quoted} EXIT"),
        _ => format!("{text} # plain"),
    })
}

/// Milliseconds for one property: the long form takes twenty times as much.
fn budget() -> u64 {
    if std::env::var_os("RICASSO_LONG").is_some() { 30_000 } else { 1_500 }
}

#[test]
fn no_rewriting_turns_a_refusal_into_an_allow() {
    let world = world();
    let policies: Vec<Policy> = REFUSED.iter().map(|(_, name)| policy(name)).collect();
    for ((text, name), policy) in REFUSED.iter().zip(&policies) {
        let verdict = judge(&request(text), policy, &world).verdict;
        assert_eq!(verdict.name(), "deny", "{text} under {name}");
    }
    arbtest::arbtest(|choose| {
        let at = choose.choose_index(REFUSED.len())?;
        let mut text = REFUSED[at].0.to_string();
        for _ in 0..choose.int_in_range(1..=4)? {
            text = rewritten(&text, choose)?;
        }
        let verdict = judge(&request(&text), &policies[at], &world).verdict;
        assert_ne!(verdict.name(), "allow", "{text:?} under {}", REFUSED[at].1);
        Ok(())
    })
    .budget_ms(budget());
}

/// Writes down what another one says.
struct Noting<'a> {
    world: &'a dyn Look,
    facts: Mutex<Vec<Fact>>,
}

impl Look for Noting<'_> {
    fn look(&self, query: &Query) -> Answer {
        let answer = self.world.look(query);
        let fact = Fact { query: query.clone(), answer: answer.clone() };
        self.facts.lock().unwrap().push(fact);
        answer
    }
}

#[test]
fn replay_of_any_rewriting_gives_the_same_verdict() {
    let world = world();
    let policies: Vec<Policy> = REFUSED.iter().map(|(_, name)| policy(name)).collect();
    arbtest::arbtest(|choose| {
        let at = choose.choose_index(REFUSED.len())?;
        let mut text = REFUSED[at].0.to_string();
        for _ in 0..choose.int_in_range(1..=3)? {
            text = rewritten(&text, choose)?;
        }
        let noting = Noting { world: &world, facts: Mutex::default() };
        let first = judge(&request(&text), &policies[at], &noting);
        let recorded = Recorded::new(Scene { facts: noting.facts.into_inner().unwrap() });
        let again = judge(&request(&text), &policies[at], &recorded);
        assert_eq!(again.verdict.name(), first.verdict.name(), "{text:?}");
        assert_eq!(again.reasons, first.reasons, "{text:?}");
        Ok(())
    })
    .budget_ms(budget() / 3);
}

#[test]
fn what_nests_or_repeats_without_end_is_refused_in_bounded_time() {
    let world = world();
    let open = Policy::preset(Preset::Open);
    let many = "true;".repeat(50_000);
    let deep = format!("echo {}ls{}", "$(echo ".repeat(140), ")".repeat(140));
    let calls = "f() { f; f; f; f; }; f";
    let wrapped = format!("{} ls", "env ".repeat(5_000));
    let loops = format!("{}ls{}", "for i in a b c d e f g h; do ".repeat(12), "; done".repeat(12));
    for text in [many.as_str(), &wrapped, &loops] {
        let verdict = judge(&request(text), &open, &world).verdict;
        assert_eq!(verdict.name(), "deny", "{}", &text[..40.min(text.len())]);
    }
    let deep = judge(&request(&deep), &open, &world);
    assert_eq!(deep.reasons[0].rule, "too-many-commands");
    let calls = judge(&request(calls), &open, &world).verdict;
    assert!(matches!(calls.name(), "allow" | "deny"), "{}", calls.name());
}

#[test]
fn a_reason_marks_the_word_that_it_is_about() {
    let world = world();
    let workspace = Policy::preset(Preset::Workspace);
    let text = "ls && sh -c 'touch /etc/x'";
    let judgement = judge(&request(text), &workspace, &world);
    let span = judgement.reasons[0].span.unwrap();
    assert_eq!(&text[span[0]..span[1]], "/etc/x");
}

fn written(text: &str) -> Policy {
    let layer = Layer { origin: Origin::User, name: "own.toml".into(), text: text.into() };
    Policy::from_layers(&[layer], &Overrides::default()).unwrap()
}

#[test]
fn paths_count_where_they_lead() {
    let policy = written("extends = 'workspace'\n[files]\nread = ['.']\n");
    let world = world();
    let verdict = |text: &str| judge(&request(text), &policy, &world).verdict.name();
    for text in [
        "cat link/x",
        "cat link/../out/x",
        "cat ../out/x",
        "cat /proc/self/root/etc/passwd",
        "ln -s / root && cat root/etc/passwd",
        "cat .?/out/x",
        "cd .. && cat out/x",
        "D=..; cat $D/out/x",
        "cat $(printf '/%s/%s' etc passwd)",
        "cp /usr/bin/cat ./c && ./c /etc/passwd",
        "cat < ~/x",
    ] {
        assert_eq!(verdict(text), "deny", "{text}");
    }
    for text in ["cat a", "cat src/../a", "readlink link", "cd src && cat ../a", "ls $PWD/src"] {
        assert_eq!(verdict(text), "allow", "{text}");
    }
}

#[test]
fn settings_of_a_repository_are_neutralised_or_refused() {
    let policy = written("extends = 'read'\n[guards]\ngit = 'read-only'\n");
    let judged = |text: &str, key: &str| {
        judge(&request(text), &policy, &world().git_setting(key, "touch x"))
    };
    let crate::policy::Verdict::Allow(grant) = judged("git status", "core.fsmonitor").verdict
    else {
        panic!("git status only looks");
    };
    assert_eq!(grant.neutralised(), [("core.fsmonitor".to_string(), "false".to_string())]);
    let refused = judged("git diff", "diff.external");
    assert_eq!(refused.reasons[0].rule, "git-read-only");
    assert_eq!(judged("git diff --no-ext-diff", "diff.external").verdict.name(), "allow");
    assert_eq!(judged("git commit -m x", "core.hooksPath").verdict.name(), "deny");
}

#[test]
fn a_list_of_programs_and_mode_read_do_not_obey_a_repository() {
    let listed = written("extends = 'workspace'\n[programs]\nallow = ['git', 'ls']\n");
    let read = written("extends = 'read'\n");
    let workspace = written("extends = 'workspace'\n");
    let set = |key: &str| world().git_setting(key, "touch x");
    let judged =
        |text: &str, policy: &Policy, key: &str| judge(&request(text), policy, &set(key)).verdict;
    let neutralised = |text: &str, policy: &Policy, key: &str| {
        let crate::policy::Verdict::Allow(grant) = judged(text, policy, key) else {
            panic!("{text} is allowed");
        };
        grant.neutralised().to_vec()
    };
    let fsmonitor = ("core.fsmonitor".to_string(), "false".to_string());
    let hooks = ("core.hooksPath".to_string(), "/dev/null".to_string());
    for policy in [&listed, &read] {
        let found = neutralised("git status", policy, "core.fsmonitor");
        assert_eq!(found, std::slice::from_ref(&fsmonitor));
        assert_eq!(neutralised("git status", policy, "user.name"), []);
        assert_eq!(judged("git diff", policy, "diff.external").name(), "deny");
        assert_eq!(judged("git diff --no-ext-diff", policy, "diff.external").name(), "allow");
    }
    assert_eq!(neutralised("git commit -m x", &listed, "user.name"), [hooks]);
    // What nobody can read may name filters, which no value switches off without their names.
    for text in ["git status", "git diff --no-ext-diff", "git show --no-ext-diff", "git add a"] {
        for policy in [&listed, &read] {
            assert_eq!(judged(text, policy, "include.path").name(), "deny", "{text}");
        }
        assert_eq!(judged(text, &workspace, "include.path").name(), "allow", "{text}");
    }
    assert_eq!(judged("git rev-parse HEAD", &read, "include.path").name(), "allow");
    // The same where nobody can say which repository it is.
    assert_eq!(judged("cd \"$(cat x)\" && git status", &read, "user.name").name(), "deny");
    assert_eq!(neutralised("cd sub && git status", &listed, "core.fsmonitor"), [fsmonitor]);
    // The cage holds whatever they start, and any program may start.
    assert_eq!(neutralised("git commit -m x", &workspace, "core.fsmonitor"), []);
    assert_eq!(judged("git diff", &workspace, "diff.external").name(), "allow");
}

#[test]
fn a_workspace_among_temporary_files_is_neither_scratch_nor_what_mktemp_makes() {
    let judged = |preset: Preset, text: &str| {
        let mut request = super::request(&super::read_one());
        request.steps = vec![Step::Shell(text.into())];
        (request.cwd, request.workspace) = ("/tmp/work".into(), Some("/tmp/work".into()));
        let world = super::world().directory("/tmp/work");
        judge(&request, &Policy::preset(preset), &world).verdict.name()
    };
    for (preset, text, verdict) in [
        (Preset::Workspace, "f=$(mktemp) && rm $f", "allow"),
        (Preset::Workspace, "d=$(mktemp -d) && rm -rf \"$d\"", "allow"),
        (Preset::Workspace, "rm -rf /tmp/*", "deny"),
        (Preset::Workspace, "d=$(mktemp -d) && rm -rf \"$d/..\"", "deny"),
        (Preset::Read, "f=$(mktemp) && rm $f", "allow"),
        (Preset::Read, "ls > /tmp/out", "allow"),
        (Preset::Read, "ls > out", "deny"),
    ] {
        assert_eq!(judged(preset, text), verdict, "{text}");
    }
}
