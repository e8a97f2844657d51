//! Finds the secrets of a window. A pure function of its bytes: the same text has the same secrets
//! in every window that holds enough before and behind it, and the functions of `window.rs` say how
//! much that is.
//!
//! What is hidden is the union of what each single place announces. A place looks at a bounded
//! stretch before and behind it and at nothing else, so a page never shows a byte that the whole
//! hides.

use crate::assignment::{Assigned, assigned};
use crate::edge::BEFORE_BYTES;
use crate::find::{Announces, Literal, literals_at, next_place};
use crate::kinds::{LEAD_BYTES, ROWS};
use crate::pattern::{End, Walk, walk};
use crate::plain::PlainText;
use crate::redactor::{Kind, PatternCaches, Patterns, Span, UserPattern};
use crate::spellings::is_base64;
use crate::window::{CONTEXT_BYTES, REACH_BYTES};
use std::ops::Range;

/// A piece of a stream.
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Where in the stream they start.
    pub offset: u64,
    /// Secrets that are announced before this offset are not looked for; what stands there is
    /// context.
    pub from: u64,
    /// Whether more bytes may follow that are not known yet.
    pub end: End,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Findings {
    /// The secrets, in order, none overlapping another.
    pub spans: Vec<Span>,
    /// Bytes before this offset are decided: hidden by a span, or no part of a secret, whatever
    /// follows. At a closed end that is the end of the window.
    pub decided: u64,
    /// Where to look for secrets next, when more bytes are there: what is announced before this
    /// offset reaches no byte behind `decided`.
    pub resume: u64,
}

/// How well a secret is known: where two have the same bytes, the better known names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// A name gave it away.
    Named,
    /// Its surroundings did.
    Led,
    /// It has a form of its own, or is a known value.
    Known,
}

/// A secret, with the place that announces it.
#[derive(Debug, Clone)]
pub(crate) struct FoundSecret {
    pub(crate) place: u64,
    pub(crate) range: Range<u64>,
    pub(crate) kind: Kind,
    pub(crate) rank: Rank,
}

/// What one way to look for secrets found.
#[derive(Debug)]
pub(crate) struct Candidates {
    pub(crate) secrets: Vec<FoundSecret>,
    /// As in [`Findings`].
    pub(crate) decided: u64,
    /// The first place that more bytes decide.
    pub(crate) undecided: Option<u64>,
}

/// What a literal led to, relative to its place.
enum Judged {
    /// No secret, whatever follows.
    Nothing,
    /// More bytes decide. The bytes before this one, counted from the place, can be shown.
    Undecided(usize),
    /// A secret, and whether it goes on as far as its alphabet does.
    Secret { range: Range<usize>, endless: bool, kind: Kind, rank: Rank },
}

/// Looks for secrets by form, by name and by the user's patterns.
pub(crate) fn search_patterns(patterns: &Patterns, window: &Window<'_>) -> Candidates {
    let plain = PlainText::strip_escapes(window.bytes, window.end);
    let from = plain.text_place((window.from - window.offset) as usize);
    let mut search = Search {
        patterns,
        caches: patterns.take_caches(),
        plain: &plain,
        end: window.end,
        decided: plain.text.len(),
        secrets: Vec::new(),
        undecided: None,
    };
    let mut at = from;
    let is_plain = !plain.has_escapes();
    while let Some(place) = next_place(&plain.text, at, patterns.user_starts(), is_plain) {
        if place >= search.decided {
            break;
        }
        search.judge_place(place);
        at = place + 1;
    }
    search.into_candidates(window.offset)
}

struct Search<'a> {
    patterns: &'a Patterns,
    caches: Box<PatternCaches>,
    plain: &'a PlainText<'a>,
    end: End,
    decided: usize,
    secrets: Vec<(usize, Range<usize>, Kind, Rank)>,
    undecided: Option<usize>,
}

