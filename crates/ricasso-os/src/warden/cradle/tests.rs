//! An order that is read where it lies says what it says when it is taken apart.

use super::*;
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
    Enclosed { cage: false, state: true, rules: false, view: None }.seal(order)
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
