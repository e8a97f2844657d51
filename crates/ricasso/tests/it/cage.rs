//! The cage as a command meets it: forbidden acts are tried in real children, and the effect is
//! looked for from outside. The long list of attempts is in `escape`.

use crate::place::{Place, program, skip, skip_part};
use ricasso_engine::engine::{Chores, Engine, Setup, Spares, Stays};
use ricasso_engine::policy::{Layer, Origin, Overrides, Policy, Preset};
use ricasso_engine::reply::Reply;
use ricasso_engine::request::Bytes;
use ricasso_engine::run::StateDir;
use ricasso_os::{Cancel, Keeper, Namespaces, Powers, Probe};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// What this machine has.
pub(crate) fn powers() -> Powers {
    Keeper::program(program()).unwrap().powers(Probe::Everything).unwrap()
}

/// The machine as it is, without namespaces, and with an older Landlock beside namespaces.
pub(crate) fn hosts() -> Vec<(&'static str, Powers)> {
    let whole = powers();
    let mut hosts = vec![("whole", whole)];
    let bare = Powers { namespaces: Namespaces::None, netns: false, ..whole };
    if bare.holds_files_alone() {
        hosts.push(("without namespaces", bare));
    } else {
        skip_part("cage", "without namespaces", "Landlock here is older than version 6");
    }
    if whole.namespaces == Namespaces::None {
        skip_part("cage", "beside namespaces", "there are no namespaces here");
    } else {
        hosts.push(("without Landlock", Powers { landlock: 0, ..whole }));
        hosts
            .push(("with the first Landlock", Powers { landlock: 1.min(whole.landlock), ..whole }));
    }
    hosts
}

pub(crate) fn engine(place: &Place, policy: Policy, powers: Powers) -> Engine {
    let keeper = Keeper::program(program()).unwrap();
    let state = StateDir::at(&place.state()).unwrap();
    let path: Bytes = "/usr/local/bin:/usr/bin:/bin".into();
    let home = Bytes::from(place.root.join("home").into_os_string());
    let environment = vec![("PATH".into(), path), ("HOME".into(), home)];
    let (spares, chores, told) = (Spares::None, Chores::Inline, Vec::new());
    let powers = Some(powers);
    let stays = Stays::WithItsJobs;
    Engine::open(Setup { keeper, policy, state, environment, spares, chores, told, powers, stays })
        .unwrap()
}

/// Runs a text that the judge does not see: this is about the wall, not about the sign on it.
pub(crate) fn run(engine: &Engine, place: &Place, text: &str) -> Reply {
    place.write("script", text);
    let request = crate::library::request(place, "sh script");
    engine.run(&request, &Cancel::new().unwrap()).unwrap()
}

pub(crate) fn with(text: &str) -> Policy {
    let text = format!("version = 1\n{text}");
    let layer = Layer { origin: Origin::User, name: "test".into(), text };
    Policy::from_layers(&[layer], &Overrides::default()).unwrap()
}

/// A file outside the workspace that nobody may change.
fn outside(place: &Place) -> std::path::PathBuf {
    let path = place.root.join("home/file");
    fs::write(&path, "as it was\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    path
}

fn is_untouched(path: &std::path::Path) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text == "as it was\n")
        && path.metadata().unwrap().permissions().mode() & 0o777 == 0o640
}

#[test]
fn the_workspace_is_written_and_nothing_else_whatever_the_machine_offers() {
    for (name, powers) in hosts() {
        let place = Place::new();
        let path = outside(&place);
        let engine = engine(&place, Policy::preset(Preset::Workspace), powers);
        let file = path.display();
        let reply = run(
            &engine,
            &place,
            &format!(
                "echo in > made; chmod 600 made; echo x > {file}; chmod 777 {file}; \
                 echo y > {file}.born; echo t > \"${{TMPDIR:-/tmp}}/t\" && echo scratch; \
                 cat \"${{TMPDIR:-/tmp}}/t\""
            ),
        );
        assert_eq!(reply.exit_code, Some(0), "{name}: {reply:?}");
        assert_eq!(reply.stdout.get(), "scratch\nt\n", "{name}: {reply:?}");
        assert_eq!(fs::read_to_string(place.work().join("made")).unwrap(), "in\n", "{name}");
        assert!(is_untouched(&path), "{name}");
        assert!(!place.root.join("home/file.born").exists(), "{name}");
        assert!(reply.enforced.missing.is_empty(), "{name}: {:?}", reply.enforced);
        assert_ne!(reply.enforced.files, "none", "{name}");
    }
}

