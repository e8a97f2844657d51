//! Finds secrets in a stream of bytes, in chunks of any size, with the same result for every
//! split. Pure: bytes in, spans and a watermark out.
//!
//! A place is decided when no continuation of the stream can change it. What may still grow into
//! a secret waits for more bytes, for the maximum length of its kind, or for the end; everything
//! else is decided at once. A name before a secret (`Password: `) is decided at once too, though
//! the scan keeps it until it knows what follows. The scan must never wait for time to pass, and
//! never hold more bytes than the longest kind needs and one chunk.

mod judge;

use super::before::Before;
use super::dfa::End;
use super::escape::{self, ESC, Escape};
use super::forms::is_base64;
use super::places::Places;
use super::redact::{Inner, Redactor};
use judge::{Judge, Judged, Rank, Secret};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

/// Longer names of kinds are cut, so that a placeholder stays short and a record has a bound.
const KIND_CHARS: usize = 64;

/// The name of a kind of secret: letters, digits, `_`, `.` and `-` only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kind(Arc<str>);

/// A secret: raw offsets from the start of the stream, the end excluded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
    /// What it is.
    pub kind: Kind,
}

/// How far a stream is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// Every byte before this raw offset is decided: inside a reported span, or no secret.
    pub bytes: u64,
    /// The newlines before that offset.
    pub newlines: u64,
    /// Where a scan that is taken up again must start: from here on, text that is decided may
    /// still lead to a secret.
    pub again: u64,
}

/// What lies before the mark at which a scan is taken up again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Behind {
    /// The raw bytes before [`Mark::again`], or the last [`BEHIND_BYTES`] of them.
    pub earlier: Vec<u8>,
    /// The raw bytes from [`Mark::again`] to the mark.
    pub again: Vec<u8>,
    /// The kind of the secret that ends at the mark, if one does; it may go on.
    pub secret: Option<Kind>,
}

/// Enough to know what stood before, colours included.
pub const BEHIND_BYTES: u64 = 256;

/// The scan of one stream.
pub struct Scan {
    redactor: Redactor,
    judge: Judge,
    /// Text, without escape sequences, that is not decided yet.
    held: Vec<u8>,
    /// Where `held` lies in the raw stream; never empty while `held` is used.
    places: VecDeque<Place>,
    /// An escape sequence whose end has not come yet.
    cut: Vec<u8>,
    /// The place of the first held byte in the text without escape sequences.
    text: u64,
    /// Raw bytes taken in.
    raw: u64,
    /// Places in `held` before this one are judged; their spans may still grow.
    judged: usize,
    /// Places in `held` before this one are shown: the mark is there.
    shown: usize,
    /// The text before the first held byte.
    before: Before,
    found: VecDeque<Found>,
    /// A secret longer than its kind's maximum: it goes on as far as its alphabet does.
    endless: Option<(Kind, u64)>,
    mark: Mark,
}

/// From this place in the text on, raw offsets run in step.
#[derive(Debug, Clone, Copy)]
struct Place {
    text: u64,
    raw: u64,
}

/// A secret that may still be joined with another.
struct Found {
    /// Where its literal starts in the text: a scan that starts again must start here.
    from: u64,
    /// Where it starts in the text.
    start: u64,
    /// Where it ends in the text.
    until: u64,
    rank: Rank,
    span: Span,
}

/// How far the places were judged.
struct Reach {
    /// Places before this one are judged.
    judged: usize,
    /// Nothing before this one belongs to a secret that is not found yet.
    shown: usize,
}

/// How the scan goes on after a place.
enum Verdict {
    /// Go on with the next place.
    Pass,
    /// Go on behind this place; the secret was longer than its kind's maximum.
    Skip(usize),
}

