//! How a later file changes what an earlier one said, and when that makes the rights wider.
//!
//! Every type of a key says here whether it overrides or adds up. Nothing here knows which file
//! may widen: that is for `layers`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Deref;

/// A value of the policy that files can lay over each other.
pub(super) trait Layered: Clone + Serialize {
    /// Whether later files add to the value instead of replacing it.
    const ADDS: bool = false;

    /// The value before any file spoke: the tightest, so that a gap never means "no limits".
    fn tightest() -> Self;

    /// What holds after a later file said `new`.
    fn lay(&mut self, new: Self);

    /// Whether `new` would give more than this does.
    fn widened_by(&self, new: &Self) -> bool;
}

/// Declares an enum of words, from the tightest to the widest.
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident {
        $( $(#[$doc:meta])* $variant:ident = $text:literal ),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$doc])* #[serde(rename = $text)] $variant ),*
        }

        impl $name {
            /// The word in the file.
            pub fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => $text ),*
                }
            }
        }

        impl $crate::policy::layered::Layered for $name {
            fn tightest() -> Self {
                [$( Self::$variant ),*][0]
            }

            fn lay(&mut self, new: Self) {
                *self = new;
            }

            fn widened_by(&self, new: &Self) -> bool {
                new > self
            }
        }
    };
}
pub(super) use choice;

/// A list that only ever grows and whose entries only ever forbid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Added<T>(Vec<T>);

/// A list that only ever grows and whose entries give rights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Granted<T>(Vec<T>);

/// A value that a tightening file may not touch, since neither direction is tighter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fixed<T>(T);

/// Variables with their values; later files override one by one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Assigned(BTreeMap<String, String>);

impl<T> Deref for Added<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> Deref for Granted<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> Deref for Fixed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl Deref for Assigned {
    type Target = BTreeMap<String, String>;

    fn deref(&self) -> &BTreeMap<String, String> {
        &self.0
    }
}

impl<T: Clone + PartialEq + Serialize> Layered for Added<T> {
    const ADDS: bool = true;

    fn tightest() -> Self {
        Self(Vec::new())
    }

    fn lay(&mut self, new: Self) {
        append_new(&mut self.0, new.0);
    }

    fn widened_by(&self, _new: &Self) -> bool {
        false
    }
}

impl<T: Clone + PartialEq + Serialize> Layered for Granted<T> {
    const ADDS: bool = true;

    fn tightest() -> Self {
        Self(Vec::new())
    }

    fn lay(&mut self, new: Self) {
        append_new(&mut self.0, new.0);
    }

    fn widened_by(&self, new: &Self) -> bool {
        new.0.iter().any(|item| !self.0.contains(item))
    }
}

impl<T: Layered + PartialEq> Layered for Fixed<T> {
    fn tightest() -> Self {
        Self(T::tightest())
    }

    fn lay(&mut self, new: Self) {
        self.0 = new.0;
    }

    fn widened_by(&self, new: &Self) -> bool {
        self.0 != new.0
    }
}

impl Layered for Assigned {
    const ADDS: bool = true;

    fn tightest() -> Self {
        Self(BTreeMap::new())
    }

    fn lay(&mut self, new: Self) {
        self.0.extend(new.0);
    }

    /// What a variable does to a program cannot be told from its name, so each counts as wider.
    fn widened_by(&self, new: &Self) -> bool {
        new.0.iter().any(|(name, value)| self.0.get(name) != Some(value))
    }
}

impl Layered for bool {
    fn tightest() -> Self {
        false
    }

    fn lay(&mut self, new: Self) {
        *self = new;
    }

    fn widened_by(&self, new: &Self) -> bool {
        self != new
    }
}

fn append_new<T: PartialEq>(list: &mut Vec<T>, new: Vec<T>) {
    for item in new {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_forbids_adds_up_and_never_widens() {
        let mut list = Added(vec!["a"]);
        assert!(!list.widened_by(&Added(vec!["b"])));
        list.lay(Added(vec!["b", "a"]));
        assert_eq!(&*list, ["a", "b"]);
    }

    #[test]
    fn what_gives_rights_adds_up_and_widens() {
        let list = Granted(vec!["a"]);
        assert!(list.widened_by(&Granted(vec!["a", "b"])));
        assert!(!list.widened_by(&Granted(vec!["a"])));
    }
}