#[test]
fn mode_read_changes_nothing_but_its_scratch() {
    for (name, powers) in hosts() {
        let place = Place::new();
        let path = place.write("file", "as it was\n");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let engine = engine(&place, Policy::preset(Preset::Read), powers);
        let reply = run(
            &engine,
            &place,
            "cat file; echo x > file; chmod 777 file; touch -d @1 file; rm -f file; mkdir new; \
             mktemp > /dev/null && echo scratch",
        );
        assert_eq!(reply.stdout.get(), "as it was\nscratch\n", "{name}: {reply:?}");
        assert!(is_untouched(&path), "{name}");
        assert!(path.metadata().unwrap().modified().unwrap().elapsed().unwrap().as_secs() < 600);
        assert!(!place.work().join("new").exists(), "{name}");
    }
}

#[test]
fn every_step_of_a_job_has_its_cage() {
    let place = Place::new();
    let path = outside(&place);
    // The judge does not look into scripts.
    place.write("script", &format!("echo x > {}", path.display()));
    let steps = ["echo one > made", "sh script", "cat made; chmod 600 made"];
    let flags = ["run", "--json", "--mode", "workspace", "--keep-going"];
    let texts = steps.iter().flat_map(|text| ["-c", text]);
    let answer = place.call(&flags.into_iter().chain(texts).collect::<Vec<_>>());
    let reply: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(reply["stdout"], "one\n", "{reply}");
    assert_eq!(reply["steps"].as_array().unwrap().len(), 3, "{reply}");
    assert!(is_untouched(&path), "{reply}");
}

#[test]
fn priorities_of_all_of_a_user_are_nobodys_to_set() {
    for (name, powers) in hosts() {
        if powers.namespaces != Namespaces::None {
            // There a user has no processes but the job's own.
            continue;
        }
        let place = Place::new();
        let engine = engine(&place, Policy::preset(Preset::Workspace), powers);
        // To nought, which they have: a cage that fails here must not slow anybody down.
        let text = "perl -e 'print setpriority(2, 0, 0) ? 1 : 0, syscall(251, 3, 0, 0), \
                    setpriority(0, 0, 1) ? 1 : 0'";
        let reply = run(&engine, &place, text);
        assert_eq!(reply.stdout.get(), "0-11", "{name}: {reply:?}");
    }
}

#[test]
fn nobody_but_us_limits_our_first_process() {
    let act = "import os, resource\n\
               try: print('did', resource.prlimit(1, resource.RLIMIT_NOFILE, (5, 5)))\n\
               except OSError: print('refused')\n\
               resource.prlimit(0, resource.RLIMIT_NOFILE, (50, 50))";
    for (name, powers) in hosts() {
        let place = Place::new();
        let engine = engine(&place, with("extends = \"workspace\""), powers);
        place.write("act.py", act);
        let reply = serde_json::json!(run(&engine, &place, "exec python3 act.py"));
        assert_eq!(reply["stdout"], "refused\n", "{name}: {reply}");
        assert_eq!(reply["exit_code"], 0, "{name}: {reply}");
    }
}

