//! Judges one place: which secrets it announces, or whether more bytes decide. It looks at nothing
//! before the place but a few bytes, and must never answer before every continuation agrees.

use super::super::assign::{Assigned, assigned};
use super::super::before::Before;
use super::super::dfa::{End, Walk, walk};
use super::super::forms::{BASE64_REST, is_base64};
use super::super::kinds::ROWS;
use super::super::literals::{Literal, Use};
use super::super::redact::{Compiled, Inner, User};
use super::Kind;
use regex_automata::hybrid::dfa::Cache;
use std::ops::Range;

/// The working memory of the patterns, made when a pattern is first tried.
#[derive(Default)]
pub(super) struct Judge {
    rows: Vec<Option<(Option<Cache>, Cache)>>,
    users: Vec<Option<Cache>>,
}

/// A secret, relative to the judged place.
pub(super) struct Secret {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it is longer than its kind's maximum.
    pub(super) endless: bool,
    pub(super) kind: Kind,
    /// How well it is known.
    pub(super) rank: Rank,
}

/// How well a secret is known: where two have the same bytes, the better known names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// A name gave it away.
    Named,
    /// Its surroundings did.
    Led,
    /// It has a form of its own, or is a known value.
    Known,
}

/// What is at a place.
pub(super) enum Judged {
    /// These secrets, perhaps none.
    Secrets(Vec<Secret>),
    /// More bytes decide. The bytes before this one, counted from the place, can be shown.
    Wait(usize),
}

/// What a literal led to.
enum Try {
    Wait(usize),
    Nothing,
    Secret(Secret),
}

impl Judge {
    /// The secrets that the first byte of `rest` announces.
    pub(super) fn secrets(
        &mut self,
        inner: &Inner,
        rest: &[u8],
        before: Before,
        end: End,
    ) -> Judged {
        let mut secrets = Vec::new();
        let mut wait: Option<usize> = None;
        let mut take = |tried: Try| match tried {
            Try::Wait(shown) => wait = Some(wait.map_or(shown, |other| other.min(shown))),
            Try::Nothing => {}
            Try::Secret(secret) => secrets.push(secret),
        };
        for literal in inner.literals.starting(rest, before) {
            take(self.try_literal(inner, literal, rest, before, end));
        }
        for (index, user) in inner.users.iter().enumerate() {
            if !user.starts[usize::from(rest[0])] {
                continue;
            }
            let cache = self.user(index, user);
            take(match walk(&user.dfa, cache, before.last(), rest, User::MAX, end) {
                Walk::Wait(_) => Try::Wait(0),
                Walk::Nothing => Try::Nothing,
                found @ (Walk::Match(length) | Walk::Endless(length)) => {
                    Try::Secret(Secret::new(0..length, found, &inner.user_kind, Rank::Known))
                }
            });
        }
        match wait {
            Some(shown) => {
                let first = secrets.iter().map(|secret| secret.start).min();
                Judged::Wait(first.map_or(shown, |first| first.min(shown)))
            }
            None => Judged::Secrets(secrets),
        }
    }

    fn try_literal(
        &mut self,
        inner: &Inner,
        literal: Literal<'_>,
        rest: &[u8],
        before: Before,
        end: End,
    ) -> Try {
        let length = literal.bytes.len();
        if rest.len() < length {
            let shown = if literal.purpose.is_lead() { rest.len() } else { 0 };
            return if end == End::Open { Try::Wait(shown) } else { Try::Nothing };
        }
        let whole = |length, kind| {
            Try::Secret(Secret::new(0..length, Walk::Match(length), kind, Rank::Known))
        };
        match literal.purpose {
            Use::Whole(kind) => whole(length, kind),
            Use::Base64(kind) => {
                let window = &rest[length..rest.len().min(length + BASE64_REST)];
                let more = window.iter().take_while(|&&byte| is_base64(byte)).count();
                if more == window.len() && more < BASE64_REST && end == End::Open {
                    return Try::Wait(0);
                }
                whole(length + more, kind)
            }
            Use::Row(index) => self.try_row(inner, index, rest, before, end),
            Use::Name(stem) => match assigned(stem, rest, &before, end) {
                Assigned::Nothing => Try::Nothing,
                Assigned::Wait(shown) => Try::Wait(shown),
                Assigned::Secret { start, end, endless } => {
                    let kind = inner.named_kind(stem).clone();
                    Try::Secret(Secret { start, end, endless, kind, rank: Rank::Named })
                }
            },
        }
    }

    fn try_row(
        &mut self,
        inner: &Inner,
        index: usize,
        rest: &[u8],
        before: Before,
        end: End,
    ) -> Try {
        let row = ROWS[index];
        let (kind, patterns) = inner.row(index);
        let (lead_cache, body_cache) = self.row(index, patterns);
        let mut start = 0;
        let mut before = before.last();
        let mut rank = Rank::Known;
        if let (Some(lead), Some(cache)) = (&patterns.lead, lead_cache) {
            match walk(lead, cache, before, rest, row.max, end) {
                Walk::Wait(0) => return Try::Wait(rest.len()),
                Walk::Wait(shown) => return Try::Wait(shown),
                Walk::Nothing | Walk::Endless(_) => return Try::Nothing,
                Walk::Match(length) => start = length,
            }
            before = Some(rest[start - 1]);
            rank = Rank::Led;
        }
        match walk(&patterns.body, body_cache, before, &rest[start..], row.max, end) {
            Walk::Wait(_) => Try::Wait(start),
            Walk::Nothing => Try::Nothing,
            found @ (Walk::Match(length) | Walk::Endless(length)) => {
                let range = start..start + length - row.trail;
                if !row.check.holds(&rest[range.clone()]) {
                    return Try::Nothing;
                }
                Try::Secret(Secret::new(range, found, kind, rank))
            }
        }
    }

    fn row(&mut self, index: usize, patterns: &Compiled) -> (Option<&mut Cache>, &mut Cache) {
        if self.rows.len() <= index {
            self.rows.resize_with(index + 1, || None);
        }
        let (lead, body) = self.rows[index].get_or_insert_with(|| {
            (patterns.lead.as_ref().map(|lead| lead.create_cache()), patterns.body.create_cache())
        });
        (lead.as_mut(), body)
    }

    fn user(&mut self, index: usize, user: &User) -> &mut Cache {
        if self.users.len() <= index {
            self.users.resize_with(index + 1, || None);
        }
        self.users[index].get_or_insert_with(|| user.dfa.create_cache())
    }
}

impl Secret {
    fn new(range: Range<usize>, walk: Walk, kind: &Kind, rank: Rank) -> Secret {
        let endless = matches!(walk, Walk::Endless(_));
        Secret { start: range.start, end: range.end, endless, kind: kind.clone(), rank }
    }
}
