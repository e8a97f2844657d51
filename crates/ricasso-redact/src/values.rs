//! Finds values that are known to be secret, in the spellings that one command makes of them, also
//! across line breaks and in dumps of bytes. A pure function of a window, as the search by form is.
//!
//! A place is tried where something announces it: the first bytes of a spelling, a line break that
//! parts them, a line of a dump. What announces it lies inside the spelling or up to
//! [`CONTEXT_BYTES`] before it, so every split of a stream finds the same.

use crate::dump::{LINE_BYTES, Reader, count_blanks, data_start};
use crate::pattern::End;
use crate::plain::PlainText;
use crate::redactor::Kind;
use crate::search::{Candidates, Findings, FoundSecret, Rank, Window};
use crate::spellings::{Form, Spelling, spellings};
use crate::window::CONTEXT_BYTES;
use aho_corasick::{AhoCorasick, MatchKind, packed};
use std::fmt;
use std::ops::Range;

/// Shorter values are words that stand everywhere; hiding them would garble the output and tell
/// more than it hides.
pub const MIN_VALUE_BYTES: usize = 6;

/// Longer values are looked for in pieces of this many bytes, so that what has to be kept of a
/// stream to find one stays small.
const PIECE_BYTES: usize = 512;

/// Bytes that a piece shares with the next, so that together they hide one stretch.
const SHARED_BYTES: usize = 4;

/// A line of a value that is so long and has no blank is a secret by itself, as in a PEM block.
const OPAQUE_BYTES: usize = 32;

/// A spelling hides at most so many bytes of the stream, with colours and columns.
const REACH_BYTES: usize = 64 * 1024;

/// A spelling is looked for by so many of its first bytes.
const ANCHOR_BYTES: usize = 6;

/// Anchors that are looked for in one pass: with more the vectors of `aho-corasick` are half as
/// quick.
const ANCHORS_AT_ONCE: usize = 32;

/// With more passes than this an automaton is quicker.
const PASSES: usize = 12;

/// What stands between the pairs of digits that announce a value.
const SEPARATORS: [&str; 6] = ["", " ", ":", "%", "\\x", ", "];

/// What announces a place lies within so many bytes behind it.
const ANNOUNCED_BYTES: usize = 32;

/// The values of a redactor, ready to be looked for.
pub struct KnownValues {
    kinds: Vec<Kind>,
    /// The spellings with their kinds, for each form sorted by their bytes.
    needles: [Vec<(Vec<u8>, usize)>; FORMS.len()],
    /// A bit for each form of which a spelling starts with this byte.
    firsts: [u8; 256],
    /// For each two bytes, how far before a line break between them an anchor starts: a bit for
    /// each distance.
    parted: Vec<u8>,
    searchers: Vec<AnchorSearcher>,
}

const FORMS: [Form; 5] = [Form::Text, Form::Base64, Form::Hex, Form::Words, Form::Cells];

/// Finds the next of some anchors.
enum AnchorSearcher {
    Vectors(packed::Searcher),
    Automaton(AhoCorasick),
}

/// Why a place is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Announced {
    ByAnchor,
    /// It lies in a line of a dump.
    ByDump,
    /// Not yet: the text ends behind it.
    NotYet,
}

struct Search<'a> {
    values: &'a KnownValues,
    window: &'a Window<'a>,
    plain: &'a PlainText<'a>,
    text: &'a [u8],
    from: usize,
    spans: Vec<(Range<usize>, usize)>,
    /// From here on more bytes decide.
    decided: usize,
}

impl KnownValues {
    /// Takes in the values; nothing where none is long enough.
    pub(crate) fn new(values: &[(String, Vec<u8>)]) -> Option<KnownValues> {
        let mut known = KnownValues {
            kinds: Vec::new(),
            needles: Default::default(),
            firsts: [0; 256],
            parted: vec![0; 1 << 16],
            searchers: Vec::new(),
        };
        // Behind a pair of digits and one of these signs the next pair may follow in the next line.
        for digit in (0..=u8::MAX).filter(u8::is_ascii_hexdigit) {
            b":,".iter().for_each(|&sign| known.parted[pair_index(sign, digit)] = 1 << 2);
        }
        let mut anchors = Vec::new();
        for (name, value) in values {
            let value = value.trim_ascii();
            for piece in cut_into_pieces(value).filter(|piece| piece.len() >= MIN_VALUE_BYTES) {
                spellings(piece).into_iter().for_each(|spelling| known.add(spelling, &mut anchors));
            }
            let is_opaque = |line: &&[u8]| line.len() >= OPAQUE_BYTES && !line.contains(&b' ');
            for line in value.split(|&byte| byte == b'\n').filter(is_opaque) {
                let piece = line[..line.len().min(PIECE_BYTES)].to_vec();
                known.add(Spelling { form: Form::Text, bytes: piece }, &mut anchors);
            }
            known.kinds.push(Kind::new(name));
        }
        for needles in &mut known.needles {
            needles.sort();
            needles.dedup_by(|one, other| one.0 == other.0);
        }
        anchors.sort();
        anchors.dedup();
        let at_once = match anchors.len() {
            0 => return None,
            count if count > PASSES * ANCHORS_AT_ONCE => count,
            _ => ANCHORS_AT_ONCE,
        };
        known.searchers = anchors.chunks(at_once).map(AnchorSearcher::new).collect();
        Some(known)
    }

