//! The README's two commands where people meet them first: in a fresh Debian root, entered by
//! chroot or as the root of a machine, in a default container, and in one that allows user
//! namespaces but no new /proc, as Podman's do.
//!
//! Everything is made below `target/fresh` and removed at the end. Every mount is made in a mount
//! namespace of its own and ends with it, so that removing never reaches through one.

mod debian;
mod docker;
mod place;

use crate::host::is_root;
use place::{Actor, Place, Shape};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The test command may take this long from a cold cache on two cores, set-up not counted.
const TESTS_AT_MOST: Duration = Duration::from_secs(600);
/// The first command may ask apt for this many packages.
const PACKAGES_AT_MOST: usize = 2;
/// What the first command prints.
const GREETING: &str = "hello from ricasso";

/// What to run, and where.
pub(crate) struct Wanted {
    shapes: Vec<Shape>,
    actors: Vec<Actor>,
    only_first: bool,
    /// A Debian root that is copied instead of making one.
    base: Option<PathBuf>,
}

impl Wanted {
    /// Reads the words after `fresh`; none for words that it does not know.
    pub(crate) fn read(words: &[&str]) -> Option<Wanted> {
        let mut wanted =
            Wanted { shapes: Vec::new(), actors: Vec::new(), only_first: false, base: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "chroot" => wanted.shapes.push(Shape::Chroot),
                "container" => wanted.shapes.push(Shape::Container),
                "machine" => wanted.shapes.push(Shape::Machine),
                "podman-shape" => wanted.shapes.push(Shape::Podman),
                "--root" => wanted.actors.push(Actor::Root),
                "--user" => wanted.actors.push(Actor::User),
                "--only-first" => wanted.only_first = true,
                "--base" => wanted.base = Some(PathBuf::from(words.next()?)),
                _ => return None,
            }
        }
        if wanted.shapes.is_empty() {
            wanted.shapes = vec![Shape::Chroot, Shape::Container, Shape::Machine, Shape::Podman];
        }
        if wanted.actors.is_empty() {
            wanted.actors = vec![Actor::Root, Actor::User];
        }
        Some(wanted)
    }
}

/// The stage of `check --full`: all of it, or one skipped part where this is not root.
pub(crate) fn stage(root: &Path, skip_log: &Path) -> bool {
    if !is_root() {
        let line = "part\tfresh\tall\tonly root can make a Debian root and start a container\n";
        let log = fs::OpenOptions::new().append(true).create(true).open(skip_log);
        return log.and_then(|mut log| io::Write::write_all(&mut log, line.as_bytes())).is_ok();
    }
    Wanted::read(&[]).is_some_and(|wanted| run(root, &wanted))
}

/// Follows the README in every place that is wanted. True when every command held its promises.
pub(crate) fn run(root: &Path, wanted: &Wanted) -> bool {
    if !is_root() {
        eprintln!("fresh needs root: it makes a Debian root and starts a container");
        return false;
    }
    match follow_everywhere(root, wanted) {
        Ok(good) => good,
        Err(error) => {
            println!("fresh: {error}");
            false
        }
    }
}

fn follow_everywhere(root: &Path, wanted: &Wanted) -> io::Result<bool> {
    let workshop = debian::Workshop::make(&root.join("target/fresh"))?;
    let base = workshop.debian_root(wanted.base.as_deref())?;
    let clone = workshop.furnish(&base, root)?;
    let commands = commands_of(&fs::read_to_string(clone.join("README.md"))?)?;
    let mut good = true;
    for shape in &wanted.shapes {
        let place = Place::open(*shape, &workshop, &base)?;
        let first_only = wanted.only_first || *shape == Shape::Podman;
        if !wanted.actors.contains(&Actor::Root) {
            // Only root can install; a user finds everything there.
            let command = if first_only { &commands[0] } else { &commands[1] };
            place.run(Actor::Root, parts(command)[0], "set-up")?;
        }
        for actor in &wanted.actors {
            good &= first_command(&place, *actor, &commands[0])?;
            good &= first_only || test_command(&place, *actor, &commands[1])?;
        }
    }
    Ok(good)
}

