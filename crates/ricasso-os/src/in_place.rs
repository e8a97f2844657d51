//! An order that is read where it lies, and obeyed without taking it apart.
//!
//! For a process that shares its parent's memory until it executes: nothing here allocates, locks
//! or panics.

use crate::after_fork;
use crate::wire::{Ceilings, Enclosed, Reader};
use rustix::io::Errno;
use std::ffi::{CStr, c_char};
use std::ptr;

/// The longest path that the kernel takes, its NUL included.
const PATH_BYTES: usize = 4096;

/// The order of a command, where it lies.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) argv: *const *const c_char,
    pub(crate) env: *const *const c_char,
    pub(crate) program: &'a CStr,
    pub(crate) path: Option<&'a [u8]>,
    pub(crate) cwd: &'a CStr,
    pub(crate) ceilings: Ceilings,
    pub(crate) terminal: bool,
    /// What it says of its cage; nothing where it has none.
    pub(crate) cage: &'a [u8],
}

/// Reads an order without copying it: its strings end in NUL, and pointers to them go into
/// `words`, first the arguments and then the environment.
pub(crate) fn read<'a>(
    order: &'a [u8],
    words: &mut [*const c_char],
) -> Option<(Wanted<'a>, Enclosed)> {
    let (order, enclosed) = Enclosed::open(order)?;
    let mut from = Reader(order);
    let mut places = words.iter_mut();
    let mut program = None;
    for _ in 0..from.number()? {
        let word = from.text()?;
        program = program.or(Some(word));
        *places.next()? = word.as_ptr();
    }
    *places.next()? = ptr::null();
    let env = places.as_slice().as_ptr();
    let mut path = None;
    for _ in 0..from.number()? {
        let entry = from.text()?;
        path = path.or_else(|| entry.to_bytes().strip_prefix(b"PATH="));
        *places.next()? = entry.as_ptr();
    }
    *places.next()? = ptr::null();
    let cwd = from.text()?;
    for _ in 0..from.number()? {
        from.bytes()?;
    }
    let ceilings = from.ceilings()?;
    let _more = from.number()?;
    let _leaves = from.leaves()?;
    let terminal = from.number()? == 1;
    let cage = if enclosed.cage && from.number()? == 1 { from.0 } else { &[] };
    let argv = words.as_ptr();
    let program = program?;
    let wanted = Wanted { argv, env, program, path, cwd, ceilings, terminal, cage };
    Some((wanted, enclosed))
}

/// Executes the program, which is looked up as a shell would; returns only on failure.
pub(crate) fn execute(wanted: &Wanted<'_>) -> Errno {
    let program = wanted.program.to_bytes();
    if program.contains(&b'/') {
        return execute_at(wanted.program, wanted);
    }
    let mut worst = Errno::NOENT;
    let mut candidate = [0u8; PATH_BYTES];
    for directory in after_fork::directories(wanted.path) {
        let Some(candidate) = join(directory, program, &mut candidate) else { continue };
        match execute_at(candidate, wanted) {
            Errno::NOENT | Errno::NOTDIR => {}
            Errno::ACCESS => worst = Errno::ACCESS,
            errno => return errno,
        }
    }
    worst
}

/// `DIRECTORY/PROGRAM`; nothing where that is longer than any path.
fn join<'a>(directory: &[u8], program: &[u8], to: &'a mut [u8; PATH_BYTES]) -> Option<&'a CStr> {
    let all = directory.iter().chain(b"/").chain(program).chain(b"\0");
    let length = directory.len() + program.len() + 2;
    let to = to.get_mut(..length)?;
    to.iter_mut().zip(all).for_each(|(place, byte)| *place = *byte);
    CStr::from_bytes_with_nul(to).ok()
}

fn execute_at(program: &CStr, wanted: &Wanted<'_>) -> Errno {
    // SAFETY: `program` and every word are NUL-terminated strings that live until the call
    // returns, and both lists end in a null pointer, as execve(2) demands.
    unsafe { libc::execve(program.as_ptr(), wanted.argv, wanted.env) };
    after_fork::last_errno()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::INLINE_BYTES;
    use crate::wire::Order;
    use std::path::PathBuf;

    /// A word takes nine bytes at least, and both lists end in a null pointer.
    const MOST_WORDS: usize = INLINE_BYTES / 9 + 2;

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
}