#[test]
fn less_than_the_policy_asks_for_is_refused_with_reason_and_remedy() {
    let place = Place::new();
    let weak = Powers { landlock: 2, namespaces: Namespaces::None, netns: false, ..powers() };
    let strict = engine(&place, Policy::preset(Preset::Workspace), weak);
    let reply = run(&strict, &place, "touch ran");
    assert_eq!(reply.exit_code, Some(125), "{reply:?}");
    let reason = &reply.reasons[0];
    assert_eq!(reason.rule, "not-enforceable");
    assert!(reason.message.get().contains("user namespaces"), "{reason:?}");
    assert!(reason.remedy.get().contains("partial = [\"files\"]"), "{reason:?}");
    assert!(!place.work().join("ran").exists());
    drop(strict);
    let lax = engine(
        &place,
        with("extends = \"workspace\"\nopaque = \"allow\"\npartial = [\"files\"]\n"),
        weak,
    );
    let reply = run(&lax, &place, "touch ran");
    assert_eq!(reply.enforced.missing, ["files"], "{reply:?}");
    assert!(place.work().join("ran").exists(), "{reply:?}");
}

#[test]
fn endings_in_a_cage_are_the_commands_own() {
    for (name, powers) in hosts() {
        let place = Place::new();
        let engine = engine(&place, Policy::preset(Preset::Workspace), powers);
        let ending = |text: &str| {
            let reply = run(&engine, &place, text);
            serde_json::to_value(reply.ending).unwrap()
        };
        assert_eq!(ending("exit 7")["code"], 7, "{name}");
        assert_eq!(ending("kill -SEGV $$")["signal"], 11, "{name}");
        assert_eq!(ending("kill -9 $$")["signal"], 9, "{name}");
        let reply = run(&engine, &place, "sleep 600 & setsid sleep 601 & echo left");
        assert_eq!(reply.stdout.get(), "left\n", "{name}");
        assert_eq!(reply.survivors.len(), 2, "{name}: {:?}", reply.survivors);
        for survivor in &reply.survivors {
            let there = std::path::PathBuf::from(format!("/proc/{}", survivor.pid));
            crate::place::eventually("the survivor is gone", || !there.exists());
        }
    }
}

#[test]
fn secrets_are_hidden_and_what_is_shown_is_seen() {
    for (name, powers) in hosts() {
        let place = Place::new();
        let ssh = place.root.join("home/.ssh");
        fs::create_dir(&ssh).unwrap();
        fs::write(ssh.join("id_key"), "secret\n").unwrap();
        fs::write(ssh.join("known_hosts"), "public\n").unwrap();
        let engine = engine(&place, Policy::preset(Preset::Workspace), powers);
        let reply = run(
            &engine,
            &place,
            "ls ~/.ssh; cat ~/.ssh/id_key ~/.ssh/known_hosts; ls $XDG_STATE_HOME ~/../state/ricasso",
        );
        assert!(!reply.stdout.get().contains("secret"), "{name}: {reply:?}");
        assert!(!reply.stdout.get().contains("ledger"), "{name}: {reply:?}");
        assert!(reply.stdout.get().contains("public"), "{name}: {reply:?}");
    }
}

#[test]
fn what_is_hidden_in_the_workspace_and_made_anew_during_a_run_is_named() {
    let name = "what_is_hidden_in_the_workspace_and_made_anew";
    let powers = powers();
    if powers.namespaces == Namespaces::None {
        return skip(name, "a hole in a writable root needs mounts");
    }
    let place = Place::new();
    let policy = with("extends = \"workspace\"\n[files]\nhide = [\".env\", \".other\"]\n");
    let engine = engine(&place, policy, powers);
    place.write(".env", "secret\n");
    // Only we look at it: what a command may read of it is in the escape suite.
    let hints = |act: &(dyn Fn() + Sync)| {
        std::thread::scope(|scope| {
            let (ready, go) = (place.work().join("ready"), place.work().join("go"));
            let text = "touch ready; until [ -e go ]; do sleep 0.01; done; cat .env 2>&-; :";
            let run = scope.spawn(|| run(&engine, &place, text));
            crate::place::eventually("the command runs", || ready.exists());
            act();
            fs::write(&go, "").unwrap();
            let reply = run.join().unwrap();
            [ready, go].iter().for_each(|path| fs::remove_file(path).unwrap());
            reply.hints.iter().map(|hint| hint.get().clone()).collect::<Vec<_>>().join("\n")
        })
    };
    let told = hints(&|| {});
    assert!(!told.contains("is hidden, but"), "{told}");
    let told = hints(&|| fs::write(place.work().join(".env"), "longer secret\n").unwrap());
    assert!(!told.contains("is hidden, but"), "the same file stays hidden: {told}");
    let told = hints(&|| {
        place.write(".env.new", "saved\n");
        fs::rename(place.work().join(".env.new"), place.work().join(".env")).unwrap();
        place.write(".other", "born\n");
    });
    for name in [".env", ".other"] {
        assert!(told.contains(&format!("/{name} is hidden, but")), "{name}: {told}");
    }
    let env = place.work().join(".env");
    fs::remove_file(&env).unwrap();
    place.write("real", "behind a link\n");
    std::os::unix::fs::symlink("real", &env).unwrap();
    let told = hints(&|| {
        place.write("real.new", "saved\n");
        fs::rename(place.work().join("real.new"), place.work().join("real")).unwrap();
    });
    assert!(told.contains("/.env is hidden, but"), "what a link leads to: {told}");
}