    fn add(&mut self, Spelling { form, bytes }: Spelling, anchors: &mut Vec<Vec<u8>>) {
        let mut reader = Reader::new(&bytes, End::Closed, form, 0);
        let text: Vec<u8> = std::iter::from_fn(|| reader.next(|_| false)).collect();
        if text.len() < MIN_VALUE_BYTES {
            return;
        }
        let anchor = &text[..ANCHOR_BYTES];
        match form {
            Form::Text | Form::Base64 => anchors.push(anchor.to_vec()),
            Form::Hex => anchors.extend(SEPARATORS.iter().map(|separator| {
                let anchor = [&anchor[..2], separator.as_bytes(), &anchor[2..4]].concat();
                anchor[..4].to_vec()
            })),
            Form::Words | Form::Cells => {}
        }
        self.firsts[usize::from(text[0])] |= 1 << form as usize;
        for (distance, pair) in anchor.windows(2).enumerate() {
            self.parted[pair_index(pair[0], pair[1])] |= 1 << distance;
        }
        self.needles[form as usize].push((text, self.kinds.len()));
    }

    /// The values in a window of a stream. In an open window, `decided` is before the first place
    /// where one may have begun.
    pub fn search(&self, window: &Window<'_>) -> Findings {
        self.candidates(window).settle()
    }

    pub(crate) fn candidates(&self, window: &Window<'_>) -> Candidates {
        let plain = PlainText::strip_escapes(window.bytes, window.end);
        let text = &plain.text[..];
        let from = plain.text_place((window.from - window.offset) as usize);
        let (spans, decided) = (Vec::new(), text.len());
        let mut search = Search { values: self, window, plain: &plain, text, from, spans, decided };
        for searcher in &self.searchers {
            let mut at = from;
            while let Some(place) = searcher.find(text, at) {
                search.try_place(place, Announced::ByAnchor);
                at = place + 1;
            }
        }
        search.try_lines();
        if window.end == End::Open {
            for place in text.len().saturating_sub(ANNOUNCED_BYTES).max(from)..text.len() {
                search.try_place(place, Announced::NotYet);
            }
        }
        search.into_candidates()
    }
}

