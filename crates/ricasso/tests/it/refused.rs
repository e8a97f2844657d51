//! Work that a wall stops: it fails, nobody outside is reached, and the reply says by which wall and
//! what would help. The acts are data, in `cases/work/refused.toml`.

use crate::cage::{engine, hosts, powers};
use crate::escape::stage::{Actor, Hall, Machine, Stage};
use crate::place::{Place, copy_program, is_long, needs_installed_programs, program};
use crate::place::{skip, skip_part};
use ricasso_engine::policy::{Policy, Preset};
use ricasso_os::Cancel;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What is told of walls without a name. Eight of these are enough for anybody.
const REACHING: [&str; 4] = ["socket", "connect", "look-up", "trace"];
const MOST_REACHED: usize = 8;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    refused: Vec<Refused>,
    quiet: Vec<Quiet>,
}

/// One row of what is stopped.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    name: String,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    before: Option<String>,
    #[serde(default = "workspace")]
    mode: String,
    /// Whether somebody listens outside and in the workspace.
    #[serde(default)]
    daemon: bool,
    /// What the remedy names, with which the daemon is reached.
    #[serde(default)]
    granted: Vec<String>,
    act: String,
    told: Told,
    /// Where there are no namespaces.
    #[serde(default)]
    spaceless: Option<Told>,
    /// Where the kernel tells unix sockets apart by their path.
    #[serde(default)]
    by_path: Option<Told>,
}

impl Refused {
    /// What must be told on this machine; nothing where no wall stops it.
    fn expected(&self, machine: Machine) -> Option<&Told> {
        if self.told.target == "unix" && powers().tells_sockets_apart() {
            return self.by_path.as_ref();
        }
        let spaceless = self.spaceless.as_ref().filter(|_| !machine.has_namespaces());
        spaceless.or(Some(&self.told))
    }
}

/// The denial that must stand in the reply.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    operation: String,
    target: String,
    by: String,
    #[serde(default)]
    program: Option<String>,
    remedy: String,
}

/// One row of what is not.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Quiet {
    name: String,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    before: Option<String>,
    /// Whether it needs them.
    #[serde(default)]
    namespaces: bool,
    act: String,
}

fn workspace() -> String {
    "workspace".into()
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/work")
}

fn rows() -> File {
    let text = fs::read_to_string(cases().join("refused.toml")).unwrap();
    let mut file: File = toml::from_str(&text).unwrap();
    let word = std::env::var("RICASSO_WORK").unwrap_or_default();
    file.refused.retain(|row| row.name.contains(&word));
    file.quiet.retain(|row| row.name.contains(&word));
    file
}

/// A hall with the program that reaches out, and a client of containers where one was unpacked.
fn furnished() -> Hall {
    let hall = Hall::new();
    let bin = PathBuf::from(Stage::new(&hall, hall.actors().remove(0)).fill("{bin}"));
    let (source, reach) = (cases().join("reach.c"), bin.join("reach"));
    let built = Command::new("cc").arg("-o").arg(&reach).arg(&source).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    fs::copy(source, bin.join("reach.c")).unwrap();
    let client = program().parent().unwrap().with_file_name("tools").join("docker");
    if client.exists() {
        copy_program(&client, &bin.join("docker"));
    }
    hall
}

/// Each user on one kind of machine, or all on all.
fn tries(hall: &Hall) -> Vec<(Actor, Machine)> {
    let mut all = Vec::new();
    for (index, actor) in hall.actors().into_iter().enumerate() {
        for machine in [Machine::Plain, Machine::WithoutNamespaces] {
            if is_long() || hall.actors().len() == 1 || (index == 0) == (machine == Machine::Plain)
            {
                all.push((actor, machine));
            }
        }
    }
    all
}

/// A text with the programs of the suite behind those of the machine.
fn placed(text: &str) -> String {
    format!("PATH=\"$PATH:{{bin}}\"\n{}", text.replace("{reach}", "{bin}/reach"))
}

fn has_all(stage: &Stage, (name, what): (&str, &str), needs: &[String]) -> bool {
    let lacking =
        |tool: &&String| !stage.outside(&placed(&format!("command -v {tool}"))).status.success();
    let Some(missing) = needs.iter().find(lacking) else { return true };
    assert!(needs_installed_programs(needs), "{what}: there is no {missing}");
    skip_part(name, what, &format!("there is no {missing}"));
    false
}

