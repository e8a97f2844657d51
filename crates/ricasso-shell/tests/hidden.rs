//! Hidden commands: where bash runs MARK, MARK is found with its exact span or announced.
//!
//! The snippets come with bash's own answer; the composed texts are run by bash, each in an empty
//! directory with MARK a script that leaves a trace.

use std::path::Path;
use std::process::{Command, Stdio};

use ricasso_fuzz::corpus::{long, shared, skipped, string};
use ricasso_fuzz::random::Random;
use ricasso_shell::{How, Script, Shell, read};

mod compose;

/// Whether a command named MARK is found whose span is exactly that of its words in the text.
fn found(script: &Script) -> bool {
    script.commands().any(|found| {
        let words: Vec<_> = found.words.iter().map(|word| word.span).collect();
        found.name().is_some_and(|name| &*name == b"MARK")
            && Some(found.span.start) == words.first().map(|span| span.start)
            && Some(found.span.end) == words.last().map(|span| span.end)
            && spelled(found.words[0].span.of(script.text()))
    })
}

/// Whether the bytes are some spelling of MARK and nothing around it.
fn spelled(bytes: &[u8]) -> bool {
    let outside = b" \t;|&()<>";
    !bytes.is_empty()
        && (bytes.iter().all(|byte| !outside.contains(byte)) || bytes.starts_with(b"\""))
}

/// Whether something says that a command may run at or around `at`.
fn announced(script: &Script, at: usize) -> bool {
    let unreadable = script.unreadable().is_some_and(|unreadable| unreadable.from <= at);
    let carries = |how| matches!(how, How::Variable | How::Expanded | How::Expression);
    unreadable
        || script
            .code()
            .any(|code| (code.span.start <= at && at < code.span.end) || carries(code.how))
}

fn place(text: &[u8]) -> usize {
    text.windows(4).position(|window| window == b"MARK").unwrap_or(0)
}

#[test]
fn every_snippet_in_which_bash_runs_mark_shows_it() {
    let Some(shared) = shared() else {
        return skipped(
            "every_snippet_in_which_bash_runs_mark_shows_it",
            "no shared corpora at hand",
        );
    };
    let lines = std::fs::read(shared.join("reader/snippets.jsonl")).expect("it was there above");
    let (mut snippets, mut plain) = (0, 0);
    for line in lines.split(|&byte| byte == b'\n') {
        let Some(text) = string(line, "text") else { continue };
        let runs = line.windows(20).any(|window| window == b"\"bash_runs_it\": true}");
        let runs = runs || line.ends_with(b"\"bash_runs_it\": true}");
        let decoy = string(line, "class").is_some_and(|class| class == b"decoy");
        let script = read(&text, Shell::Bash);
        let hit = found(&script);
        let shown = String::from_utf8_lossy(&text);
        snippets += 1;
        plain += usize::from(hit);
        if runs {
            assert!(hit || announced(&script, place(&text)), "missed in {shown:?}");
        }
        let shadowed = text.starts_with(b"MARK()");
        if decoy && !shadowed {
            assert!(!hit, "a decoy is called a command: {shown:?}");
        }
    }
    assert!(snippets > 300 && plain > 300, "{snippets} snippets, {plain} found");
}

#[test]
fn composed_texts_hide_nothing() {
    if !bash_is_here() {
        return skipped("composed_texts_hide_nothing", "no bash");
    }
    let (seeds, each) = if long() { (5, 2000) } else { (3, 120) };
    for seed in 1..=seeds {
        let mut random = Random::new(seed * 7919);
        let texts: Vec<String> = (0..each).map(|_| compose::text(&mut random)).collect();
        let ran = run_all(&texts);
        let kept = ran.iter().filter(|ran| **ran).count();
        assert!(kept * 2 > texts.len(), "bash runs only {kept} of {}", texts.len());
        for (text, _) in texts.iter().zip(ran).filter(|(_, ran)| *ran) {
            let script = read(text.as_bytes(), Shell::Bash);
            assert_eq!(script.unreadable(), None, "refused: {text:?}");
            assert!(found(&script), "missed: {text:?}");
        }
    }
}

#[test]
fn the_shared_composer_finds_nothing_missing() {
    let name = "the_shared_composer_finds_nothing_missing";
    if !long() {
        return;
    }
    let Some(shared) = shared() else {
        return skipped(name, "no shared corpora at hand");
    };
    for seed in ["3", "1009", "77777"] {
        let composer = shared.join("reader/compose.py");
        let output = Command::new("python3").arg(composer).args(["1800", seed]).output();
        let Ok(output) = output else { return skipped(name, "no python3") };
        let mut texts = 0;
        for line in output.stdout.split(|&byte| byte == b'\n') {
            let Some(text) = string(line, "text") else { continue };
            let script = read(&text, Shell::Bash);
            let shown = String::from_utf8_lossy(&text);
            assert_eq!(script.unreadable(), None, "refused: {shown:?}");
            assert!(found(&script), "missed: {shown:?}");
            texts += 1;
        }
        assert!(texts > 1000, "only {texts} composed texts");
    }
}

fn bash_is_here() -> bool {
    Command::new("bash").arg("--version").stdout(Stdio::null()).status().is_ok()
}

/// Runs each text in an empty directory and says in which MARK was started.
fn run_all(texts: &[String]) -> Vec<bool> {
    let base = std::env::temp_dir().join(format!("ricasso-hidden-{}", std::process::id()));
    let mut ran = Vec::new();
    for text in texts {
        let _ = std::fs::remove_dir_all(&base);
        ran.push(runs(&base, text));
    }
    let _ = std::fs::remove_dir_all(&base);
    ran
}

/// The texts hold nothing but our own contexts and MARK, which only leaves a trace.
fn runs(base: &Path, text: &str) -> bool {
    let (bin, work, trace) = (base.join("bin"), base.join("w"), base.join("hit"));
    std::fs::create_dir_all(&bin).expect("the temporary directory is ours");
    std::fs::create_dir_all(&work).expect("the temporary directory is ours");
    let mark = format!("#!/bin/sh\n: > {}\n", trace.display());
    std::fs::write(bin.join("MARK"), mark).expect("the directory was made above");
    let status = Command::new("chmod").arg("755").arg(bin.join("MARK")).status();
    assert!(status.is_ok_and(|status| status.success()), "cannot make MARK executable");
    let _ = Command::new("timeout")
        .args(["5", "bash", "-c", text])
        .current_dir(&work)
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .env("LC_ALL", "C.UTF-8")
        .env("HOME", base)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    // A process substitution may outlive the shell that started it.
    for _ in 0..4 {
        if trace.exists() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    false
}
