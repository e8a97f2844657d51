//! Many jobs: nothing grows, nothing mixes, nothing is lost.

use crate::library::{engine, request};
use crate::place::{Place, rounds};
use ricasso_os::Cancel;
use std::fs;

/// Other tests run in this process at the same time and have descriptors of their own, so the
/// engine under test runs in the example program.
#[test]
fn thousands_of_short_jobs_leave_descriptors_threads_and_memory_as_they_were() {
    let place = Place::new();
    let example = crate::place::program().with_file_name("examples").join("many");
    assert!(example.exists(), "{} is built with the tests", example.display());
    let output = std::process::Command::new(example)
        .arg(rounds(5000).to_string())
        .current_dir(place.work())
        .env("XDG_STATE_HOME", place.root.join("state"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text} {stderr}");
    let numbers: Vec<i64> = text.split_whitespace().map(|n| n.parse().unwrap()).collect();
    let [fds, threads, kib] = numbers.as_slice() else { panic!("{text}") };
    assert_eq!(*threads, 0, "growth of threads");
    // Both spare wardens and what waits for the next job may be there or just being made.
    assert!(fds.abs() <= 4, "growth of descriptors: {fds}");
    assert!(*kib < 4096, "resident memory grew by {kib} KiB");
}

#[test]
fn two_hundred_jobs_at_once_all_end_and_nothing_is_mixed() {
    let place = Place::new();
    let engine = engine(&place);
    let start = |number: usize| {
        let text = format!(
            "for i in 1 2 3 4 5; do echo out{number}; echo err{number} >&2; sleep 0.01; done; exit {}",
            number % 100
        );
        engine.start(&request(&place, &text), Cancel::new().unwrap()).unwrap()
    };
    let jobs: Vec<_> = (0..200).map(start).collect();
    for (number, job) in jobs.into_iter().enumerate() {
        let reply = job.wait().unwrap();
        assert_eq!(reply.exit_code, Some(number as i32 % 100));
        assert_eq!(reply.stdout.as_str(), format!("out{number}\n").repeat(5));
        assert_eq!(reply.stderr.as_str(), format!("err{number}\n").repeat(5));
    }
}

/// A twentieth of the gibibyte in the tests, all of it in the long form.
#[test]
fn a_great_output_is_read_back_identical_with_little_memory() {
    let place = Place::new();
    let bytes = rounds(1 << 30);
    let text = format!("yes 'a line of a log 0123456789abcdef' | head -c {bytes}");
    let mut child = place.start(&["--json", "-c", &text]);
    let mut peak = 0usize;
    let pid = child.id();
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        peak = peak.max(kib.unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    let reply: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reply["output"]["stdout_bytes"], bytes);
    assert!(peak > 0 && peak < 64 * 1024, "peak of {peak} KiB");
    let id = reply["id"].as_str().unwrap();
    let digest = |command: &str| {
        let mut shell = std::process::Command::new("bash");
        shell.args(["-c", &format!("{command} | sha256sum")]);
        shell.env("XDG_STATE_HOME", place.root.join("state"));
        String::from_utf8(shell.output().unwrap().stdout).unwrap()
    };
    let program = crate::place::program();
    let back = digest(&format!("{} output {id} --stream stdout", program.display()));
    assert_eq!(back, digest(&text));
}