/// It prints its greeting, and apt was asked for at most two packages.
fn first_command(place: &Place<'_>, actor: Actor, command: &str) -> io::Result<bool> {
    let begun = Instant::now();
    let ran = place.run(actor, command, "first")?;
    let seconds = begun.elapsed().as_secs_f64();
    let packages = packages_asked_for(&place.apt_history()?);
    let few = actor == Actor::User || packages.len() <= PACKAGES_AT_MOST;
    let greeted = ran.output.lines().any(|line| line == GREETING);
    let good = ran.success && greeted && few;
    tell(place, actor, "first command", good, seconds, &format!("apt: {}", packages.join(" ")));
    Ok(good)
}

/// It ends with `0 failed` within its time. The parts of the line are run one after the other, so
/// that the time of the set-up, which is that of the network, can be left out.
fn test_command(place: &Place<'_>, actor: Actor, command: &str) -> io::Result<bool> {
    let parts = parts(command);
    let (tests, set_up) = parts.split_last().unwrap_or((&command, &[]));
    for part in set_up {
        if !place.run(actor, part, "set-up")?.success {
            tell(place, actor, "test command", false, 0.0, part);
            return Ok(false);
        }
    }
    let begun = Instant::now();
    let ran = place.run(actor, tests, "tests")?;
    let took = begun.elapsed();
    let counts = ran.output.lines().next_back().unwrap_or_default().to_owned();
    let good = ran.success && counts.contains(", 0 failed, ") && took <= TESTS_AT_MOST;
    tell(place, actor, "test command", good, took.as_secs_f64(), &counts);
    Ok(good)
}

fn tell(place: &Place<'_>, actor: Actor, what: &str, good: bool, seconds: f64, detail: &str) {
    let word = if good { "ok" } else { "FAILED" };
    println!("{word:<7} {}, {actor}: {what} {seconds:.1} s; {detail}", place.name());
    if !good {
        println!("        its output is in {}", place.logs().display());
    }
}

/// The first two blocks of shell text: the first command, and the test command.
fn commands_of(readme: &str) -> io::Result<[String; 2]> {
    let blocks = readme.split("\n```sh\n").skip(1);
    let mut texts = blocks.filter_map(|block| block.split_once("\n```")).map(|(text, _)| text);
    match (texts.next(), texts.next()) {
        (Some(first), Some(second)) => Ok([first.to_owned(), second.to_owned()]),
        _ => Err(io::Error::other("README.md has no two blocks of sh")),
    }
}

/// What a line joins by `&&`.
fn parts(command: &str) -> Vec<&str> {
    command.split(" && ").map(str::trim).collect()
}

/// The packages that somebody named to apt, from its own history.
fn packages_asked_for(history: &str) -> Vec<String> {
    let lines = history.lines().filter_map(|line| line.strip_prefix("Commandline: "));
    let asked = lines.filter_map(|line| line.split_once(" install "));
    let words = asked.flat_map(|(_, words)| words.split_whitespace());
    words.filter(|word| !word.starts_with('-')).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_the_first_two_blocks_of_the_readme() {
        let readme = "# a\n\n```sh\nmake it\n```\n\n```\noutput\n```\n\n```sh\ncd b && test\n```\n";
        assert_eq!(commands_of(readme).unwrap(), ["make it", "cd b && test"]);
        assert!(commands_of("# a\n\n```sh\nmake it\n```\n").is_err());
    }

    #[test]
    fn packages_are_what_apt_was_asked_for_and_not_what_they_need() {
        let history = "\nStart-Date: 2026-01-01\nCommandline: apt-get -q -y -o A=120 install \
                       --no-install-recommends gcc libc6-dev\nInstall: cpp:amd64 (12), ...\n";
        assert_eq!(packages_asked_for(history), ["gcc", "libc6-dev"]);
    }

    #[test]
    fn words_choose_places_and_actors_and_none_mean_all() {
        let all = Wanted::read(&[]).unwrap();
        assert_eq!((all.shapes.len(), all.actors.len(), all.only_first), (4, 2, false));
        let one = Wanted::read(&["container", "--user", "--only-first"]).unwrap();
        assert_eq!((one.shapes.as_slice(), one.only_first), (&[Shape::Container][..], true));
        assert_eq!(one.actors, [Actor::User]);
        assert!(Wanted::read(&["cellar"]).is_none() && Wanted::read(&["--base"]).is_none());
    }
}
