//! From words to acts, by the entry of the program.
//!
//! Acts come in the order of their words. Where an unknown word may be an option that changes what
//! is done, both ways are told, the second as `Perhaps`.

use super::read::{Given, Reader, Stops, Told};
use super::table::{Program, Rest, Rule, Shape, Style, Use, Value};
use super::{Act, Does, uses};
use crate::policy::word::{Becomes, Piece, Word};
use crate::policy::words::Meets;

/// Deepest nesting of sub-commands, `gcloud compute instances delete` and one to spare.
const LEVELS: usize = 5;

/// What the program of this entry does with these words.
pub(super) fn acts(program: &'static Program, words: &[Word]) -> Vec<Act> {
    if let Style::Special(read) = program.style {
        return read(words);
    }
    let mut acts = Vec::new();
    let mut level = Level { program, from: 1, outer: [&[], &[]] };
    let mut told_before = Told::default();
    for depth in 0..LEVELS {
        let mut told = level.tell(words);
        if told.has(level.tells(depth), level.program.style) {
            return Vec::new();
        }
        // A page of the manual, shown by a pager.
        if depth > 0 && level.program.tells.is_empty() && told.has("--help", level.program.style) {
            return vec![Act::of(Does::Opaque)];
        }
        match level.inner(words, &told) {
            Inner::Sub(next) => {
                let end = next.from - 1;
                told.given.retain(|given| given.at < end);
                options(&told, words, &mut acts);
                if !level.stops() {
                    told_before.given.append(&mut told.given);
                }
                level = next;
            }
            Inner::Other(at) => {
                if level.program.tells.contains("--help") && asks_for_help(&words[at..]) {
                    return Vec::new();
                }
                options(&told, words, &mut acts);
                let known = words[at].known().is_some();
                acts.extend(level.program.other.iter().map(|does| Act::of(*does)));
                if !known {
                    acts.push(Act::with(Does::Anything, &words[at], at).perhaps());
                }
                break;
            }
            Inner::None => {
                if !level.program.subs.is_empty() {
                    told = level.tell_all(words);
                }
                options(&told, words, &mut acts);
                told.given.append(&mut told_before.given);
                shaped(level.program, words, &told, &mut acts);
                break;
            }
        }
    }
    // The directory that is entered counts for all other words, wherever its option stands.
    acts.sort_by_key(|act| (act.does != Does::Enter, act.at));
    acts
}

/// The indices of the words that name the sub-command.
pub(super) fn subcommand(program: &'static Program, words: &[Word]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut level = Level { program, from: 1, outer: [&[], &[]] };
    for _ in 0..LEVELS {
        let told = level.tell(words);
        match level.inner(words, &told) {
            Inner::Sub(next) => {
                found.push(next.from - 1);
                level = next;
            }
            Inner::Other(at) => {
                found.push(at);
                break;
            }
            Inner::None => break,
        }
    }
    found
}

/// One level of sub-commands.
struct Level {
    program: &'static Program,
    from: usize,
    outer: [&'static [super::table::Opt]; 2],
}

/// What stands below a level.
enum Inner {
    Sub(Level),
    /// A sub-command that is not listed, at this index.
    Other(usize),
    None,
}

impl Level {
    /// Whether options of this level stand before its sub-command only.
    fn stops(&self) -> bool {
        matches!(
            self.program.style,
            Style::Stop | Style::ExactStop | Style::Shell | Style::DashStop
        )
    }

    /// Options under which it prints and ends. `--version` is often an option of a sub-command.
    fn tells(&self, depth: usize) -> &'static str {
        if depth > 0 && self.program.tells == "--help --version" {
            return "--help";
        }
        self.program.tells
    }