#[test]
fn a_root_in_tmp_is_itself_whatever_others_left_in_the_sessions_own() {
    let name = "a_root_in_tmp_is_itself";
    let powers = powers();
    let place = Place::below("/tmp");
    if powers.namespaces == Namespaces::None {
        return skip(name, "only mounts lay anything over /tmp");
    }
    let first = place.root.iter().nth(2).unwrap().to_str().unwrap().to_string();
    place.write("file", "of the root\n");
    fs::create_dir(place.work().join(".git")).unwrap();
    place.write(".git/config", "[core]\n");
    let policy = with("extends = \"workspace\"\n[files]\nhide = [\"secret\"]\n");
    let engine = engine(&place, policy, powers);
    assert_eq!(run(&engine, &place, "true").exit_code, Some(0));
    let tmp = place.state().join("sessions/tests/tmp");
    // What a job of another workspace may leave in the same session's /tmp.
    for planted in ["ln -s /proc", "ln -s z", "touch", "mkfifo", "mkdir -p z; mkdir"] {
        place.write("secret", "hushed\n");
        let text = format!("rm -rf {first} z; {planted} {first}");
        let left = std::process::Command::new("sh").args(["-c", &text]).current_dir(&tmp).status();
        assert!(left.unwrap().success(), "{planted}");
        let text = "cat file secret; echo x >> .git/config; rm .git/config; mv /tmp/* /tmp/away; :";
        let reply = run(&engine, &place, text);
        assert_eq!(reply.stdout.get(), "of the root\n", "{planted}: {reply:?}");
        let kept = fs::read_to_string(place.work().join(".git/config")).unwrap();
        assert_eq!(kept, "[core]\n", "{planted}");
    }
}

