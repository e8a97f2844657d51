//! A newborn behind walls takes the orders that are for it, and leaves the others.

use super::*;
use crate::channel::{Arrival, Wait};
use std::path::PathBuf;

/// A newborn behind walls, and both ends of what it hears and tells.
struct Walled {
    /// Lives as long as whoever stands behind it.
    _hedge: Box<Hedge>,
    cradle: Cradle,
    pid: i32,
    owner: Channel,
    warden: Channel,
    note: Channel,
}

const WALLS: u64 = 7;

/// Where everything may be read but one file.
fn cage(hidden: &std::path::Path) -> crate::cage::Cage {
    let walls = crate::cage::Walls {
        landlock: 1,
        files: true,
        calls: true,
        ..crate::cage::Walls::default()
    };
    let (read, hide) = (vec!["/".into()], vec![hidden.into()]);
    crate::cage::Cage { walls, read, hide, ..crate::cage::Cage::default() }
}

impl Walled {
    /// `None` where there is no Landlock.
    fn born(hidden: &std::path::Path) -> Option<Walled> {
        let rules = crate::cage::Ahead::new().take(&cage(hidden).into()).rules?;
        let (cage, survey) = (cage(hidden).into(), crate::cage::Survey::of(&cage(hidden)));
        let wanted = crate::cage::Wanted { number: WALLS, cage, survey, rules: Some(rules) };
        let hedge = Box::new(Hedge::new(wanted, crate::cage::Fence::default()).unwrap());
        let (owner, warden) = Channel::pair().unwrap();
        let (note, theirs) = Channel::pair().unwrap();
        let mut cradle = Cradle::new(&warden).unwrap();
        let pid = cradle.bear(theirs.into_fd(), Some((&hedge, Bounds::Unknown))).unwrap();
        let walled = Walled { _hedge: hedge, cradle, pid, owner, warden, note };
        let listener = walled.note.receive(Wait::Forever).unwrap();
        assert!(matches!(listener, Arrival::Message(_, fds) if fds.len() == 1));
        Some(walled)
    }

    fn ordered(&self, order: &Order, view: Option<u64>) {
        let with = Enclosed { cage: true, state: false, rules: false, view };
        let null = std::fs::File::options().read(true).write(true).open("/dev/null").unwrap();
        let streams = [null.as_fd(), null.as_fd(), null.as_fd()];
        self.owner.send(&with.seal(order, order.cage.as_deref()), &streams).unwrap();
    }

    /// Waits until it has executed or ended.
    fn is_over(&self) -> bool {
        matches!(self.note.receive(Wait::Forever).unwrap(), Arrival::Closed)
    }

    fn exit_code(&self) -> Option<i32> {
        let pid = Pid::from_raw(self.pid);
        let waited = rustix::process::waitpid(pid, rustix::process::WaitOptions::empty()).unwrap();
        waited.and_then(|(_, status)| status.exit_status())
    }
}

/// A file of its own, away from what is shut without namespaces, gone at the end.
struct Hidden(PathBuf);

impl Hidden {
    fn new(name: &str) -> Hidden {
        let path = format!("/var/tmp/ricasso-cradle-{name}-{}", std::process::id());
        std::fs::write(&path, "hushed").unwrap();
        Hidden(path.into())
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn skip(name: &str) {
    use std::io::Write;
    let Some(log) = std::env::var_os("RICASSO_SKIP_LOG") else { return };
    let log = std::fs::File::options().append(true).create(true).open(log);
    log.and_then(|mut log| writeln!(log, "test\t{name}\tno landlock")).unwrap();
}

#[test]
fn a_newborn_is_behind_its_walls_before_its_order_is_there() {
    let hidden = Hidden::new("walls");
    let Some(walled) = Walled::born(&hidden.0) else {
        return skip("a_newborn_is_behind_its_walls_before_its_order_is_there");
    };
    let status = std::fs::read_to_string(format!("/proc/{}/status", walled.pid)).unwrap();
    for line in ["Seccomp:\t2", "NoNewPrivs:\t1", "CapPrm:\t0000000000000000"] {
        assert!(status.contains(line), "{line}: {status}");
    }
    let text = format!("[ -e {0:?} ] && ! read -r line < {0:?}", hidden.0);
    let argv = vec![b"sh".to_vec(), b"-c".to_vec(), text.into_bytes()];
    let cage = Some(std::sync::Arc::new(cage(&hidden.0)));
    let order = Order { argv, cwd: "/".into(), cage, ..Order::default() };
    walled.ordered(&order, Some(WALLS));
    assert!(walled.is_over());
    assert!(matches!(walled.cradle.came(), Came::Executed(_)));
    assert_eq!(walled.exit_code(), Some(0));
    assert!(walled.warden.is_silent(), "it took its order");
}

#[test]
fn a_newborn_behind_walls_leaves_orders_that_it_cannot_obey_where_they_are() {
    let hidden = Hidden::new("others");
    let argv = vec![b"true".to_vec()];
    let order = Order { argv, cwd: "/".into(), ..Order::default() };
    let same = Some(std::sync::Arc::new(cage(&hidden.0)));
    let other = Some(std::sync::Arc::new(cage(std::path::Path::new("/etc/shadow"))));
    let nowhere = PathBuf::from("/nonexistent");
    let cases = [
        ("of other walls", Order { cage: same.clone(), ..order.clone() }, Some(WALLS + 1)),
        ("of no walls", Order { cage: same.clone(), ..order.clone() }, None),
        ("for another cage", Order { cage: other, ..order.clone() }, Some(WALLS)),
        ("nowhere", Order { cage: same, cwd: nowhere, ..order }, Some(WALLS)),
    ];
    for (what, order, view) in cases {
        let Some(walled) = Walled::born(&hidden.0) else {
            return skip("a_newborn_behind_walls_leaves_orders_that_it_cannot_obey_where_they_are");
        };
        walled.ordered(&order, view);
        assert!(walled.is_over());
        assert!(matches!(walled.cradle.came(), Came::Back), "{what}");
        assert_eq!(walled.exit_code(), Some(0), "{what}");
        let (bytes, fds) = after_fork::next_order(&walled.warden).unwrap();
        let (left, _) = Enclosed::open(&bytes).unwrap();
        assert_eq!((Order::decode(left).unwrap(), fds.len()), (order, 3), "{what}");
    }
}