fn prepare(stage: &Stage, what: &str, before: Option<&String>) {
    let Some(text) = before else { return };
    let done = stage.outside(&placed(text));
    assert!(done.status.success(), "{what}: before: {}", String::from_utf8_lossy(&done.stderr));
}

/// Listeners that whoever can may reach.
struct Daemons(Vec<UnixListener>);

impl Daemons {
    fn listen(stage: &Stage) -> Daemons {
        let at = |place: &str| {
            let path = stage.fill(place);
            let listener = UnixListener::bind(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
            listener.set_nonblocking(true).unwrap();
            listener
        };
        Daemons(["{out}/daemon.sock", "{work}/daemon.sock"].map(at).into())
    }

    /// How many came while something was done. Each is sent away at once.
    fn reached<T: Send>(&self, done: impl FnOnce() -> T + Send) -> (T, usize) {
        let visitors = || self.0.iter().filter(|listener| listener.accept().is_ok()).count();
        std::thread::scope(|scope| {
            let act = scope.spawn(done);
            let mut count = 0;
            while !act.is_finished() {
                count += visitors();
                std::thread::sleep(Duration::from_millis(2));
            }
            (act.join().unwrap(), count + visitors())
        })
    }
}

/// Its denials of walls without a name.
pub(crate) fn reaching(reply: &Value) -> Vec<&Value> {
    let all = reply["denials"].as_array().unwrap().iter();
    all.filter(|it| REACHING.iter().any(|one| it["operation"] == *one)).collect()
}

fn is_told(reply: &Value, told: &Told) -> bool {
    let text = |denial: &Value, key: &str| denial[key].as_str().unwrap_or_default().to_string();
    reaching(reply).into_iter().any(|denial| {
        let program = told.program.as_ref().is_none_or(|name| text(denial, "program") == *name);
        program
            && text(denial, "operation") == told.operation
            && text(denial, "target").ends_with(&told.target)
            && text(denial, "by") == told.by
            && text(denial, "remedy").contains(&told.remedy)
    })
}

fn has_no_cage(reply: &Value) -> bool {
    reply["reasons"][0]["rule"] == "not-enforceable"
}

#[test]
fn what_a_wall_stops_is_told_with_the_wall_and_a_remedy() {
    let mut rows = rows().refused;
    rows.retain(|row| !needs_installed_programs(&row.needs));
    are_told("what_a_wall_stops_is_told_with_the_wall_and_a_remedy", &rows);
}

mod installed {
    use super::{are_told, needs_installed_programs, rows};

