//! Reading /proc: children, parents, memory, command lines. Never writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A command line is cut here: it only names a survivor to a reader.
const COMMAND_BYTES: usize = 200;

/// Whether processes can be seen at all, and by the numbers that they have for us: a /proc of
/// another namespace has others.
pub(crate) fn can_walk() -> bool {
    let own = std::process::id().to_string();
    fs::read_link("/proc/self").is_ok_and(|number| number.as_os_str() == own.as_str())
        && Path::new("/proc/self/stat").exists()
}

/// The children of a process, of all its threads.
pub(super) fn children(pid: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        // Where /proc hides what others could not trace (hidepid), the first process of a job is
        // not there, but those below it are.
        return if is_there(pid) { children_by_scan(pid) } else { Vec::new() };
    };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(list) => found.extend(list.split_ascii_whitespace().filter_map(number)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && missing_lists() => {
                return children_by_scan(pid);
            }
            // The thread or the process ended in between.
            Err(_) => {}
        }
    }
    found
}

fn is_there(pid: i32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid).is_ok())
}

/// The parent of a process.
pub(super) fn parent(pid: i32) -> Option<i32> {
    fields(pid).and_then(|fields| fields.split_ascii_whitespace().nth(1).and_then(number))
}

/// Whether a process has ended and only waits to be reaped. One whose first thread has ended while
/// others go on has not.
pub(super) fn is_zombie(pid: i32) -> bool {
    has_ended(pid) && threads(pid) <= 1
}

/// Whether the first thread of a process has ended.
fn has_ended(pid: i32) -> bool {
    fields(pid).is_none_or(|fields| fields.starts_with('Z') || fields.starts_with('X'))
}

/// The threads of a process, as directories of /proc.
pub(crate) fn tasks(pid: i32) -> impl Iterator<Item = PathBuf> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
    tasks.flatten().map(|task| task.path())
}

/// A file that tells of the memory of a process. Of a first thread that has ended it tells nothing,
/// and any other one has the same memory.
fn about_memory(pid: i32, file: &str) -> String {
    let tells = |text: &String| !text.starts_with("0 ") && !text.contains("\nState:\tZ");
    let whole = fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    if tells(&whole) || threads(pid) <= 1 {
        return whole;
    }
    let mut all = tasks(pid).filter_map(|task| fs::read_to_string(task.join(file)).ok());
    all.find(tells).unwrap_or(whole)
}

/// The resident memory of a process; 0 where it is gone.
pub(super) fn resident_bytes(pid: i32) -> u64 {
    let text = about_memory(pid, "statm");
    let mut pages = text.split_ascii_whitespace().map(|word| word.parse::<u64>().unwrap_or(0));
    let page = rustix::param::page_size() as u64;
    let mut next = || pages.next().unwrap_or(0).saturating_mul(page);
    let (mapped, resident) = (next(), next());
    if mapped / MAPPED_BY_A_TABLE < SMALL_TABLES {
        return resident;
    }
    resident.saturating_add(table_bytes(pid))
}

/// The memory of a process that no file stands behind.
pub(super) fn anonymous_bytes(pid: i32) -> u64 {
    let text = about_memory(pid, "statm");
    let mut pages = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap_or(0));
    let (resident, shared) = (pages.next().unwrap_or(0u64), pages.next().unwrap_or(0));
    resident.saturating_sub(shared).saturating_mul(rustix::param::page_size() as u64)
}

/// The least memory that a byte of a table of pages stands for: four kibibytes in eight bytes.
const MAPPED_BY_A_TABLE: u64 = 512;
/// Tables that are not worth a second look.
const SMALL_TABLES: u64 = 16 * 1024 * 1024;

/// What the kernel keeps to find the pages of a process, which is nobody's resident memory: whoever
/// reads here and there in much empty memory has much of it.
fn table_bytes(pid: i32) -> u64 {
    let status = about_memory(pid, "status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmPTE:")).unwrap_or_default();
    let kib = line.trim().strip_suffix("kB").and_then(|text| text.trim().parse::<u64>().ok());
    kib.unwrap_or(0).saturating_mul(1024)
}

