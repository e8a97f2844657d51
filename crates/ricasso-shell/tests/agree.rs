//! Agreement with `bash -n`: what bash accepts is read, what it refuses is refused.
//!
//! Texts: the shared corpora, the shell scripts installed on this machine, and mutations of both.
//! `bash -n` only reads. Texts that bash refuses and we accept must belong to a class that
//! `cases/parse/accepted.txt` lists and explains.

use std::io::Write as _;
use std::process::{Command, Stdio};

use ricasso_fuzz::corpus::{commands, installed, long, shared, skipped, skipped_part, snippets};
use ricasso_fuzz::mutate::mutate;
use ricasso_fuzz::random::Random;
use ricasso_shell::{How, Shell, read};

/// Of what bash accepts, at most this share may be refused by us.
const REFUSED_REAL: f64 = 0.0005;
const REFUSED_MUTATED: f64 = 0.003;

/// Of what bash refuses, at most this share may be accepted by us.
const ACCEPTED: f64 = 0.01;

/// Scripts longer than this are not mutated whole.
const MUTATED_BYTES: usize = 3_000;

#[test]
fn corpora_are_read_as_bash_reads_them() {
    let Some(shared) = shared() else {
        return skipped("corpora_are_read_as_bash_reads_them", "no shared corpora at hand");
    };
    let texts = commands(&shared);
    assert!(texts.len() > 1_000, "only {} texts", texts.len());
    let step = if long() { 1 } else { 6 };
    compare(
        "corpora_are_read_as_bash_reads_them",
        texts.into_iter().step_by(step).collect(),
        REFUSED_REAL,
    );
}

#[test]
fn installed_scripts_are_read_as_bash_reads_them() {
    let scripts = installed();
    if scripts.len() < 20 {
        let reason = "hardly any shell script is installed";
        return skipped("installed_scripts_are_read_as_bash_reads_them", reason);
    }
    let step = if long() { 1 } else { 3 };
    compare(
        "installed_scripts_are_read_as_bash_reads_them",
        scripts.into_iter().step_by(step).collect(),
        REFUSED_REAL,
    );
}

#[test]
fn mutated_texts_are_read_as_bash_reads_them() {
    let mut pool = ricasso_fuzz::corpus::own();
    match shared() {
        Some(shared) => {
            pool.extend(commands(&shared));
            (0..3).for_each(|_| pool.extend(snippets(&shared)));
        }
        None => {
            let name = "mutated_texts_are_read_as_bash_reads_them";
            skipped_part(name, "corpora", "no shared corpora at hand");
        }
    }
    pool.extend(installed());
    let count = if long() { 24_000 } else { 1_200 };
    let mut random = Random::new(4711);
    let texts = (0..count).map(|_| {
        let text = part_of(&mut random, &pool);
        let mut text = mutate(&mut random, &text, &pool, MUTATED_BYTES);
        text.retain(|&byte| byte != 0);
        text
    });
    let texts: Vec<Vec<u8>> = texts.collect();
    compare("mutated_texts_are_read_as_bash_reads_them", texts, REFUSED_MUTATED);
}

/// One text of the pool, or some lines of it where it is long.
fn part_of(random: &mut Random, pool: &[Vec<u8>]) -> Vec<u8> {
    let text = random.pick(pool);
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    if text.len() < 400 || lines.len() < 12 {
        return text.clone();
    }
    let first = random.below(lines.len() - 8);
    let last = (first + 4 + random.below(26)).min(lines.len());
    lines[first..last].join(&b'\n')
}

fn compare(name: &str, texts: Vec<Vec<u8>>, refused_share: f64) {
    let texts: Vec<Vec<u8>> = texts.into_iter().filter(|text| !text.contains(&0)).collect();
    let Some(accepts) = bash_accepts(&texts) else {
        return skipped(name, "no bash");
    };
    let (mut accepted, mut refused) = (0usize, 0usize);
    let (mut over, mut under) = (Vec::new(), Vec::new());
    for (text, bash) in texts.iter().zip(accepts) {
        let script = read(text, Shell::Bash);
        let ours = script.unreadable().is_none();
        *(if bash { &mut accepted } else { &mut refused }) += 1;
        if bash && !ours {
            over.push(format!("{:?}", String::from_utf8_lossy(text)));
        }
        if !bash && ours && class(text, &script).is_none() {
            under.push(format!("{:?}", String::from_utf8_lossy(text)));
        }
        if !bash && ours {
            // Whatever its class, it counts against the share below.
            under.push(String::new());
        }
    }
    let unexplained: Vec<&String> = under.iter().filter(|text| !text.is_empty()).collect();
    let accepted_too = under.iter().filter(|text| text.is_empty()).count();
    let report = format!(
        "{name}: bash accepts {accepted}, of which we refuse {}; it refuses {refused}, of which \
         we accept {accepted_too}",
        over.len()
    );
    let _ = writeln!(std::io::stderr(), "{report}");
    for text in &over {
        let _ = writeln!(std::io::stderr(), "refused by us alone: {text}");
    }
    let allowed = (accepted as f64 * refused_share).max(if long() { 0.0 } else { 1.0 });
    assert!(over.len() as f64 <= allowed, "{report}\n{}", over.join("\n"));
    assert!(unexplained.is_empty(), "{report}\nno class explains {unexplained:?}");
    let allowed = (refused as f64 * ACCEPTED).max(if long() { 0.0 } else { 2.0 });
    assert!(accepted_too as f64 <= allowed, "{report}");
}

/// The class that explains why a text is accepted that bash refuses; each is in `accepted.txt`.
fn class(text: &[u8], script: &ricasso_shell::Script) -> Option<&'static str> {
    let listed = include_str!("../../../cases/parse/accepted.txt");
    let has = |needle: &[u8]| text.windows(needle.len()).any(|window| window == needle);
    let name = if has(b"extglob") {
        "extglob"
    } else if text.ends_with(b"\\") {
        "backslash-at-end"
    } else if script.code().any(|code| code.how == How::Broken) {
        "announced-broken"
    } else {
        return None;
    };
    assert!(listed.lines().any(|line| line.starts_with(&format!("{name}:"))), "{name}");
    Some(name)
}

/// What `bash -n` says to each text; nothing where there is no bash.
fn bash_accepts(texts: &[Vec<u8>]) -> Option<Vec<bool>> {
    let half = texts.len().div_ceil(2).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = texts
            .chunks(half)
            .map(|part| scope.spawn(move || part.iter().map(|text| accepts(text)).collect()))
            .collect();
        let parts = parts.into_iter().map(|part| part.join().expect("bash -n does not panic"));
        let parts: Vec<Option<Vec<bool>>> = parts.collect();
        parts.into_iter().collect::<Option<Vec<_>>>().map(|parts| parts.concat())
    })
}

fn accepts(text: &[u8]) -> Option<bool> {
    let mut child = Command::new("bash")
        .args(["--noprofile", "--norc", "-n"])
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    // Bash may stop reading at an error; the broken pipe is no failure of ours.
    let _ = stdin.write_all(text);
    drop(stdin);
    Some(child.wait().ok()?.success())
}
