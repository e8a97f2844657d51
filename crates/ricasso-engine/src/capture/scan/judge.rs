//! Judges one place: which secrets start here, or whether more bytes decide. It looks at nothing
//! before the place but one byte, and must never answer before every continuation agrees.

use super::super::dfa::{End, Walk, walk};
use super::super::forms::{BASE64_REST, is_base64};
use super::super::kinds::ROWS;
use super::super::literals::{Literal, Use};
use super::super::redact::{Compiled, Inner, User};
use super::Kind;
use regex_automata::hybrid::dfa::Cache;

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
}

/// What a literal led to.
enum Try {
    Wait,
    Nothing,
    Secret(Secret),
}

impl Judge {
    /// The secrets that start at the first byte of `rest`; `None` while more bytes decide.
    pub(super) fn secrets(
        &mut self,
        inner: &Inner,
        rest: &[u8],
        before: Option<u8>,
        end: End,
    ) -> Option<Vec<Secret>> {
        let mut secrets = Vec::new();
        for literal in inner.literals.starting_with(rest[0], before) {
            match self.try_literal(inner, literal, rest, before, end) {
                Try::Wait => return None,
                Try::Nothing => {}
                Try::Secret(secret) => secrets.push(secret),
            }
        }
        for (index, user) in inner.users.iter().enumerate() {
            if !user.starts[usize::from(rest[0])] {
                continue;
            }
            match walk(&user.dfa, self.user(index, user), before, rest, User::MAX, end) {
                Walk::Wait => return None,
                Walk::Nothing => {}
                found @ (Walk::Match(length) | Walk::Endless(length)) => {
                    secrets.push(Secret::new(0, length, found, &inner.user_kind));
                }
            }
        }
        Some(secrets)
    }

    fn try_literal(
        &mut self,
        inner: &Inner,
        literal: &Literal,
        rest: &[u8],
        before: Option<u8>,
        end: End,
    ) -> Try {
        let length = literal.bytes.len();
        if rest.len() < length {
            let may_become = literal.bytes.starts_with(rest) && end == End::Open;
            return if may_become { Try::Wait } else { Try::Nothing };
        }
        if !rest.starts_with(&literal.bytes) {
            return Try::Nothing;
        }
        match &literal.purpose {
            Use::Whole(kind) => Try::Secret(Secret::new(0, length, Walk::Match(length), kind)),
            Use::Base64(kind) => {
                let window = &rest[length..rest.len().min(length + BASE64_REST)];
                let more = window.iter().take_while(|&&byte| is_base64(byte)).count();
                if more == window.len() && more < BASE64_REST && end == End::Open {
                    return Try::Wait;
                }
                Try::Secret(Secret::new(0, length + more, Walk::Match(length + more), kind))
            }
            Use::Row(index) => self.try_row(inner, *index, rest, before, end),
        }
    }

    fn try_row(
        &mut self,
        inner: &Inner,
        index: usize,
        rest: &[u8],
        before: Option<u8>,
        end: End,
    ) -> Try {
        let row = &ROWS[index];
        let (kind, patterns) = inner.row(index);
        let (lead_cache, body_cache) = self.row(index, patterns);
        let mut start = 0;
        let mut before = before;
        if let (Some(lead), Some(cache)) = (&patterns.lead, lead_cache) {
            match walk(lead, cache, before, rest, row.max, end) {
                Walk::Wait => return Try::Wait,
                Walk::Nothing | Walk::Endless(_) => return Try::Nothing,
                Walk::Match(length) => start = length,
            }
            before = Some(rest[start - 1]);
        }
        match walk(&patterns.body, body_cache, before, &rest[start..], row.max, end) {
            Walk::Wait => Try::Wait,
            Walk::Nothing => Try::Nothing,
            found @ (Walk::Match(length) | Walk::Endless(length)) => {
                Try::Secret(Secret::new(start, start + length - row.trail, found, kind))
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
    fn new(start: usize, end: usize, walk: Walk, kind: &Kind) -> Secret {
        Secret { start, end, endless: matches!(walk, Walk::Endless(_)), kind: kind.clone() }
    }
}