/// How many threads a process has: a directory has a link from each one below it, and two more.
pub(super) fn threads(pid: i32) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let links = fs::metadata(format!("/proc/{pid}/task")).map_or(0, |about| about.nlink());
    links.saturating_sub(2)
}

/// The time that a process and its reaped children have used, in user mode and in the kernel.
pub(super) fn times(pid: i32) -> (Duration, Duration) {
    let Some(fields) = fields(pid) else { return Default::default() };
    let mut ticks = fields.split_ascii_whitespace().skip(11).map(|word| word.parse().unwrap_or(0));
    let mut next = || ticks.next().unwrap_or(0u64);
    let (user, system, waited_user, waited_system) = (next(), next(), next(), next());
    let tick = 1000 / rustix::param::clock_ticks_per_second().max(1);
    let time = |ticks: u64| Duration::from_millis(ticks.saturating_mul(tick));
    (time(user + waited_user), time(system + waited_system))
}

/// When a process was started, in ticks since the machine was.
pub(super) fn started(pid: i32) -> Option<u64> {
    /// Field 22 of `stat`, the twentieth after the name (proc(5)).
    const STARTED: usize = 19;
    fields(pid)?.split(' ').nth(STARTED)?.parse().ok()
}

/// The command line, words joined by spaces; the short name where it is empty.
pub(super) fn command(pid: i32) -> Vec<u8> {
    let mut line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.truncate(COMMAND_BYTES);
    while line.last() == Some(&0) {
        line.pop();
    }
    line.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b' ');
    if line.is_empty() {
        line = fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
        line.retain(|byte| *byte != b'\n');
    }
    line
}

/// The fields of `stat` after the name, which may itself hold blanks and parentheses.
fn fields(pid: i32) -> Option<String> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let close = stat.iter().rposition(|byte| *byte == b')')?;
    Some(String::from_utf8_lossy(stat.get(close + 2..)?).into_owned())
}

/// Kernels without CONFIG_PROC_CHILDREN have no such file for anybody.
fn missing_lists() -> bool {
    let own = rustix::process::getpid().as_raw_nonzero();
    !Path::new(&format!("/proc/{own}/task/{own}/children")).exists()
}

fn children_by_scan(pid: i32) -> Vec<i32> {
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = all.flatten().filter_map(|entry| number(entry.file_name().to_str()?));
    pids.filter(|child| parent(*child) == Some(pid)).collect()
}

fn number(text: &str) -> Option<i32> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_whose_first_thread_ended_lives_on_and_has_its_memory() {
        let mut child = std::process::Command::new("python3")
            .args(["-c", LEADERLESS])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = [0u8; 1];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut ready).unwrap();
        let pid = child.id() as i32;
        let until = std::time::Instant::now() + Duration::from_secs(20);
        while !has_ended(pid) && std::time::Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(has_ended(pid), "the first thread ended");
        assert!(!is_zombie(pid), "another one goes on");
        let resident = resident_bytes(pid);
        assert!(resident > 64 << 20, "{resident} bytes are seen of 64 MiB");
        assert!(anonymous_bytes(pid) > 64 << 20);
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(is_zombie(pid));
    }

    /// Ends its first thread; another one holds 64 MiB until its input ends.
    const LEADERLESS: &str = "
import ctypes, os, threading
def work():
    held = b'x' * (64 << 20)
    os.write(1, b'.')
    os.read(0, 1)
    os._exit(len(held) & 0)
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall(60 if os.uname().machine == 'x86_64' else 93, 0)
";

    #[test]
    fn both_ways_of_finding_children_agree() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let own = std::process::id() as i32;
        let pid = child.id() as i32;
        assert!(children(own).contains(&pid));
        assert!(children_by_scan(own).contains(&pid));
        assert_eq!(parent(pid), Some(own));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!children(own).contains(&pid));
        assert_eq!(parent(pid), None);
    }

    #[test]
    fn a_name_with_parentheses_and_blanks_does_not_confuse_the_fields() {
        let mut child = std::process::Command::new("bash")
            .args(["-c", "printf 'x) S 1 (' > /proc/$$/comm; echo ok; read -r _"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = [0u8; 3];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut ready).unwrap();
        assert_eq!(parent(child.id() as i32), Some(std::process::id() as i32));
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
