//! Output: every byte kept and addressable, the reply bounded and exact about what it leaves out.

use crate::place::Place;
use serde_json::Value;

/// Reads the whole of a stream back.
fn whole(place: &Place, id: &str, stream: &str) -> Vec<u8> {
    let answer = place.call(&["output", id, "--stream", stream]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    answer.stdout
}

fn id(reply: &Value) -> &str {
    reply["id"].as_str().unwrap()
}

#[test]
fn a_long_output_is_cut_in_the_reply_and_whole_behind_it() {
    let place = Place::new();
    let reply = place.shell("seq 1 50000");
    let expected: String = (1..=50_000).map(|n| format!("{n}\n")).collect();
    assert_eq!(reply["output"]["stdout_bytes"], expected.len());
    let stdout = reply["stdout"].as_str().unwrap();
    assert!(stdout.len() < 40_000, "{} bytes", stdout.len());
    assert!(stdout.starts_with("1\n2\n") && stdout.ends_with("49999\n50000\n"));
    let omitted = &reply["output"]["omitted"][0];
    assert_eq!(omitted["stream"], "stdout");
    let range: Vec<usize> = serde_json::from_value(omitted["bytes"].clone()).unwrap();
    let bytes = format!("{}-{}", range[0], range[1]);
    let answer = place.call(&["output", id(&reply), "--stream", "stdout", "--bytes", &bytes]);
    assert_eq!(answer.stdout, &expected.as_bytes()[range[0]..range[1]]);
    assert!(stdout.contains(&bytes), "the marker says how to get it: {stdout:.200}");
    assert!(whole(&place, id(&reply), "stdout") == expected.as_bytes());
}

#[test]
fn a_failure_shows_more_of_its_end() {
    let place = Place::new();
    let good = place.shell("seq 1 50000");
    let bad = place.shell("seq 1 50000; exit 1");
    let tail = |reply: &Value| {
        let text = reply["stdout"].as_str().unwrap().to_string();
        text.len() - text.rfind("[").unwrap()
    };
    assert!(tail(&bad) > tail(&good), "{} and {}", tail(&bad), tail(&good));
}

#[test]
fn bytes_that_are_no_text_are_kept_exactly_and_marked_in_the_reply() {
    let place = Place::new();
    let reply = place.shell(r"printf 'a\377\000b\200\n'");
    assert_eq!(whole(&place, id(&reply), "stdout"), b"a\xff\x00b\x80\n");
    let shown = reply["stdout"].as_str().unwrap();
    // Each byte that is no text is named, so that nothing is swallowed without a word.
    assert!(shown.starts_with(r"a\xff") && shown.ends_with("b\\x80\n"), "{shown:?}");
}

#[test]
fn one_line_of_a_megabyte_does_not_eat_the_reply() {
    let place = Place::new();
    let reply = place.shell("head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end");
    let stdout = reply["stdout"].as_str().unwrap();
    assert!(stdout.len() < 10_000 && stdout.ends_with("end\n"), "{}", stdout.len());
    assert_eq!(whole(&place, id(&reply), "stdout").len(), 1_000_005);
}

#[test]
fn progress_lines_are_collapsed_and_counted() {
    let place = Place::new();
    let reply =
        place.shell("for i in $(seq 1 3000); do echo \"downloading $i of 3000\"; done; echo ok");
    let stdout = reply["stdout"].as_str().unwrap();
    assert!(stdout.len() < 4_000, "{stdout}");
    assert!(stdout.ends_with("ok\n"));
    assert_eq!(whole(&place, id(&reply), "stdout").iter().filter(|b| **b == b'\n').count(), 3001);
}

#[test]
fn lines_and_matches_can_be_asked_for() {
    let place = Place::new();
    let reply = place.shell("seq 1 5000; echo needle; seq 5001 9000");
    let lines = place.call(&["output", id(&reply), "--lines", "10-12"]);
    assert_eq!(lines.text(), "10\n11\n12\n");
    let found = place.call(&["output", id(&reply), "--grep", "^nee"]);
    assert!(found.text().contains("needle"), "{}", found.text());
    let wrong = place.call(&["output", id(&reply), "--grep", "("]);
    assert_eq!(wrong.code, 125, "{}", wrong.stderr);
}

#[test]
fn both_streams_come_back_in_the_order_seen() {
    let place = Place::new();
    let reply =
        place.shell("for i in 1 2 3; do echo out$i; sleep 0.05; echo err$i >&2; sleep 0.05; done");
    let answer = place.call(&["output", id(&reply)]);
    assert_eq!(answer.text(), "out1\nerr1\nout2\nerr2\nout3\nerr3\n");
    assert_eq!(reply["stdout"], "out1\nout2\nout3\n");
    assert_eq!(reply["stderr"], "err1\nerr2\nerr3\n");
}

#[test]
fn output_can_be_read_while_the_job_runs() {
    let place = Place::new();
    let mark = crate::place::mark();
    let mut child = place.start(&["-c", &format!("echo early; sleep {mark}")]);
    crate::place::eventually("the first line can be read", || {
        let jobs = std::fs::read_dir(place.state().join("jobs"));
        let Some(job) = jobs.ok().and_then(|mut jobs| jobs.next()) else { return false };
        let id = job.unwrap().file_name().into_string().unwrap();
        place.call(&["output", &id]).text() == "early\n"
    });
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_secret_is_taken_out_of_every_view_but_the_spool() {
    let place = Place::new();
    let token = format!("ghp_{}", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    let text = format!("echo 'the token is {token}.'; echo {token} >&2");
    let reply = place.shell(&text);
    let printed = reply.to_string();
    assert!(!printed.contains(&token), "{printed}");
    assert!(printed.contains("[REDACTED:github-token]"), "{printed}");
    assert!(reply["output"]["redactions"].as_u64().unwrap() >= 2, "{reply}");
    let id = id(&reply);
    for args in [
        vec!["output", id],
        vec!["output", id, "--bytes", "0-30"],
        vec!["output", id, "--bytes", "20-40"],
        vec!["output", id, "--grep", "token"],
    ] {
        let text = place.call(&args).text();
        assert!(!text.contains("A1b2C3d4"), "{args:?}: {text}");
        assert!(!text.contains("O5p6Q7r8"), "{args:?}: {text}");
    }
    let live = place.call(&["run", "--mode", "open", "-c", &text]);
    assert!(!live.text().contains(&token) && !live.stderr.contains(&token), "{}", live.text());
    for line in crate::deaths::ledger_lines(&place) {
        assert!(!line.to_string().contains(&token), "{line}");
    }
    let raw = std::fs::read(place.state().join("jobs").join(id).join("stdout")).unwrap();
    assert!(String::from_utf8(raw).unwrap().contains(&token), "the spool keeps every byte");
}

#[test]
fn a_job_without_output_and_an_unknown_id_are_told_apart() {
    let place = Place::new();
    let reply = place.shell("true");
    assert_eq!(whole(&place, id(&reply), "both"), b"");
    let answer = place.call(&["output", "0000000000000000000000000z"]);
    assert_eq!(answer.code, 125);
    assert!(answer.stderr.contains("no job"), "{}", answer.stderr);
    let answer = place.call(&["output", "../../etc/passwd"]);
    assert_eq!(answer.code, 125);
}

#[test]
fn the_value_of_a_secret_variable_is_taken_out_then_and_later() {
    let place = Place::new();
    let secret = "correct-horse-battery";
    let variable = format!("MY_TOKEN={secret}");
    let text = "echo \"it is $MY_TOKEN.\"; printf %s \"$MY_TOKEN\" | base64";
    let reply = place.json(&["--env", &variable, "-c", text]);
    assert!(!reply.to_string().contains(secret), "{reply}");
    assert_eq!(reply["output"]["redactions"], 2, "{reply}");
    let later = place.call(&["output", id(&reply)]).text();
    assert!(later.starts_with("it is [REDACTED:") && !later.contains(secret), "{later}");
}

/// Sets the time at which a file was last changed back by days.
fn age(path: &std::path::Path, days: u64) {
    let file = std::fs::File::open(path).unwrap();
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(days * 86_400);
    file.set_modified(then).unwrap();
}

#[test]
fn spools_that_are_too_old_or_too_many_are_removed_and_others_kept() {
    let place = Place::new();
    let dir = |reply: &Value| place.state().join("jobs").join(id(reply));
    let old = place.shell("echo old");
    let young = place.shell("echo young");
    age(&dir(&old).join("reply"), 8);
    // Somebody looks every ten minutes; the directory tells when that was.
    age(&place.state(), 1);
    place.shell("true");
    assert!(!dir(&old).exists() && dir(&young).exists(), "older than seven days");
    let large = place.shell("head -c 300000 /dev/zero");
    age(&dir(&large).join("reply"), 1);
    age(&place.state(), 1);
    let policy = place.write("p.toml", "extends = \"open\"\n[jobs]\nquota = \"100KiB\"\n");
    place.call(&["run", "--policy", policy.to_str().unwrap(), "-c", "true"]);
    assert!(!dir(&large).exists() && dir(&young).exists(), "beyond the quota");
}