impl Kind {
    /// Makes a name fit for placeholders and for the file of spans.
    pub(super) fn new(name: &str) -> Kind {
        let fit = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
        let name: String = name.chars().take(KIND_CHARS).map(fit).collect();
        Kind(if name.is_empty() { "value".into() } else { name.into() })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Span {
    /// Whether `next` is the rest of the same secret, which then gets no placeholder of its own.
    pub fn continues_with(&self, next: &Span) -> bool {
        self.end == next.start && self.kind == next.kind
    }
}

impl Scan {
    /// The scan of a stream from its start.
    pub fn new(redactor: &Redactor) -> Scan {
        Scan::resume(redactor, Mark::default(), Behind::default())
    }

    /// The scan of a stream from a mark of an earlier scan on.
    pub fn resume(redactor: &Redactor, mark: Mark, behind: Behind) -> Scan {
        let mut scan = Scan {
            redactor: redactor.clone(),
            judge: Judge::default(),
            held: Vec::new(),
            places: VecDeque::from([Place { text: 0, raw: mark.again }]),
            cut: Vec::new(),
            text: 0,
            raw: mark.again,
            judged: 0,
            shown: 0,
            before: Before::default(),
            found: VecDeque::new(),
            endless: behind.secret.map(|kind| (kind, mark.bytes)),
            mark,
        };
        let earlier = escape::without_controls(&behind.earlier);
        scan.before = Before::at(Before::default(), &earlier, earlier.len());
        scan.take_text(&behind.again, End::Open);
        scan.shown = scan.held.len();
        scan
    }

    /// How far the stream is decided.
    pub fn mark(&self) -> Mark {
        self.mark
    }

    /// The raw offset up to which bytes were taken in.
    pub fn taken(&self) -> u64 {
        self.raw
    }

    /// Takes in the next bytes and adds the spans that are now certain.
    pub fn push(&mut self, chunk: &[u8], spans: &mut Vec<Span>) -> Mark {
        let plain = self.cut.is_empty() && memchr::memchr(ESC, chunk).is_none();
        if plain && self.held.is_empty() {
            // The common case: no copy, unless something has to wait.
            self.raw += chunk.len() as u64;
            let decided = self.decide(chunk, End::Open, spans);
            self.held.extend_from_slice(&chunk[decided..]);
            return self.mark;
        }
        if plain {
            self.raw += chunk.len() as u64;
            self.held.extend_from_slice(chunk);
        } else {
            self.take_text(chunk, End::Open);
        }
        self.decide_held(End::Open, spans)
    }

    /// How many of the last bytes are held, where they are all as they came: whoever still has
    /// them can hand them in again with the next ones.
    pub(super) fn holds(&self) -> usize {
        let plain = self.cut.is_empty() && self.places.len() == 1;
        if plain { self.held.len() } else { 0 }
    }

    /// The same as [`Scan::push`] of all but the first bytes, which are those that it holds: so
    /// nothing is copied to stand beside them.
    pub(super) fn push_again(&mut self, both: &[u8], held: usize, spans: &mut Vec<Span>) -> Mark {
        let chunk = &both[held..];
        if held == 0 || held != self.holds() || memchr::memchr(ESC, chunk).is_some() {
            return self.push(chunk, spans);
        }
        self.raw += chunk.len() as u64;
        let decided = self.decide(both, End::Open, spans);
        self.held.clear();
        self.held.extend_from_slice(&both[decided..]);
        self.mark
    }

    /// Takes the stream as ended: everything is decided.
    pub fn finish(&mut self, spans: &mut Vec<Span>) -> Mark {
        self.take_text(&[], End::Closed);
        self.decide_held(End::Closed, spans)
    }

    fn decide_held(&mut self, end: End, spans: &mut Vec<Span>) -> Mark {
        let mut held = std::mem::take(&mut self.held);
        let decided = self.decide(&held, end, spans);
        held.drain(..decided);
        self.held = held;
        self.mark
    }

    /// Adds the chunk to the held text, without its escape sequences.
    fn take_text(&mut self, chunk: &[u8], end: End) {
        let mut bytes = std::mem::take(&mut self.cut);
        self.raw -= bytes.len() as u64;
        bytes.extend_from_slice(chunk);
        let mut rest = &bytes[..];
        while let Some(at) = memchr::memchr(ESC, rest) {
            self.take_plain(&rest[..at]);
            rest = &rest[at..];
            match escape::control(rest) {
                Escape::Whole(length) => {
                    self.raw += length as u64;
                    let text = self.text + self.held.len() as u64;
                    self.places.push_back(Place { text, raw: self.raw });
                    rest = &rest[length..];
                }
                Escape::Cut if end == End::Open => {
                    self.raw += rest.len() as u64;
                    self.cut = rest.to_vec();
                    return;
                }
                Escape::Cut | Escape::Text => {
                    self.take_plain(&rest[..1]);
                    rest = &rest[1..];
                }
            }
        }
        self.take_plain(rest);
    }

    fn take_plain(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
        self.raw += bytes.len() as u64;
    }

    /// Judges all places that can be judged, moves the mark, and returns how many of `bytes`,
    /// the held text or the chunk in its stead, need not be kept.
    fn decide(&mut self, bytes: &[u8], end: End, spans: &mut Vec<Span>) -> usize {
        let Reach { judged, shown } = self.judge_all(bytes, end, spans);
        self.settle(judged, spans);
        let place = |text: u64| (text - self.text) as usize;
        let first_open = self.found.iter().map(|found| place(found.from)).min();
        let first_start = self.found.iter().map(|found| place(found.start)).min();
        let decided = first_open.unwrap_or(judged).min(judged);
        let shown = first_start.unwrap_or(shown).min(shown).max(self.shown).max(decided);
        self.mark.newlines += memchr::memchr_iter(b'\n', &bytes[self.shown..shown]).count() as u64;
        let raw_place = |index: usize| {
            if index == bytes.len() { self.raw - self.cut.len() as u64 } else { self.raw_at(index) }
        };
        let (mark, again) = (raw_place(shown), raw_place(decided));
        self.mark.bytes = mark;
        self.mark.again = again.min(mark);
        self.judged = judged - decided;
        self.shown = shown - decided;
        self.before = Before::at(self.before, bytes, decided);
        self.text += decided as u64;
        while self.places.get(1).is_some_and(|place| place.text <= self.text) {
            self.places.pop_front();
        }
        if let Some(first) = self.places.front_mut() {
            // Without this, an offset could be told from a place that a later chunk outgrew.
            first.raw += self.text.saturating_sub(first.text);
            first.text = first.text.max(self.text);
        }
        decided
    }

    fn judge_all(&mut self, bytes: &[u8], end: End, spans: &mut Vec<Span>) -> Reach {
        let redactor = self.redactor.clone();
        let inner = redactor.inner();
        let mut at = self.grow(bytes, self.judged, spans);
        let mut tail = inner.tail(bytes, at, self.before, end);
        let mut places = Places::new(&inner.literals, bytes, at);
        while let Some(next) = next_place(inner, &mut places, bytes, at)
            && next <= tail.open
        {
            let before = Before::at(self.before, bytes, next);
            match self.judge.secrets(inner, &bytes[next..], before, end) {
                Judged::Wait(more) => {
                    let shown = tail.shown.min(next + more);
                    return Reach { judged: next, shown: self.look_ahead(bytes, next + 1, shown) };
                }
                Judged::Secrets(secrets) => match self.note_all(next, secrets) {
                    Verdict::Pass => at = next + 1,
                    Verdict::Skip(to) => {
                        self.settle(to, spans);
                        at = self.grow(bytes, to, spans);
                        tail = inner.tail(bytes, at, self.before, end);
                    }
                },
            }
            self.settle(at, spans);
        }
        Reach { judged: tail.open, shown: self.look_ahead(bytes, tail.open, tail.shown) }
    }

    /// How much of the text before `shown` can be shown although the places from `at` on are not
    /// judged yet: one of them may announce a secret.
    fn look_ahead(&mut self, bytes: &[u8], at: usize, shown: usize) -> usize {
        let redactor = self.redactor.clone();
        let inner = redactor.inner();
        let mut places = Places::new(&inner.literals, bytes, at);
        let (mut at, mut shown) = (at, shown);
        while at < shown
            && let Some(next) = next_place(inner, &mut places, bytes, at)
            && next < shown
        {
            let before = Before::at(self.before, bytes, next);
            let more = match self.judge.secrets(inner, &bytes[next..], before, End::Open) {
                Judged::Wait(more) => Some(more),
                Judged::Secrets(secrets) => secrets.iter().map(|secret| secret.start).min(),
            };
            shown = more.map_or(shown, |more| shown.min(next + more));
            at = next + 1;
        }
        shown
    }

    /// Lets a secret that was longer than its maximum go on from `at`; returns where it ends.
    fn grow(&mut self, bytes: &[u8], at: usize, spans: &mut Vec<Span>) -> usize {
        let Some((kind, start)) = self.endless.clone() else { return at };
        let more = bytes[at..].iter().take_while(|&&byte| is_base64(byte) || byte == b'.').count();
        let end = at + more;
        self.endless = None;
        let mut reached = start;
        if more > 0 {
            reached = self.raw_at(end - 1) + 1;
            spans.push(Span { start, end: reached, kind: kind.clone() });
        }
        if end == bytes.len() {
            self.endless = Some((kind, reached));
        }
        end
    }

    /// Hands out the spans that end at or before a judged place: nothing can join them any more.
    fn settle(&mut self, judged: usize, spans: &mut Vec<Span>) {
        let judged = self.text + judged as u64;
        while self.found.front().is_some_and(|found| found.until <= judged) {
            spans.extend(self.found.pop_front().map(|found| found.span));
        }
    }

    fn note_all(&mut self, at: usize, secrets: Vec<Secret>) -> Verdict {
        let mut endless = None;
        for secret in secrets {
            let (first, last) = (at + secret.start, at + secret.end - 1);
            let span =
                Span { start: self.raw_at(first), end: self.raw_at(last) + 1, kind: secret.kind };
            if secret.endless {
                endless = Some((last + 1, span.kind.clone(), span.end));
            }
            self.note(Found {
                from: self.text + at as u64,
                start: self.text + first as u64,
                until: self.text + last as u64 + 1,
                rank: secret.rank,
                span,
            });
        }
        let Some((end, kind, raw_end)) = endless else { return Verdict::Pass };
        if self.found.back().is_some_and(|found| found.until > self.text + end as u64) {
            return Verdict::Pass;
        }
        self.endless = Some((kind, raw_end));
        Verdict::Skip(end)
    }

    /// Adds a secret; overlapping ones become one, named after the longest.
    fn note(&mut self, mut new: Found) {
        let mut index = 0;
        while let Some(old) = self.found.get(index) {
            if old.span.end <= new.span.start || new.span.end <= old.span.start {
                index += 1;
                continue;
            }
            if let Some(old) = self.found.remove(index) {
                new = join(old, new);
            }
        }
        let place = self.found.partition_point(|old| old.span.start < new.span.start);
        self.found.insert(place, new);
    }

    /// The raw offset of a place in the held text.
    fn raw_at(&self, index: usize) -> u64 {
        let text = self.text + index as u64;
        let after = self.places.partition_point(|place| place.text <= text);
        let place = self.places[after.saturating_sub(1)];
        place.raw + (text - place.text)
    }
}

/// The first place at or after `at` where a secret may be announced.
fn next_place(inner: &Inner, places: &mut Places<'_>, bytes: &[u8], at: usize) -> Option<usize> {
    let literal = places.after(at);
    let limit = literal.unwrap_or(bytes.len());
    let user = inner
        .user_starts
        .as_ref()
        .and_then(|starts| (at..limit).find(|&index| starts[usize::from(bytes[index])]));
    user.or(literal)
}

fn join(old: Found, new: Found) -> Found {
    let length = |found: &Found| found.span.end - found.span.start;
    let older = (length(&old), old.rank) >= (length(&new), new.rank);
    let (kind, rank) = if older { (old.span.kind, old.rank) } else { (new.span.kind, new.rank) };
    let start = old.span.start.min(new.span.start);
    let end = old.span.end.max(new.span.end);
    Found {
        from: old.from.min(new.from),
        start: old.start.min(new.start),
        until: old.until.max(new.until),
        rank,
        span: Span { start, end, kind },
    }
}

#[cfg(test)]
mod tests;