    /// Tells the words apart up to the sub-command, or all where there is none.
    fn tell<'w>(&self, words: &'w [Word]) -> Told<'w> {
        if self.program.subs.is_empty() {
            return self.tell_all(words);
        }
        self.tell_until(words, Stops::After(0))
    }

    fn tell_all<'w>(&self, words: &'w [Word]) -> Told<'w> {
        let program = self.program;
        let stops = {
            match (self.stops(), program.shape.rest) {
                (false, Rest::Operands) => Stops::Never,
                (true, Rest::Operands) => Stops::After(0),
                (_, Rest::Words) => Stops::After(program.shape.first.len().saturating_sub(1)),
                (
                    _,
                    Rest::Command
                    | Rest::Elsewhere
                    | Rest::Text
                    | Rest::TextElsewhere
                    | Rest::SetsThenCommand
                    | Rest::ForInput,
                ) => Stops::After(program.shape.first.len()),
            }
        };
        self.tell_until(words, stops)
    }

    fn tell_until<'w>(&self, words: &'w [Word], stops: Stops) -> Told<'w> {
        let program = self.program;
        let tables = [program.options, self.outer[0], self.outer[1]];
        Reader { words, style: program.style, tables, stops }.tell(self.from)
    }

    fn inner(&self, words: &[Word], told: &Told<'_>) -> Inner {
        let Some(at) = told.operands.first().copied() else { return Inner::None };
        if self.program.subs.is_empty() {
            return Inner::None;
        }
        let name = words[at].known();
        let sub = name
            .and_then(|name| self.program.subs.iter().find(|sub| super::read::named(sub, name)));
        match sub {
            Some(program) => {
                let outer = if self.stops() {
                    [&[] as &[_], &[]]
                } else {
                    [self.program.options, self.outer[0]]
                };
                Inner::Sub(Self { program, from: at + 1, outer })
            }
            None if self.program.other.is_empty() => Inner::None,
            None => Inner::Other(at),
        }
    }
}

fn asks_for_help(words: &[Word]) -> bool {
    words
        .iter()
        .take_while(|word| word.known() != Some(b"--"))
        .any(|word| word.known() == Some(b"--help"))
}

/// The acts of the options that are given.
fn options(told: &Told<'_>, words: &[Word], acts: &mut Vec<Act>) {
    for given in &told.given {
        let Some(option) = given.option else { continue };
        match (&given.value, option.value) {
            (Some(value), Value::Next | Value::Glued | Value::Two) => {
                uses::apply(option.used, value, given.at, words, acts);
            }
            (None, Value::Glued) | (_, Value::No) => {
                uses::apply_flag(option.used, given.at, acts);
            }
            (None, Value::Next | Value::Two) => {}
        }
    }
}

/// The acts of the operands, by the shape that the options choose.
fn shaped(program: &'static Program, words: &[Word], told: &Told<'_>, acts: &mut Vec<Act>) {
    let style = program.style;
    let holds = |rule: &&Rule| {
        told.has(rule.given, style) && (rule.also.is_empty() || told.has(rule.also, style))
    };
    let chosen = program.when.iter().find(holds);
    let shape = chosen.map_or(&program.shape, |rule| &rule.shape);
    operands(shape, words, told, acts);
    let is_code = |given: &Given<'_>| {
        given.option.is_some_and(|option| matches!(option.used, Use::Is(Does::Code(_))))
    };
    // Where code is given already, a word more is a file for it.
    let has_code = told.given.iter().any(is_code);
    if told.may_grow(words) {
        let others = program.when.iter().filter(|rule| !same(chosen, rule));
        for rule in others {
            let mut perhaps = Vec::new();
            operands(&rule.shape, words, told, &mut perhaps);
            for act in perhaps {
                if (act.does.changes() || !has_code) && !acts.contains(&act) {
                    acts.push(act.perhaps());
                }
            }
        }
    }
    if program.options.iter().any(|option| uses::matters(option.used)) && !has_code {
        for at in &told.doubts {
            acts.push(Act::with(Does::Anything, &words[*at], *at).perhaps());
        }
    }
    if told.has(program.dry, style) {
        acts.retain(|act| !act.does.changes());
    }
}

fn same(chosen: Option<&Rule>, rule: &Rule) -> bool {
    chosen.is_some_and(|chosen| std::ptr::eq(chosen, rule))
}

fn operands(shape: &Shape, words: &[Word], told: &Told<'_>, acts: &mut Vec<Act>) {
    acts.extend(shape.always.iter().map(|does| Act::of(*does)));
    if told.operands.is_empty() {
        acts.extend(shape.alone.iter().map(|does| Act::of(*does)));
        return;
    }
    let count = told.operands.len();
    for (number, at) in told.operands.iter().copied().enumerate() {
        if shape.rest == Rest::SetsThenCommand && uses::assigns(&words[at]) {
            acts.push(Act::with(Does::Set, &words[at], at));
            continue;
        }
        if number >= shape.first.len() && shape.rest != Rest::Operands {
            if shape.rest == Rest::Words
                && let Some(text) = acts.last_mut()
                && text.does == Does::RunText
            {
                text.rest = words[at..].to_vec();
            }
            rest(shape.rest, &words[at..], at, acts);
            return;
        }
        let used = used(shape, number, count);
        uses::apply(used, &words[at], at, words, acts);
        if words[at].becomes() == Becomes::Any && unknown(&words[at]) {
            perhaps_others(shape, used, &words[at], at, acts);
        }
    }
    perhaps_last(shape, words, told, acts);
    if !matches!(shape.rest, Rest::Operands | Rest::Words) {
        acts.extend(shape.alone.iter().map(|does| Act::of(*does)));
    }
}

