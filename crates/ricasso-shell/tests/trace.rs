//! Trace: what bash really starts is a subset of what we found or announced.
//!
//! Scripts run under `set -x` in a namespace of their own: another user, no network, its own
//! processes, and a root that holds nothing but bash, a few harmless programs and stubs. Nothing
//! runs outside of it; where such a namespace cannot be made, nothing runs at all.

use std::collections::HashSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use ricasso_fuzz::corpus::{
    commands, installed, long, own, shared, skipped, skipped_part, snippets,
};
use ricasso_fuzz::mutate::mutate;
use ricasso_fuzz::random::Random;
use ricasso_shell::{How, Script, Shell, read};

mod compose;

/// The name of the test, for the log of what is skipped.
const NAME: &str = "what_bash_starts_was_found_or_announced";

/// Marks the lines of the trace.
const PS4: &str = "~@@ ";

/// Words that `set -x` shows for compound commands.
const COMPOUND: [&str; 5] = ["[[", "((", "case", "for", "select"];

/// Builds the root and runs each script in it. `$1` is the directory of scripts, `$2` an empty one.
const CAGE: &str = r#"
set -eu
scripts=$1 root=$2 traces=$3
mount -t tmpfs -o size=128m,mode=755 none "$root"
cd "$root"
mkdir -p bin w s t dev proc usr tmp etc
mount --bind "$scripts" s
mount -o remount,bind,ro s
mount --bind "$traces" t
mount -t proc none proc || :
touch dev/null && mount --bind /dev/null dev/null
ln -s /proc/self/fd dev/fd
bind() {
  mkdir -p "$root${1%/*}"; touch "$root$1"
  mount --bind "$1" "$root$1"; mount -o remount,bind,ro "$root$1"
}
for program in bash cat true timeout; do
  path=/usr/bin/$program
  [ -x "$path" ] || path=/bin/$program
  touch bin/$program; mount --bind "$path" bin/$program; mount -o remount,bind,ro bin/$program
  for library in $(ldd "$path" | grep -o '/[^ ]*'); do
    [ -e "$root$library" ] || bind "$library"
  done
done
for name in ls grep sed awk rm cp mv mkdir touch find xargs git curl sleep date id env sort head \
  tail wc cut tr python3 node npm make chmod chown kill ps df du ssh tar gzip tee uname which \
  basename dirname expr stat dd; do
  ln -s true bin/$name
done
exec chroot . /bin/bash -c '
  cd /w
  ulimit -t 2 -v 1000000 -f 20000 -u 300
  for script in /s/*; do
    name=${script##*/}
    BASH_XTRACEFD=9 PATH=/bin HOME=/w timeout -s KILL 2 bash --noprofile --norc -x "$script" \
      9>"/t/$name" </dev/null >/dev/null 2>&1
    kill -KILL -1 2>/dev/null
  done
  exit 0'
"#;

