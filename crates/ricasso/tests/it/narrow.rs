//! Where the caller left little: what we take for ourselves is not for commands, what could not be
//! tried is no answer, and a refusal says what is so and what to do.

use crate::cage::powers;
use crate::escape::stage::{Actor, Hall, Machine, Stage};
use crate::place::{Place, skip};
use ricasso_os::Namespaces;

#[test]
fn a_cage_in_a_cage_says_what_is_so() {
    let name = "a_cage_in_a_cage_says_what_is_so";
    let powers = powers();
    if !powers.notify || (powers.namespaces == Namespaces::None && powers.landlock < 6) {
        return skip(name, "this machine builds no cage that asks");
    }
    let Some(hall) = Hall::new() else {
        return skip(name, "there is no C compiler for the probe");
    };
    for actor in hall.actors() {
        let stage = Stage::new(&hall, actor);
        let text = "export HOME=$TMPDIR XDG_STATE_HOME=$TMPDIR; [ -n \"$TMPDIR\" ] || \
                    export HOME=/tmp XDG_STATE_HOME=/tmp
                    {bin}/ricasso run --mode workspace --root {work} -- /bin/echo inner";
        let reply = stage.work(text, &["--mode", "workspace"], Machine::Plain);
        let told = reply["stderr"].as_str().unwrap();
        assert_eq!(reply["exit_code"], 125, "{actor:?}: {reply}");
        for words in ["ricasso runs in a cage of ricasso", "run the command itself"] {
            assert!(told.contains(words), "{actor:?}: {told}");
        }
        assert!(!told.contains("try again") && !told.contains("inner"), "{actor:?}: {told}");
    }
}

#[test]
fn what_could_not_be_tried_is_no_weaker_cage() {
    let name = "what_could_not_be_tried_is_no_weaker_cage";
    let Some(hall) = Hall::new() else {
        return skip(name, "there is no C compiler for the probe");
    };
    if powers().namespaces == Namespaces::None || !hall.actors().contains(&Actor::Nobody) {
        return skip(name, "there are no namespaces here, or nobody whose processes are counted");
    }
    let stage = Stage::new(&hall, Actor::Nobody);
    let told = stage.work_under("/usr/bin/prlimit --nproc=1", "echo ran").unwrap_err();
    assert!(told.contains("cannot find out what a cage can be built from"), "{told}");
    assert!(told.contains("ulimit -u"), "{told}");
}

#[test]
fn a_program_that_its_cage_does_not_show_is_told_as_such() {
    let name = "a_program_that_its_cage_does_not_show";
    if powers().namespaces == Namespaces::None {
        return skip(name, "there are no namespaces here");
    }
    let place = Place::new();
    let hidden = place.root.join("hidden");
    std::fs::copy("/bin/true", &hidden).unwrap();
    let hidden = hidden.to_str().unwrap();
    if !hidden.starts_with("/tmp/") {
        return skip(name, "temporary files lie elsewhere");
    }
    let answer = place.call(&["run", "--mode", "workspace", "--", hidden]);
    assert_eq!(answer.code, 127, "{}", answer.stderr);
    assert!(answer.stderr.contains("not in the view of its cage"), "{}", answer.stderr);
    let script = place.write("script", "#!/no/such/shell\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    let answer = place.call(&["run", "--mode", "open", "--", "./script"]);
    assert!(answer.stderr.contains("first line names, /no/such/shell,"), "{}", answer.stderr);
}

#[test]
fn places_that_cannot_be_used_are_told_with_what_to_do() {
    let place = Place::new();
    place.write("file", "");
    let answer = place.call(&["run", "--root", "file", "-c", "true"]);
    assert!(answer.stderr.contains("it is no directory; name one"), "{}", answer.stderr);
    let answer = place.call(&["run", "--root", "/", "-c", "true"]);
    assert!(answer.stderr.contains("name a directory below it"), "{}", answer.stderr);
    let answer = place.call(&["run", "--root", &"d".repeat(300), "-c", "true"]);
    assert!(answer.stderr.contains("longer than the kernel takes"), "{}", answer.stderr);
    let answer = place.call(&["run", "--mode", "workspace", "--stdin", "/etc", "--", "cat"]);
    assert!(answer.stderr.contains("name a file instead of /etc"), "{}", answer.stderr);
}
