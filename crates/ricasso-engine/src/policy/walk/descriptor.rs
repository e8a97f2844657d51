//! Numbers that the text opens: what is read from them, and where what is written to them goes.

use super::super::paths::Content;
use super::super::word::Word;
use super::redirect::{Output, Redirected};
use super::state::{Descriptor, From, Text, Value};
use super::stream::Stream;
use super::{Feed, Walker};
use ricasso_shell::tree::{Fd, Operator, Redirect};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The first number that the shell itself gives to `{name}<file`.
const FIRST_NAMED: u32 = 10;

impl Walker<'_> {
    /// What a command finds on its input: what it is fed, else what `exec <file` left there.
    pub(super) fn standing(&self, feed: &Feed) -> Feed {
        match self.state.descriptors.get(&0) {
            Some(Descriptor::Input(stream)) if !feed.given => Feed::of(stream.clone()),
            Some(_) | None => feed.clone(),
        }
    }

    /// Opens numbers for what follows.
    pub(super) fn open(&mut self, opened: Vec<(u32, Descriptor)>) {
        if !opened.is_empty() {
            Rc::make_mut(&mut self.state.descriptors).extend(opened);
        }
    }

    /// The same for commands of the shell alone: files behind the numbers begin empty.
    pub(super) fn open_empty(&mut self, redirected: &mut Redirected) {
        for file in std::mem::take(&mut redirected.emptied) {
            Rc::make_mut(&mut self.state.made).write(file, Content::Known(Vec::new()));
        }
        self.open(std::mem::take(&mut redirected.opened));
    }

    /// Opens numbers for one command, and gives what was open before.
    pub(super) fn opened_for_one(
        &mut self,
        redirected: &mut Redirected,
        stays: bool,
    ) -> Option<Rc<BTreeMap<u32, Descriptor>>> {
        if stays || redirected.opened.is_empty() {
            return None;
        }
        let before = Rc::clone(&self.state.descriptors);
        self.open(std::mem::take(&mut redirected.opened));
        Some(before)
    }

    /// `exec` without a command: what it opens stays open.
    pub(super) fn keep_open(&mut self, mut redirected: Redirected, feed: &Feed) {
        self.open_empty(&mut redirected);
        if redirected.feed != *feed {
            self.open(vec![(0, Descriptor::Input(redirected.feed.stream))]);
        }
        for file in redirected.output.into_iter().flat_map(|output| output.targets) {
            Rc::make_mut(&mut self.state.made).write(file, Content::Unknown);
        }
    }

    /// The number before an operator, or the operator's own.
    pub(super) fn number(&mut self, redirect: &Redirect) -> u32 {
        match &redirect.fd {
            Fd::Number(number) => *number,
            Fd::Named(word) => {
                let name = word.pattern().unwrap_or_default();
                let name = name.trim_ascii().strip_prefix(b"{").unwrap_or(&name);
                let name = name.strip_suffix(b"}").unwrap_or(name).to_vec();
                let named = self.state.descriptors.range(FIRST_NAMED..).last();
                let number = named.map_or(FIRST_NAMED, |(last, _)| last.saturating_add(1));
                self.state.set(&name, Value::One(Text::of(number.to_string())));
                self.evaluated(&name);
                number
            }
            Fd::Usual => match redirect.operator {
                Operator::Read
                | Operator::DuplicateIn
                | Operator::ReadWrite
                | Operator::HereString
                | Operator::HereDocument => 0,
                _ => 1,
            },
        }
    }

    /// `<&3` and `>&3`: what lies behind the one number lies behind the other too.
    pub(super) fn duplicated(&self, known: Option<&[u8]>, number: u32, to: &mut Redirected) {
        let Some(from) = known.and_then(number_of) else { return };
        let own = to.opened.iter().rev().find(|(open, _)| *open == from).map(|(_, it)| it);
        let Some(behind) = own.or_else(|| self.state.descriptors.get(&from)).cloned() else {
            return;
        };
        match (number, behind) {
            (0, Descriptor::Input(stream)) => to.feed = Feed::of(stream),
            (1, Descriptor::Output(targets)) => {
                to.output = Some(Output { targets, appends: true });
            }
            (number, behind) => to.opened.push((number, behind)),
        }
    }

    /// What is read from `/dev/fd/3`, where the text opened it.
    pub(super) fn behind_number(&self, word: &Word) -> Option<Stream> {
        let path = word.known()?;
        let doors = [&b"/dev/fd/"[..], b"/proc/self/fd/"];
        let number = doors.iter().find_map(|door| number_of(path.strip_prefix(*door)?))?;
        match self.state.descriptors.get(&number)? {
            Descriptor::Input(stream) => Some(stream.clone()),
            Descriptor::Output(_) => Some(Stream::unknown(From::Here)),
        }
    }
}

fn number_of(text: &[u8]) -> Option<u32> {
    let digits = text.strip_suffix(b"-").unwrap_or(text);
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Whether a command replaces nothing but what lies behind numbers: `exec 3<file`.
pub(super) fn only_opens(words: &[super::expand::Argument]) -> bool {
    let known = words.iter().map(|it| it.word.known());
    known.eq([Some(&b"exec"[..])])
        || matches!(words, [by, exec] if matches!(by.word.known(), Some(b"command" | b"builtin"))
            && exec.word.known() == Some(b"exec"))
}