#[test]
fn what_bash_starts_was_found_or_announced() {
    let texts = texts();
    let base = std::env::temp_dir().join(format!("ricasso-trace-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&base);
    let traces = run(&base, &texts);
    let outcome = traces.map(|traces| judge(&texts, &traces));
    let _ = std::fs::remove_dir_all(&base);
    let Some((started, traced, missing)) = outcome else { return };
    let _ = writeln!(
        std::io::stderr(),
        "trace: {} scripts, {traced} of them started something, {started} commands started, {} \
         missing",
        texts.len(),
        missing.len()
    );
    assert!(traced * 2 > texts.len(), "only {traced} of {} scripts left a trace", texts.len());
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Composed texts, snippets, commands of the corpora, their mutations, and installed scripts.
fn texts() -> Vec<Vec<u8>> {
    let mut random = Random::new(90_210);
    let count = if long() { 1_400 } else { 60 };
    let mut pool = own();
    if let Some(shared) = shared() {
        pool.extend(snippets(&shared));
        pool.extend(commands(&shared));
    } else {
        skipped_part(NAME, "corpora", "no shared corpora at hand");
    }
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for _ in 0..count {
        texts.push(compose::text(&mut random).into_bytes());
        texts.push(random.pick(&pool).clone());
        let text = random.pick(&pool).clone();
        texts.push(mutate(&mut random, &text, &pool, 3_000));
    }
    let step = if long() { 1 } else { 20 };
    texts.extend(installed().into_iter().step_by(step));
    texts.retain(|text| !text.contains(&0));
    texts
}

/// Runs the texts in a cage and gives what each left behind.
fn run(base: &Path, texts: &[Vec<u8>]) -> Option<Vec<String>> {
    let (scripts, root, traces) = (base.join("s"), base.join("r"), base.join("t"));
    for directory in [&scripts, &root, &traces] {
        std::fs::create_dir_all(directory).expect("the temporary directory is ours");
    }
    open_to_all(&traces, base);
    for (index, text) in texts.iter().enumerate() {
        let text = [format!("PS4='{PS4}'\n").as_bytes(), text].concat();
        std::fs::write(scripts.join(format!("{index:06}")), text).expect("we made the directory");
    }
    let mut command = cage();
    let cage = command
        .args(["unshare", "-Urmpn", "--fork", "--kill-child", "sh", "-c", CAGE, "cage"])
        .args([&scripts, &root, &traces])
        .stdin(Stdio::null())
        .output();
    let cage = match cage {
        Ok(cage) => cage,
        Err(error) => {
            skipped(NAME, &format!("no namespace: {error}"));
            return None;
        }
    };
    if !cage.status.success() {
        let reason = String::from_utf8_lossy(&cage.stderr).trim().to_owned();
        skipped(NAME, &format!("no namespace: {reason}"));
        return None;
    }
    let path = |index: usize| traces.join(format!("{index:06}"));
    let trace = |index| {
        String::from_utf8_lossy(&std::fs::read(path(index)).unwrap_or_default()).into_owned()
    };
    Some((0..texts.len()).map(trace).collect())
}

/// As another user where we may change it: only then does the limit on processes hold.
fn cage() -> Command {
    let limit = if long() { "1500" } else { "120" };
    let root = std::fs::metadata("/proc/self").is_ok_and(|meta| {
        use std::os::unix::fs::MetadataExt as _;
        meta.uid() == 0
    });
    let mut command = Command::new("timeout");
    command.args(["-s", "KILL", limit]);
    if root {
        command.args(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]);
    }
    command
}

fn open_to_all(traces: &Path, base: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    for (path, mode) in [(base, 0o755), (traces, 0o777)] {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path, permissions).expect("we made the directory");
    }
}

/// Counts what was started and lists what nobody had told of.
fn judge(texts: &[Vec<u8>], traces: &[String]) -> (usize, usize, Vec<String>) {
    let (mut started, mut traced) = (0, 0);
    let mut missing = Vec::new();
    for (text, trace) in texts.iter().zip(traces) {
        let script = read(text, Shell::Bash);
        let mut known = Known::default();
        known.add(&script, 0);
        let mut any = false;
        for name in names(trace) {
            any = true;
            started += 1;
            if !known.unknown && !known.names.contains(&name) {
                let text = String::from_utf8_lossy(text);
                missing.push(format!("{name:?} was started by {text:?}"));
            }
        }
        traced += usize::from(any);
    }
    (started, traced, missing)
}

/// The names that a trace shows.
fn names(trace: &str) -> Vec<String> {
    let lines = trace.lines().filter_map(|line| {
        let rest = line.trim_start_matches('~');
        (rest.len() < line.len()).then_some(rest)?.strip_prefix(&PS4[1..])
    });
    let mut names = Vec::new();
    for line in lines {
        let Some(name) = unquoted(line) else { continue };
        let assigns = line.split(['=', '[', '+']).next().is_some_and(|left| {
            left.len() < line.len()
                && !left.is_empty()
                && left.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && (line[left.len()..].starts_with(['=', '['])
                    || line[left.len()..].starts_with("+="))
        });
        if !assigns && !COMPOUND.contains(&name.as_str()) && !line.starts_with("((") {
            names.push(name);
        }
    }
    names
}

/// The first word of a line of the trace, its quotes gone; nothing where it goes on behind the
/// line.
fn unquoted(line: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = line;
    loop {
        if let Some(quoted) = rest.strip_prefix('\'') {
            let (inside, behind) = quoted.split_once('\'')?;
            name.push_str(inside);
            rest = behind;
        } else if let Some(escaped) = rest.strip_prefix('\\') {
            name.extend(escaped.chars().next());
            rest = escaped.get(1..)?;
        } else if rest.starts_with("$'") {
            return None;
        } else {
            let end = rest.find([' ', '\'', '\\']).unwrap_or(rest.len());
            name.push_str(&rest[..end]);
            rest = &rest[end..];
            if rest.is_empty() || rest.starts_with(' ') {
                return Some(name);
            }
        }
    }
}

/// What we know of a script before it runs.
#[derive(Default)]
struct Known {
    names: HashSet<String>,
    /// Something was announced whose names nobody can know.
    unknown: bool,
}

impl Known {
    fn add(&mut self, script: &Script, depth: usize) {
        // The trace has `time` and the like left out; braces make several words of one.
        for found in script.commands() {
            match found.words.first().and_then(|word| word.values()) {
                Some(values) => {
                    let name =
                        values.first().map(|name| String::from_utf8_lossy(name).into_owned());
                    self.names.extend(name);
                }
                None if found.words.is_empty() => {}
                None => self.unknown = true,
            }
        }
        self.unknown |= script.unreadable().is_some_and(|unreadable| unreadable.from == 0);
        for code in script.code() {
            match code.reread(Shell::Bash) {
                Some(script) if depth < 8 => self.add(&script, depth + 1),
                _ => self.unknown |= code.how != How::Wrapped,
            }
        }
    }
}