/// The last word may become nothing, and then the one before it is the last.
fn perhaps_last(shape: &Shape, words: &[Word], told: &Told<'_>, acts: &mut Vec<Act>) {
    let [used] = shape.last else { return };
    let [.., _, before, last] = told.operands.as_slice() else { return };
    if words[*last].becomes() == Becomes::Any && words[*last].known().is_none() {
        let mut perhaps = Vec::new();
        uses::apply(*used, &words[*before], *before, words, &mut perhaps);
        acts.extend(perhaps.into_iter().map(Act::perhaps));
    }
}

/// A word that becomes many may stand in every place.
fn perhaps_others(shape: &Shape, used: Use, word: &Word, at: usize, acts: &mut Vec<Act>) {
    let others = shape.first.iter().chain(shape.last).chain([&shape.each]);
    for other in others {
        if let (Use::Is(other), Use::Is(used)) = (*other, used)
            && (other == used || other == Does::Nothing)
        {
            continue;
        }
        let mut perhaps = Vec::new();
        uses::apply(*other, word, at, &[], &mut perhaps);
        for act in perhaps {
            if !acts.contains(&act) {
                acts.push(act.perhaps());
            }
        }
    }
}

/// Whether nothing of the word is known.
fn unknown(word: &Word) -> bool {
    word.pieces() == [Piece::Unknown]
}

/// How the operand of this number among so many is used.
fn used(shape: &Shape, number: usize, count: usize) -> Use {
    if let Some(used) = shape.first.get(number) {
        return *used;
    }
    let left = count - number;
    let lasts = shape.last.len();
    // The last operand is the place that is written only where something is written to it.
    if left <= lasts && count > lasts {
        return shape.last[lasts - left];
    }
    shape.each
}

/// The acts of the words that are a command or a text.
pub(super) fn rest(kind: Rest, words: &[Word], at: usize, acts: &mut Vec<Act>) {
    let does = match kind {
        Rest::Operands | Rest::Words => return,
        Rest::Command | Rest::SetsThenCommand => Does::RunRest,
        Rest::Elsewhere => Does::RunElsewhere,
        Rest::Text => Does::RunText,
        Rest::TextElsewhere => Does::RunTextElsewhere,
        Rest::ForInput => Does::RunForInput,
    };
    let mut act = Act { at, ..Act::of(does) };
    match kind {
        Rest::Text | Rest::TextElsewhere => act.with = Some(joined(words)),
        Rest::Command | Rest::SetsThenCommand | Rest::Elsewhere | Rest::Operands | Rest::Words => {
            act.rest = words.to_vec();
        }
        Rest::ForInput => {
            act.rest = words.to_vec();
            act.rest.push(Word::unknown());
        }
    }
    acts.push(act);
}

/// All words in one, with blanks between.
pub(super) fn joined(words: &[Word]) -> Word {
    let mut pieces = Vec::new();
    for (number, word) in words.iter().enumerate() {
        if number > 0 {
            pieces.push(Piece::Known(b" ".to_vec()));
        }
        pieces.extend(word.pieces().iter().cloned());
    }
    Word::new(pieces, Becomes::One)
}

impl Act {
    /// By being started at all.
    pub(super) fn of(does: Does) -> Self {
        Self { does, with: None, rest: Vec::new(), at: 0, sure: Meets::Yes }
    }

    /// With this word.
    pub(in crate::policy) fn with(does: Does, word: &Word, at: usize) -> Self {
        Self { with: Some(word.clone()), at, ..Self::of(does) }
    }

    /// The same, where it is not certain.
    pub(super) fn perhaps(self) -> Self {
        Self { sure: Meets::Perhaps, ..self }
    }
}