impl Search<'_> {
    fn judge_place(&mut self, place: usize) {
        let text = &self.plain.text;
        let (context, reach) = self.surroundings(place);
        let rest = &text[place..reach];
        let before = &text[context..place];
        let end = if reach < text.len() { End::Closed } else { self.end };
        for literal in literals_at(rest, before) {
            let judged = self.judge_literal(literal, rest, before, end);
            self.take(place, reach, judged);
        }
        for (index, user) in self.patterns.users().iter().enumerate() {
            if user.starts[usize::from(rest[0])] {
                let cache = self.caches.user(index, user);
                let found =
                    walk(&user.dfa, cache, before.last().copied(), rest, UserPattern::MAX, end);
                self.take(place, reach, judge_user_match(found));
            }
        }
    }

    /// The text that a place may look at: before it, and up to how far it reaches.
    fn surroundings(&self, place: usize) -> (usize, usize) {
        let raw = self.plain.raw_place(place);
        let context = self.plain.text_place(raw.saturating_sub(CONTEXT_BYTES));
        let reach = self.plain.text_place(raw + REACH_BYTES);
        (context.max(place.saturating_sub(BEFORE_BYTES)), reach)
    }

    fn judge_literal(&mut self, literal: &Literal, rest: &[u8], before: &[u8], end: End) -> Judged {
        if rest.len() < literal.text.len() {
            let shown = if literal.is_lead { rest.len() } else { 0 };
            return if end == End::Open { Judged::Undecided(shown) } else { Judged::Nothing };
        }
        match literal.announces {
            Announces::Row(index) => self.judge_row(index, rest, before, end),
            Announces::Name(stem) => match assigned(stem, rest, before, end) {
                Assigned::Nothing => Judged::Nothing,
                Assigned::Undecided(shown) => Judged::Undecided(shown),
                Assigned::Secret { range, endless } => {
                    let kind = Kind::of_name(stem);
                    Judged::Secret { range, endless, kind, rank: Rank::Named }
                }
            },
        }
    }

    fn judge_row(&mut self, index: usize, rest: &[u8], before: &[u8], end: End) -> Judged {
        let row = &ROWS[index];
        let (lead, body) = self.caches.row(index);
        let mut start = 0;
        let mut last = before.last().copied();
        if let Some((lead, cache)) = lead {
            match walk(lead, cache, last, rest, LEAD_BYTES, end) {
                Walk::Undecided(0) => return Judged::Undecided(rest.len()),
                Walk::Undecided(shown) => return Judged::Undecided(shown),
                Walk::Nothing | Walk::Endless(_) => return Judged::Nothing,
                Walk::Match(length) => start = length,
            }
            last = Some(rest[start - 1]);
        }
        let (body, cache) = body;
        let (length, endless) = match walk(body, cache, last, &rest[start..], row.max, end) {
            Walk::Undecided(_) => return Judged::Undecided(start),
            Walk::Nothing => return Judged::Nothing,
            Walk::Match(length) => (length, false),
            Walk::Endless(length) => (length, true),
        };
        let range = start..start + length - row.trail;
        if !row.check.holds(&rest[range.clone()]) {
            return Judged::Nothing;
        }
        let rank = if start > 0 { Rank::Led } else { Rank::Known };
        Judged::Secret { range, endless, kind: Kind::of_row(row), rank }
    }

    fn take(&mut self, place: usize, reach: usize, judged: Judged) {
        match judged {
            Judged::Nothing => {}
            Judged::Undecided(shown) => {
                self.decided = self.decided.min(place + shown);
                self.undecided = Some(self.undecided.map_or(place, |first| first.min(place)));
            }
            Judged::Secret { range, endless, kind, rank } => {
                let mut end = place + range.end;
                if endless {
                    let behind = &self.plain.text[end..reach.max(end)];
                    end += behind.iter().take_while(|&&byte| is_token_byte(byte)).count();
                }
                self.secrets.push((place, place + range.start..end, kind, rank));
            }
        }
    }

    fn into_candidates(self, offset: u64) -> Candidates {
        let Search { patterns, caches, plain, decided, secrets, undecided, .. } = self;
        patterns.return_caches(caches);
        let raw = |text: usize| offset + plain.raw_place(text) as u64;
        let secrets = secrets.into_iter().map(|(place, range, kind, rank)| FoundSecret {
            place: raw(place),
            range: raw(range.start)..raw(range.end - 1) + 1,
            kind,
            rank,
        });
        let secrets = secrets.collect();
        Candidates { secrets, decided: raw(decided), undecided: undecided.map(raw) }
    }
}

impl Candidates {
    /// Adds what another way found in the same window.
    pub(crate) fn extend(&mut self, other: Candidates) {
        self.secrets.extend(other.secrets);
        self.decided = self.decided.min(other.decided);
        self.undecided = self.undecided.into_iter().chain(other.undecided).min();
    }

    /// Adds what was found before.
    pub(crate) fn add_known(&mut self, known: &[Span]) {
        self.secrets.extend(known.iter().map(|span| FoundSecret {
            place: span.start,
            range: span.start..span.end,
            kind: span.kind.clone(),
            rank: Rank::Known,
        }));
    }

    /// Makes one of those that overlap, named after the longest.
    pub(crate) fn settle(self) -> Findings {
        let Candidates { mut secrets, decided, undecided } = self;
        // What reaches the border must be found again, to hide what follows.
        let reaching = secrets.iter().filter(|secret| secret.range.end >= decided);
        let resume = reaching.map(|secret| secret.place).chain(undecided).chain([decided]).min();
        secrets.retain(|secret| secret.range.start < decided);
        secrets.sort_by_key(|secret| secret.range.start);
        let mut spans: Vec<Span> = Vec::with_capacity(secrets.len());
        let mut named_by = (0, Rank::Named);
        for FoundSecret { range, kind, rank, .. } in secrets {
            let known = (range.end - range.start, rank);
            match spans.last_mut().filter(|last| range.start < last.end) {
                Some(last) => {
                    last.end = last.end.max(range.end);
                    if known > named_by {
                        (last.kind, named_by) = (kind, known);
                    }
                }
                None => {
                    spans.push(Span { start: range.start, end: range.end, kind });
                    named_by = known;
                }
            }
        }
        Findings { spans, decided, resume: resume.unwrap_or(decided) }
    }
}

/// The alphabet that a secret beyond its maximum length goes on with.
pub(crate) fn is_token_byte(byte: u8) -> bool {
    is_base64(byte) || byte == b'.'
}

fn judge_user_match(found: Walk) -> Judged {
    match found {
        Walk::Nothing => Judged::Nothing,
        Walk::Undecided(_) => Judged::Undecided(0),
        Walk::Match(length) => Judged::Secret {
            range: 0..length,
            endless: false,
            kind: Kind::PATTERN,
            rank: Rank::Known,
        },
        Walk::Endless(length) => Judged::Secret {
            range: 0..length,
            endless: true,
            kind: Kind::PATTERN,
            rank: Rank::Known,
        },
    }
}
