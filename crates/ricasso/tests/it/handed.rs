//! What callers hand over by a name that lies where commands write: a command before may have put a
//! link there.

use crate::place::Place;
use std::fs;
use std::os::unix::fs::symlink;

const SECRET: &str = "sesame-of-the-home";

/// A home with a secret, and a workspace whose names lead there by links.
fn turned() -> Place {
    let place = Place::new();
    let keys = place.root.join("home/.ssh");
    fs::create_dir(&keys).unwrap();
    fs::write(keys.join("key"), SECRET).unwrap();
    symlink(keys.join("key"), place.work().join("link")).unwrap();
    symlink(&keys, place.work().join("linked")).unwrap();
    fs::create_dir(place.work().join("real")).unwrap();
    place.write("real/plain", "nothing of note");
    symlink("real/plain", place.work().join("inside")).unwrap();
    place
}

/// Everything that a call said.
fn said(place: &Place, mode: &str, rest: &[&str]) -> String {
    let root = place.work().display().to_string();
    let answer = place.call(&[&["run", "--mode", mode, "--root", &root], rest].concat());
    format!("{}{}", answer.text(), answer.stderr)
}

#[test]
fn a_link_that_a_command_turned_hands_over_no_secret() {
    let place = turned();
    let ways: [&[&str]; 3] = [
        &["--stdin", "link", "--", "cat"],
        &["--stdin", "linked/key", "--", "cat"],
        &["--script", "link"],
    ];
    for way in ways {
        assert!(said(&place, "open", way).contains(SECRET), "{way:?} in the open");
        for mode in ["read", "workspace"] {
            let told = said(&place, mode, way);
            assert!(!told.contains(SECRET), "{mode} {way:?}: {told}");
            assert!(told.contains("link out of the workspace"), "{mode} {way:?}: {told}");
        }
    }
}

#[test]
fn what_is_named_itself_or_stays_in_the_workspace_is_handed_over() {
    let place = turned();
    for mode in ["read", "workspace"] {
        let told = said(&place, mode, &["--stdin", "inside", "--", "cat"]);
        assert!(told.contains("nothing of note"), "{mode}: {told}");
        let key = place.root.join("home/.ssh/key").display().to_string();
        let told = said(&place, mode, &["--stdin", &key, "--", "cat"]);
        assert!(told.contains(SECRET), "{mode}: {told}");
    }
}

#[test]
fn a_workspace_that_a_link_leads_to_is_not_what_is_hidden() {
    let place = turned();
    let linked = place.work().join("linked");
    // The text names nothing that is hidden, so it is for the walls to hold.
    place.write("act.sh", "cat \"$HOME\"/.ssh/key; echo x > \"$HOME\"/.ssh/new");
    let act = place.work().join("act.sh").display().to_string();
    let call = |root: &std::path::Path| {
        let root = root.display().to_string();
        place.call(&["run", "--mode", "workspace", "--root", &root, "--", "/bin/sh", &act])
    };
    let answer = call(&linked);
    let told = format!("{}{}", answer.text(), answer.stderr);
    assert!(!told.contains(SECRET) && told.contains("and that is hidden"), "{told}");
    assert!(!place.root.join("home/.ssh/new").exists());
    // A link to any other place is a workspace like another.
    symlink("real", place.work().join("other")).unwrap();
    assert_ne!(call(&place.work().join("other")).code, 125);
}