    #[test]
    fn what_a_wall_stops_in_installed_programs_is_told_too() {
        let mut rows = rows().refused;
        rows.retain(|row| needs_installed_programs(&row.needs));
        are_told("what_a_wall_stops_in_installed_programs_is_told_too", &rows);
    }
}

/// Checks that each row fails, reaches nobody, and is told as it says.
fn are_told(name: &str, rows: &[Refused]) {
    let hall = furnished();
    for row in rows {
        for (actor, machine) in tries(&hall) {
            let what = format!("{} as {actor:?} {machine:?}", row.name);
            let stage = Stage::new(&hall, actor);
            let Some(told) = row.expected(machine) else {
                skip_part(name, &what, "the kernel tells such sockets apart");
                continue;
            };
            if !has_all(&stage, (name, &what), &row.needs) {
                continue;
            }
            prepare(&stage, &what, row.before.as_ref());
            let daemons = row.daemon.then(|| Daemons::listen(&stage));
            let act = placed(&row.act);
            let work = |flags: &[&str]| {
                let flags = [&["--mode", row.mode.as_str(), "--timeout", "60s"], flags].concat();
                let run = || stage.work(&act, &flags, machine);
                daemons.as_ref().map_or_else(|| (run(), 0), |daemons| daemons.reached(run))
            };
            let (reply, reached) = work(&[]);
            if has_no_cage(&reply) {
                skip_part(name, &what, "there is no cage here");
                continue;
            }
            assert_ne!(reply["exit_code"], 0, "{what}: {reply}");
            assert_eq!(reached, 0, "{what}: the daemon was reached: {reply}");
            assert!(is_told(&reply, told), "{what}: {told:?}: {reply:#}");
            assert!(reaching(&reply).len() <= MOST_REACHED, "{what}: {reply:#}");
            if !row.granted.is_empty() {
                let grants: Vec<&str> = row.granted.iter().map(String::as_str).collect();
                let (reply, reached) = work(&grants);
                assert!(reached > 0, "{what}: the remedy does not help: {reply}");
                assert!(reaching(&reply).is_empty(), "{what}: {reply}");
            }
        }
    }
}

#[test]
fn what_fails_for_a_reason_of_its_own_is_told_of_no_wall() {
    let name = "what_fails_for_a_reason_of_its_own";
    let hall = furnished();
    for row in rows().quiet {
        for (actor, machine) in tries(&hall) {
            let what = format!("{} as {actor:?} {machine:?}", row.name);
            let stage = Stage::new(&hall, actor);
            let lacks_spaces = row.namespaces && !machine.has_namespaces();
            if lacks_spaces || !has_all(&stage, (name, &what), &row.needs) {
                continue;
            }
            prepare(&stage, &what, row.before.as_ref());
            let reply = stage.work(&placed(&row.act), &["--mode", "workspace"], machine);
            if has_no_cage(&reply) {
                return skip(name, "there is no cage here");
            }
            assert_eq!(reply["exit_code"], 3, "{what}: {reply}");
            assert!(reaching(&reply).is_empty(), "{what}: {reply:#}");
        }
    }
}

/// Nothing is asked about under the second: nothing is written, and nothing is to be told.
const ASKED: &str = "extends = \"read\"\n[net]\nallow = \"loopback\"\n";
const UNASKED: &str = "extends = \"read\"\ndenials = \"off\"\n[net]\nallow = \"loopback\"\n";

#[test]
fn errors_are_the_same_whoever_refuses() {
    let name = "errors_are_the_same_whoever_refuses";
    let hall = furnished();
    for (actor, machine) in tries(&hall) {
        let answers = [ASKED, UNASKED].map(|policy| {
            let stage = Stage::new(&hall, actor);
            let file = stage.fill("{stage}/policy.toml");
            fs::write(&file, policy).unwrap();
            stage.work(&placed("{reach} errors"), &["--policy", &file], machine)
        });
        if has_no_cage(&answers[0]) {
            return skip(name, "there is no cage here");
        }
        let [asked, unasked] = &answers;
        assert_eq!(asked["stdout"], unasked["stdout"], "{actor:?} {machine:?}");
        let said = asked["stdout"].as_str().unwrap();
        assert!(said.contains("packet EACCES\n") && said.contains("trace EPERM\n"), "{said}");
        assert_eq!(said.lines().count(), 23, "{said}");
        assert!(!reaching(asked).is_empty() && reaching(unasked).is_empty());
    }
}

#[test]
fn many_that_ask_at_once_are_all_answered_and_few_of_them_told() {
    let name = "many_that_ask_at_once";
    let hall = furnished();
    for (actor, machine) in tries(&hall) {
        let stage = Stage::new(&hall, actor);
        let began = Instant::now();
        // Files that are denied after it are told all the same, as many as without it.
        let files = "for i in $(seq 40); do echo x > {out}/$i; done 2>/dev/null";
        let act = placed(&format!("{{reach}} flood; {files}; exit 3"));
        let reply = stage.work(&act, &["--mode", "workspace"], machine);
        if has_no_cage(&reply) {
            return skip(name, "there is no cage here");
        }
        assert_eq!(reply["stdout"], "flooded\n", "{reply}");
        assert_eq!(reply["exit_code"], 3, "{reply}");
        // 48,000 questions; a machine that is busy takes ten times as long as one that is not.
        assert!(began.elapsed() < Duration::from_secs(90), "{:?}", began.elapsed());
        let told = reaching(&reply);
        assert!((1..=MOST_REACHED).contains(&told.len()), "{reply:#}");
        let targets: BTreeSet<String> = told.iter().map(|it| it.to_string()).collect();
        assert_eq!(targets.len(), told.len(), "{reply:#}");
        let denials = reply["denials"].as_array().unwrap();
        let by_files = denials.iter().filter(|it| it["by"] == "files" && it["program"] == "sh");
        assert_eq!(by_files.count(), 32, "{reply:#}");
    }
}

#[test]
fn nothing_in_the_name_of_who_asked_acts_on_a_terminal() {
    let name = "nothing_in_the_name_of_who_asked";
    let hall = furnished();
    let (actor, machine) = tries(&hall).remove(0);
    let stage = Stage::new(&hall, actor);
    let act = "n=\"$(printf 'a\\033[31m\\377\\nb')\"; cp {reach} \"$n\"; ./\"$n\" trace";
    let reply = stage.work(&placed(act), &["--mode", "workspace"], machine);
    if has_no_cage(&reply) {
        return skip(name, "there is no cage here");
    }
    assert_eq!(reaching(&reply)[0]["program"], "a\\u{1b}[31m\u{fffd}\\nb", "{reply:#}");
}

#[test]
fn a_failure_is_told_where_its_text_hides_it_and_a_program_that_lives_without_is_not() {
    for (name, powers) in hosts() {
        let place = Place::new();
        place.write("far.sh", "exec 3<>/dev/tcp/192.0.2.1/80");
        place.write("lives.sh", "(exec 3<>/dev/tcp/192.0.2.1/80) 2>&1; exit 0");
        let engine = engine(&place, Policy::preset(Preset::Workspace), powers);
        let told = |text: &str| {
            let request = crate::library::request(&place, text);
            let reply = engine.run(&request, &Cancel::new().unwrap()).unwrap();
            assert!(reply.reasons.is_empty(), "{name}: {text}: {reply:?}");
            let all = reply.denials.iter().map(|it| (it.operation.clone(), it.by));
            (reply.exit_code, all.collect::<Vec<_>>())
        };
        let far = match powers.namespaces {
            ricasso_os::Namespaces::None => vec![("socket".to_string(), "net")],
            _ => vec![("connect".to_string(), "net")],
        };
        // Again and again, since later commands stand in what was made ahead.
        for _ in 0..3 {
            assert_eq!(told("bash far.sh"), (Some(1), far.clone()), "{name}");
            assert_eq!(told("bash far.sh | tail -1"), (Some(0), far.clone()), "{name}");
            assert_eq!(told("bash far.sh; ls"), (Some(0), far.clone()), "{name}");
            assert_eq!(told("cd . && bash lives.sh"), (Some(0), Vec::new()), "{name}");
        }
    }
}

#[test]
fn a_person_reads_what_the_cage_refused_to_a_command_that_failed() {
    let name = "a_person_reads_what_the_cage_refused";
    if !powers().notify {
        return skip(name, "nobody can be asked on this machine");
    }
    let place = Place::new();
    let said = |last: &str| {
        let text = "for i in 1 2 3 4 5; do mkdir /var/tmp/ricasso-none-$i 2>&-; done";
        // The judge does not look into scripts.
        place.write("script", &format!("{text}; {last}"));
        let answer = place.call(&["run", "--mode", "workspace", "-c", "sh script"]);
        let lines = answer.stderr.lines().filter(|line| line.starts_with("ricasso: "));
        lines.map(str::to_string).collect::<Vec<_>>()
    };
    let lines = said("exit 3");
    for (number, line) in lines.iter().take(3).enumerate() {
        let target = format!("/var/tmp/ricasso-none-{}: grant it: --write /var/tmp", number + 1);
        assert!(line.starts_with("ricasso: the cage refused mkdir, "), "{lines:?}");
        assert!(line.ends_with(&target), "{lines:?}");
    }
    assert!(lines[3].starts_with("ricasso: and 2 more: ricasso look "), "{lines:?}");
    assert_eq!(said("true"), [""; 0]);
    if !powers().netns {
        return skip_part(name, "connect", "there is no network of the session's own");
    }
    // Of the network also where the text hides that it failed.
    let asks = "python3 -c 'import socket; socket.socket().connect((\"192.0.2.1\", 80))'";
    place.write("script", &format!("{asks} 2>&1 | tail -n 1"));
    let answer = place.call(&["run", "--mode", "workspace", "-c", "sh script | cat"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let told = "ricasso: the cage refused python3, connect 192.0.2.1:80: ";
    assert!(answer.stderr.contains(told), "{}", answer.stderr);
}