#[test]
fn jobs_of_a_session_reach_each_other_and_nobody_else() {
    let whole = powers();
    if !whole.netns {
        return skip("jobs_of_a_session", "there are no network namespaces here");
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    listener.set_nonblocking(true).unwrap();
    let place = Place::new();
    let engine = engine(&place, Policy::preset(Preset::Workspace), whole);
    place.write(
        "server",
        "import socket\ns = socket.create_server(('127.0.0.1', 7654))\nopen('up', 'w')\n\
         s.accept()[0].sendall(b'found')\n",
    );
    let inside = engine
        .start(&crate::library::request(&place, "python3 server"), Cancel::new().unwrap())
        .unwrap();
    crate::place::eventually("the server is up", || place.work().join("up").exists());
    let reply = run(
        &engine,
        &place,
        &format!(
            "python3 -c \"import socket; print(socket.create_connection(('127.0.0.1', 7654)).recv(9))\"; \
             python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}))\" && echo outside"
        ),
    );
    assert_eq!(reply.stdout.get(), "b'found'\n", "{reply:?}");
    assert!(listener.accept().is_err(), "somebody came through");
    assert_eq!(inside.wait().unwrap().exit_code, Some(0));
}

#[test]
fn only_listed_programs_start() {
    for (name, powers) in hosts().into_iter().filter(|(_, powers)| powers.landlock > 0) {
        if !powers.made_code {
            return skip("only_listed_programs_start", "this kernel is older than 6.3");
        }
        let place = Place::new();
        let policy = "extends = \"workspace\"\nshell = \"sh\"\n[programs]\nallow = [\"sh\", \"cat\", \"cp\"]\n";
        let engine = engine(&place, with(policy), powers);
        let reply = run(
            &engine,
            &place,
            "cp /bin/ls mine; echo listed | cat; ./mine; ls; $(command -v env) echo env; \
             /lib64/ld-linux-x86-64.so.2 ./mine; exit 3",
        );
        assert_eq!(reply.stdout.get(), "listed\n", "{name}: {reply:?}");
        assert_eq!(reply.exit_code, Some(3), "{name}: {reply:?}");
        drop(engine);
        let none =
            self::engine(&place, with("extends = \"workspace\"\n[programs]\nallow = []\n"), powers);
        let reply = run(&none, &place, ": > ran");
        assert_ne!(reply.exit_code, Some(0), "{name}: {reply:?}");
        assert!(!place.work().join("ran").exists());
    }
}

#[test]
fn what_others_obey_later_stays_shut_and_git_works() {
    for (name, powers) in hosts() {
        let place = Place::new();
        let git = |words: &[&str]| {
            let mut git = std::process::Command::new("git");
            git.args(words).current_dir(place.work()).env("HOME", place.root.join("home"));
            assert!(git.output().unwrap().status.success(), "git {words:?}");
        };
        git(&["init", "-q", "-b", "main"]);
        fs::create_dir_all(place.work().join(".git/hooks")).unwrap();
        fs::create_dir(place.work().join("sub")).unwrap();
        // Whether something is older than a job is told by a clock that goes in steps.
        std::thread::sleep(std::time::Duration::from_millis(20));
        let config = fs::read(place.work().join(".git/config")).unwrap();
        let engine = engine(&place, Policy::preset(Preset::Workspace), powers);
        let reply = run(
            &engine,
            &place,
            "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a; \
             echo x > f && git add f && git commit -qm one && git checkout -qb two && \
             echo y > f && git stash -q && git stash pop -q && git worktree add -q tree && \
             git init -q new && echo worked; \
             echo x > .git/hooks/post-commit; mv .git away; git config a.b c; \
             echo x > .ricasso.toml; echo x > m; mv m sub/.envrc; ln -s f .mcp.json; \
             mkdir young; echo x > young/.envrc",
        );
        assert_eq!(reply.stdout.get(), "worked\n", "{name}: {reply:?}");
        let there = |path: &str| place.work().join(path).symlink_metadata().is_ok();
        assert!(
            there("new/.git/hooks") && there("tree/f") && there(".git/hooks"),
            "{name}: {reply:?}"
        );
        for path in [".git/hooks/post-commit", ".ricasso.toml", "sub/.envrc", ".mcp.json", "away"] {
            assert!(!there(path), "{name}: {path}");
        }
        assert_eq!(fs::read(place.work().join(".git/config")).unwrap(), config, "{name}");
        // What is unpacked in a new directory is there, and named.
        let named = |path: &str| reply.later.iter().any(|later| later.path.get() == path);
        assert!(there("young/.envrc") && named("young/.envrc"), "{name}: {reply:?}");
        let told: Vec<&str> =
            reply.denials.iter().map(|denial| denial.target.get().as_str()).collect();
        let shut = place.work().join(".ricasso.toml").display().to_string();
        assert!(told.contains(&shut.as_str()), "{name}: {told:?}");
    }
}

#[test]
fn denied_writes_are_told_with_the_smallest_grant_and_nothing_else_is() {
    for (name, powers) in hosts() {
        let place = Place::new();
        // Not below /tmp, which is the session's own in the cage.
        let directory =
            std::path::PathBuf::from(format!("/var/tmp/ricasso-it-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("file");
        fs::write(&path, "").unwrap();
        let engine = engine(&place, Policy::preset(Preset::Workspace), powers);
        let text = format!(
            "echo x > {}; echo fine > f; echo quiet > /dev/null; cat /no/such/file; \
             echo 'permission denied'; exit 1",
            path.display()
        );
        let reply = run(&engine, &place, &text);
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(reply.denials.len(), 1, "{name}: {:?}", reply.denials);
        let denial = &reply.denials[0];
        assert_eq!(denial.operation, "open-write", "{name}");
        assert_eq!(denial.target.get(), &path.display().to_string(), "{name}");
        let grant = format!("--write {}", directory.display());
        assert!(denial.remedy.get().contains(&grant), "{name}: {denial:?}");
    }
}

#[test]
fn a_denial_names_a_grant_that_helps_and_none_that_does_not() {
    for (name, powers) in hosts() {
        let place = Place::new();
        let beside = Beside::new("repository");
        let repository = beside.0.join("main");
        let hidden = beside.0.join("hidden");
        fs::create_dir_all(repository.join(".git/worktrees/tree")).unwrap();
        fs::create_dir_all(&hidden).unwrap();
        let policy = format!("extends = \"workspace\"\n[files]\nhide = [{hidden:?}]\n");
        let engine = engine(&place, with(&policy), powers);
        let write = |path: &std::path::Path| {
            let reply = run(&engine, &place, &format!("echo x > {}", path.display()));
            reply.denials.first().map(|denial| denial.remedy.get().clone()).unwrap_or_default()
        };
        let told = write(&repository.join(".git/worktrees/tree/index.lock"));
        let grant = format!("--write {};", repository.join(".git").display());
        assert!(told.contains(&grant), "{name}: {told}");
        let told = write(&hidden.join("file"));
        assert!(!told.contains("--write"), "{name}: {told}");
        if powers.namespaces == Namespaces::None {
            let told = write(std::path::Path::new("/tmp/ricasso-nobody-has-this"));
            assert!(told.contains("$TMPDIR") && !told.contains("--write"), "{name}: {told}");
        }
        // Each directory above it is there, and is asked for all the same.
        let told = run(&engine, &place, &format!("mkdir -p {}", beside.0.join("a/b").display()));
        let targets = told.denials.iter().map(|denial| denial.target.get().clone());
        let above: Vec<String> = targets.filter(|it| !it.ends_with("/a")).collect();
        assert!(above.is_empty(), "{name}: {above:?}");
        // What the kernel calls a file in memory looks like a name in the root of the machine.
        let text = "python3 -c 'import os; os.fchmod(os.memfd_create(\"x\"), 0o600)'";
        let denials = run(&engine, &place, text).denials;
        assert!(denials.is_empty(), "{name}: {denials:?}");
    }
}

#[test]
fn a_session_is_not_spoiled_by_a_command_that_shuts_a_directory_of_its_tmp() {
    for (name, powers) in hosts() {
        // The workspace lies below /tmp, and so below a directory of the session's.
        let place = Place::below("/tmp");
        let engine = engine(&place, Policy::preset(Preset::Workspace), powers);
        let above = place.work().parent().unwrap().display().to_string();
        let reply = run(&engine, &place, &format!("chmod 000 {above}"));
        // Elsewhere it is the machine's own directory, and stays as it is.
        let own = powers.namespaces != Namespaces::None;
        assert_eq!(reply.exit_code == Some(0), own, "{name}: {reply:?}");
        let text = format!("cd / && ls {} > /dev/null && echo found", place.work().display());
        let reply = run(&engine, &place, &text);
        assert_eq!(reply.stdout.get(), "found\n", "{name}: {reply:?}");
    }
}

/// A directory outside the workspace and /tmp, which is seen in every cage.
struct Beside(std::path::PathBuf);

impl Beside {
    fn new(name: &str) -> Beside {
        let name = format!("ricasso-warm-{name}-{}", std::process::id());
        let path = std::path::Path::new("/var/tmp").canonicalize().unwrap().join(name);
        fs::create_dir_all(path.join("elsewhere")).unwrap();
        fs::write(path.join("neighbour"), "first\n").unwrap();
        fs::write(path.join("elsewhere/kept"), "hushed\n").unwrap();
        Beside(path)
    }

    /// As editors do it: under another name first, then in the place of the old one.
    fn replace(&self, name: &str, text: &str) {
        fs::write(self.0.join("new"), text).unwrap();
        fs::rename(self.0.join("new"), self.0.join(name)).unwrap();
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What was prepared for a job before it was asked for must not be older than the job.
#[test]
fn a_warm_cage_holds_what_was_born_or_replaced_since_it_was_prepared() {
    for (name, powers) in hosts().into_iter().take(2) {
        let (place, beside) = (Place::new(), Beside::new(&name.replace(' ', "-")));
        let (at, secret, link) = (&beside.0, beside.0.join("secret"), beside.0.join("link"));
        let policy =
            with(&format!("extends = \"workspace\"\n[files]\nhide = [{secret:?}, {link:?}]\n"));
        let engine = warm(&place, policy, powers);
        let says = |text: &str| run(&engine, &place, text).stdout.get().clone();
        // Directories that were changed lately are not relied on; these become old enough.
        let settled = std::time::Instant::now() + std::time::Duration::from_millis(400);
        while std::time::Instant::now() < settled {
            assert_eq!(says(&format!("cat {at:?}/neighbour")), "first\n", "{name}");
        }
        fs::write(&secret, "born\n").unwrap();
        assert_eq!(says(&format!("cat {secret:?} 2>&- ; echo end")), "end\n", "{name}: born");
        beside.replace("neighbour", "second\n");
        assert_eq!(says(&format!("cat {at:?}/neighbour")), "second\n", "{name}: replaced");
        assert_eq!(says(&format!("cat {at:?}/elsewhere/kept")), "hushed\n", "{name}: not yet");
        std::os::unix::fs::symlink("elsewhere", &link).unwrap();
        let told = says(&format!("cat {link:?}/kept {at:?}/elsewhere/kept 2>&- ; echo end"));
        assert_eq!(told, "end\n", "{name}: where a hidden name leads is hidden");
        beside.replace("secret", "replaced\n");
        assert_eq!(says(&format!("cat {secret:?} 2>&- ; echo end")), "end\n", "{name}: replaced");
    }
}

#[test]
fn a_crash_in_a_cage_leaves_nothing_and_starts_nothing() {
    let limits = fs::read_to_string("/proc/self/limits").unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    if core.split_whitespace().nth(5) == Some("0") {
        return skip("a_crash_in_a_cage", "whoever runs the tests may have no byte of a core file");
    }
    for (name, powers) in hosts().into_iter().take(2) {
        let place = Place::new();
        let engine = engine(&place, Policy::preset(Preset::Workspace), powers);
        // One byte is what the kernel takes as "no program for crashes either" (core(5)); with
        // nought it would start one.
        let text = "ulimit -c 0; ulimit -c 0 && echo set; awk '/core file/ {print $5, $6}' \
                    /proc/self/limits; prlimit --core=0:0 2>&-; sh -c 'kill -SEGV $$'; ls";
        let reply = run(&engine, &place, text);
        let said = reply.stdout.get();
        assert!(said.starts_with("set\n1 1\n"), "{name}: {said}");
        assert!(!said.contains("core"), "{name}: {said}");
    }
}

/// An engine that prepares its next job.
fn warm(place: &Place, policy: Policy, powers: Powers) -> Engine {
    let keeper = Keeper::program(program()).unwrap();
    let state = StateDir::at(&place.state()).unwrap();
    let environment = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
    let (spares, chores, told) = (Spares::Kept, Chores::Beside, Vec::new());
    let powers = Some(powers);
    let stays = Stays::WithItsJobs;
    Engine::open(Setup { keeper, policy, state, environment, spares, chores, told, powers, stays })
        .unwrap()
}
