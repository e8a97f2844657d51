//! An order that is read where it lies says what it says when it is taken apart.

use super::*;
use crate::channel::{Arrival, Wait};
use std::path::PathBuf;

fn order(words: usize, environment: usize) -> Order {
    let numbered = |number: usize| format!("word {number}").into_bytes();
    Order {
        argv: (0..words).map(numbered).collect(),
        env: (0..environment).map(|at| format!("NAME{at}=").into_bytes()).collect(),
        cwd: PathBuf::from("/some/where"),
        ceilings: Ceilings { open_files: Some(7), ..Ceilings::default() },
        litter: vec!["/a".into(), "/b".into()],
        more: true,
        leaves: crate::wire::Leaves::Adopted,
        terminal: words.is_multiple_of(2),
        cage: None,
    }
}

fn sealed(order: &Order) -> Vec<u8> {
    Enclosed { cage: false, state: true, rules: false, view: None }.seal(order, None)
}

/// The words of a list up to its null pointer.
fn list(mut at: *const *const c_char) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    loop {
        // SAFETY: `read` ended the list with a null pointer.
        let word = unsafe { *at };
        if word.is_null() {
            return all;
        }
        // SAFETY: the words point into an order that the caller still holds.
        all.push(unsafe { CStr::from_ptr(word) }.to_bytes().to_vec());
        // SAFETY: the null pointer is still to come.
        at = unsafe { at.add(1) };
    }
}

#[test]
fn an_order_is_read_where_it_lies() {
    let mut words = [ptr::null(); MOST_WORDS];
    for (count, environment) in [(1, 0), (2, 1), (3, 500), (900, 1_500)] {
        let order = order(count, environment);
        let bytes = sealed(&order);
        let (wanted, enclosed) = read(&bytes, &mut words).unwrap();
        assert_eq!(list(wanted.argv), order.argv);
        assert_eq!(list(wanted.env), order.env);
        assert_eq!(wanted.program.to_bytes(), order.argv[0]);
        assert_eq!(wanted.cwd, c"/some/where");
        assert_eq!((wanted.ceilings, wanted.terminal), (order.ceilings, order.terminal));
        assert!(enclosed.state && !enclosed.rules && !enclosed.cage);
    }
}

#[test]
fn an_order_that_is_cut_or_has_no_program_is_not_obeyed() {
    let mut words = [ptr::null(); MOST_WORDS];
    let whole = sealed(&order(3, 3));
    // What comes last says whether there is a cage, which is known before.
    for length in 0..whole.len() - size_of::<u64>() {
        assert!(read(&whole[..length], &mut words).is_none(), "cut at {length}");
    }
    assert!(read(&sealed(&order(0, 3)), &mut words).is_none());
    let torn = Order { argv: vec![b"a\0b".to_vec()], ..Order::default() };
    assert!(read(&sealed(&torn), &mut words).is_none());
}

#[test]
fn as_many_words_as_fit_into_a_message_have_room() {
    let mut words = [ptr::null(); MOST_WORDS];
    let mut order = order(1, 0);
    order.env = vec![Vec::new(); (INLINE_BYTES - sealed(&order).len()) / 9];
    let bytes = sealed(&order);
    assert!(bytes.len() <= INLINE_BYTES);
    let (wanted, _) = read(&bytes, &mut words).unwrap();
    assert_eq!(list(wanted.env).len(), order.env.len());
}

#[test]
fn a_program_is_looked_for_below_a_directory() {
    let mut place = [0; PATH_BYTES];
    assert_eq!(join(b"/usr/bin", b"ls", &mut place), Some(c"/usr/bin/ls"));
    assert_eq!(join(b".", b"x", &mut place), Some(c"./x"));
    assert_eq!(join(&[b'a'; PATH_BYTES], b"x", &mut place), None);
    assert!(join(&[b'a'; PATH_BYTES - 3], b"x", &mut place).is_some());
}

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
    log.and_then(|mut log| writeln!(log, "{name}: no landlock")).unwrap();
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
            return skip("a_newborn_behind_walls_leaves_orders");
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