impl Search<'_> {
    fn try_lines(&mut self) {
        let back = self.from.saturating_sub(LINE_BYTES);
        match memchr::memrchr(b'\n', &self.text[back..self.from]) {
            Some(newline) => self.try_dump_line(back + newline + 1),
            None if back == 0 && self.window.offset == 0 => self.try_dump_line(0),
            None => {}
        }
        for newline in memchr::memchr_iter(b'\n', &self.text[self.from..]) {
            self.try_line_end(self.from + newline);
            self.try_dump_line(self.from + newline + 1);
        }
    }

    /// Tries the places before a line break that may part an anchor.
    fn try_line_end(&mut self, newline: usize) {
        let line = &self.text[self.from..newline];
        let is_marked = matches!(line, [.., b'\r' | b'\\']);
        let Some((&before, front)) = line[..line.len() - usize::from(is_marked)].split_last()
        else {
            return;
        };
        let next = &self.text[newline + 1..];
        let starts = |after: &u8| self.values.parted[pair_index(before, *after)];
        let blanks = count_blanks(next);
        let mut starts = next.get(blanks).map_or(0, starts) | next.first().map_or(0, starts);
        while starts != 0 {
            if let Some(place) = front.len().checked_sub(starts.trailing_zeros() as usize) {
                self.try_place(self.from + place, Announced::ByAnchor);
            }
            starts &= starts - 1;
        }
    }

    /// Tries the places of a line of a dump, of digits every other.
    fn try_dump_line(&mut self, start: usize) {
        let line = &self.text[start..self.text.len().min(start + LINE_BYTES)];
        let Some(data) = data_start(line) else { return };
        // The start of the line is in the context of every window.
        let limit = self.plain.raw_place(start.saturating_sub(1)) + CONTEXT_BYTES;
        let end = start + memchr::memchr(b'\n', line).unwrap_or(line.len());
        let mut digits = 0;
        for place in start + data..end.min(self.plain.text_place(limit)) {
            let is_digit = self.text[place].is_ascii_hexdigit();
            if place >= self.from && (!is_digit || digits % 2 == 0) {
                self.try_place(place, Announced::ByDump);
            }
            digits = if is_digit { digits + 1 } else { 0 };
        }
    }

    fn try_place(&mut self, place: usize, announced: Announced) {
        let forms: &[Form] = match announced {
            Announced::ByAnchor => &[Form::Text, Form::Base64, Form::Hex],
            Announced::ByDump => &[Form::Hex, Form::Words, Form::Cells],
            Announced::NotYet => &FORMS,
        };
        let firsts = self.values.firsts[usize::from(self.text[place])];
        for &form in forms.iter().filter(|&&form| firsts >> form as usize & 1 == 1) {
            self.try_form(place, form, announced);
        }
    }

    /// Follows all spellings of a form at once.
    fn try_form(&mut self, place: usize, form: Form, announced: Announced) {
        let mut reader = Reader::new(self.text, self.window.end, form, place);
        reader.is_dump = announced == Announced::ByDump;
        let mut needles = &self.values.needles[form as usize][..];
        for index in 0.. {
            if let [(needle, kind)] = needles
                && reader.rest().starts_with(&needle[index..])
            {
                reader.at += needle.len() - index;
                return self.take(place, reader, *kind, announced);
            }
            let wanted =
                |byte| needles.binary_search_by_key(&byte, |(needle, _)| needle[index]).is_ok();
            let Some(byte) = reader.next(wanted) else { return self.wait(place) };
            let start = needles.partition_point(|(needle, _)| needle[index] < byte);
            let end = needles.partition_point(|(needle, _)| needle[index] <= byte);
            needles = &needles[start..end];
            if let Some(((needle, kind), longer)) = needles.split_first()
                && needle.len() == index + 1
            {
                self.take(place, reader.clone(), *kind, announced);
                needles = longer;
            }
            if needles.is_empty() {
                return;
            }
        }
    }

    /// Hides a spelling and what else carries bits of the value: characters of base64, the rest of
    /// a line of a dump.
    fn take(&mut self, place: usize, reader: Reader<'_>, kind: usize, announced: Announced) {
        let raw = self.plain.raw_place(place);
        let last = self.plain.raw_place(reader.at - 1);
        if announced == Announced::NotYet || last - raw >= REACH_BYTES {
            return;
        }
        let end = reader.rest_end();
        if end.is_none() {
            self.wait(place);
        }
        let limit = self.plain.text_place(raw + REACH_BYTES).max(reader.at);
        self.spans.push((place..end.unwrap_or(self.text.len()).min(limit), kind));
    }

    /// More bytes decide about a place.
    fn wait(&mut self, place: usize) {
        if self.window.bytes.len() - self.plain.raw_place(place) <= REACH_BYTES {
            self.decided = self.decided.min(place);
        }
    }

    fn into_candidates(self) -> Candidates {
        let raw = |text: usize| self.window.offset + self.plain.raw_place(text) as u64;
        let secrets = self.spans.into_iter().map(|(range, kind)| FoundSecret {
            place: raw(range.start),
            range: raw(range.start)..raw(range.end - 1) + 1,
            kind: self.values.kinds[kind].clone(),
            rank: Rank::Known,
        });
        let decided = if self.window.end == End::Open { self.decided } else { self.text.len() };
        Candidates { secrets: secrets.collect(), decided: raw(decided), undecided: None }
    }
}

impl AnchorSearcher {
    fn new(anchors: &[Vec<u8>]) -> AnchorSearcher {
        let vectors = packed::Config::new().builder().extend(anchors).build();
        let vectors = vectors.filter(|_| anchors.len() <= ANCHORS_AT_ONCE);
        vectors.map(AnchorSearcher::Vectors).unwrap_or_else(|| {
            let automaton =
                AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(anchors);
            AnchorSearcher::Automaton(automaton.expect("a few short anchors always fit"))
        })
    }

    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        match self {
            AnchorSearcher::Vectors(searcher) => {
                let span = aho_corasick::Span { start: from, end: text.len() };
                searcher.find_in(text, span).map(|found| found.start())
            }
            AnchorSearcher::Automaton(automaton) => {
                let input = aho_corasick::Input::new(text).range(from..);
                automaton.find(input).map(|found| found.start())
            }
        }
    }
}

fn pair_index(before: u8, after: u8) -> usize {
    usize::from(before) << 8 | usize::from(after)
}

/// Cuts long values into pieces that overlap.
fn cut_into_pieces(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let step = PIECE_BYTES - SHARED_BYTES;
    let pieces = value.len().saturating_sub(SHARED_BYTES).div_ceil(step).max(1);
    (0..pieces).map(move |index| {
        // The last one is as long as the others.
        let start = (index * step).min(value.len().saturating_sub(PIECE_BYTES));
        &value[start..(start + PIECE_BYTES).min(value.len())]
    })
}

impl fmt::Debug for KnownValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KnownValues({})", self.kinds.len())
    }
}
