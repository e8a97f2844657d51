//! How the words of a command meet the words of a rule, where some may be unknown.
//!
//! The answer has three values. What forbids counts from `Perhaps` on, what permits only at `Yes`,
//! so a word that nobody knows can never turn a deny into an allow. No catalogue is needed here:
//! an operand right after an option may be that option's value, and is taken for both.

use super::text::Glob;

/// `-rfv` and `-xzvf` are bundles; `-chdir` and `-regex` are words of their own.
const MAX_BUNDLE: usize = 4;

/// The words of a command: `None` where a word is not known before it runs. An unknown word may
/// become any number of words.
pub(super) type Words = [Option<Vec<u8>>];

/// How well a command meets a condition; the order is what "both" (`min`) and "either" (`max`) use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meets {
    /// It cannot.
    No,
    /// It could, by what is unknown or by another reading of its options.
    Perhaps,
    /// It does.
    Yes,
}

/// One operand or unknown word, in order.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item<'a> {
    /// An operand for certain.
    Operand(&'a [u8]),
    /// An operand, or the value of the option before it.
    Perhaps(&'a [u8]),
    /// Any number of any words.
    Unknown,
}

/// The words from this one on that are not options; the program itself is none of them.
pub(super) fn operands(words: &Words, from: usize) -> Vec<Item<'_>> {
    let mut items = Vec::new();
    let mut after_option = false;
    let mut only_operands = false;
    for word in words.iter().skip(from) {
        match word.as_deref() {
            None => items.push(Item::Unknown),
            Some(b"--") if !only_operands => only_operands = true,
            Some(word) if !only_operands && is_option(word) => {
                after_option = !word.contains(&b'=');
                continue;
            }
            Some(word) if after_option => items.push(Item::Perhaps(word)),
            Some(word) => items.push(Item::Operand(word)),
        }
        after_option = false;
    }
    items
}

/// The number of options before `--`, each letter of a bundle counted.
pub(super) fn count_options(words: &Words) -> usize {
    before_dashes(words).iter().flatten().map(|word| letters(word)).sum()
}

/// How many options one word stands for; a bundle stands for each of its letters.
pub(super) fn letters(word: &[u8]) -> usize {
    match is_option(word) {
        true if is_bundle(word) => word.len() - 1,
        true => 1,
        false => 0,
    }
}

/// Whether the operands begin with these words, in order.
pub(super) fn begins(items: &[Item<'_>], wanted: &[Glob]) -> Meets {
    if wanted.is_empty() {
        return Meets::Yes;
    }
    let mut reached = vec![false; wanted.len()];
    reached[0] = true;
    let mut certain = Meets::Yes;
    for item in items {
        let (word, keeps) = match item {
            Item::Unknown => return Meets::Perhaps,
            Item::Operand(word) => (*word, false),
            Item::Perhaps(word) => (*word, true),
        };
        certain = if keeps { Meets::Perhaps } else { certain };
        if advance(&mut reached, wanted, word, keeps) {
            return certain;
        }
        if !reached.contains(&true) {
            return Meets::No;
        }
    }
    Meets::No
}

/// Moves each reading one word on; true when one of them has met the last wanted word.
fn advance(reached: &mut [bool], wanted: &[Glob], word: &[u8], keeps: bool) -> bool {
    let mut done = false;
    for at in (0..wanted.len()).rev() {
        if !reached[at] {
            continue;
        }
        reached[at] = keeps;
        if wanted[at].matches(word) {
            match reached.get_mut(at + 1) {
                Some(next) => *next = true,
                None => done = true,
            }
        }
    }
    done
}

/// Whether an option stands among the words: as spelt, glued to a value, inside a bundle of
/// letters, or cut short as many programs allow.
pub(super) fn has_option(words: &Words, wanted: &Glob) -> Meets {
    let words = before_dashes(words);
    let mut best = Meets::No;
    for (at, word) in words.iter().enumerate() {
        let meets = match word.as_deref() {
            None => Meets::Perhaps,
            Some(word) if is_option(word) => {
                let next = words.get(at + 1).map(|next| next.as_deref());
                option_meets(word, next, wanted)
            }
            Some(_) => Meets::No,
        };
        best = best.max(meets);
    }
    best
}

fn option_meets(word: &[u8], next: Option<Option<&[u8]>>, wanted: &Glob) -> Meets {
    if wanted.matches(word) {
        return Meets::Yes;
    }
    match wanted.as_str().split_once('=') {
        Some((name, value)) if word == name.as_bytes() => match next {
            Some(Some(next)) if Glob::new(value).is_ok_and(|value| value.matches(next)) => {
                Meets::Yes
            }
            Some(None) => Meets::Perhaps,
            Some(Some(_)) | None => Meets::No,
        },
        Some(_) => Meets::No,
        None => spelt_otherwise(word, wanted.as_str().as_bytes()),
    }
}

fn spelt_otherwise(word: &[u8], wanted: &[u8]) -> Meets {
    let glued = word.strip_prefix(wanted).is_some_and(|rest| rest.starts_with(b"="));
    if glued && wanted.starts_with(b"--") {
        return Meets::Yes;
    }
    let letter = match wanted {
        [b'-', letter] if *letter != b'-' => Some(*letter),
        _ => None,
    };
    let single = !word.starts_with(b"--");
    let holds = letter.is_some_and(|letter| single && word[1..].contains(&letter));
    if holds && is_bundle(word) {
        return Meets::Yes;
    }
    let cut_short = word.starts_with(b"--") && word.len() > 3 && wanted.starts_with(word);
    if holds || cut_short { Meets::Perhaps } else { Meets::No }
}

/// Single letters behind one dash, few enough that no program has them as one long option.
fn is_bundle(word: &[u8]) -> bool {
    word.len() <= 1 + MAX_BUNDLE && !word.starts_with(b"--") && {
        word[1..].iter().all(u8::is_ascii_alphabetic)
    }
}

fn is_option(word: &[u8]) -> bool {
    word.len() > 1 && word[0] == b'-'
}

fn before_dashes(words: &Words) -> &Words {
    let rest = words.get(1..).unwrap_or_default();
    let end = rest.iter().position(|word| word.as_deref() == Some(b"--"));
    &rest[..end.unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Option<Vec<u8>>> {
        text.split(' ').map(|word| (word != "?").then(|| word.as_bytes().to_vec())).collect()
    }

    fn globs(text: &str) -> Vec<Glob> {
        text.split_whitespace().map(|word| Glob::new(word).unwrap()).collect()
    }

    #[test]
    fn operands_are_met_in_order() {
        let cases = [
            ("git push origin", "push", Meets::Yes),
            ("git push origin", "push origin", Meets::Yes),
            ("git log push", "push", Meets::No),
            ("git -C dir push", "push", Meets::Perhaps),
            ("git --git-dir=x push", "push", Meets::Yes),
            ("git -f push", "push", Meets::Perhaps),
            ("git ? push", "pull", Meets::Perhaps),
            ("git log ?", "push", Meets::No),
            ("git -- push", "push", Meets::Yes),
            ("git", "push", Meets::No),
        ];
        for (command, wanted, expected) in cases {
            let words = words(command);
            assert_eq!(begins(&operands(&words, 1), &globs(wanted)), expected, "{command}");
        }
    }

    #[test]
    fn options_are_met_in_any_place_and_spelling() {
        let cases = [
            ("git push --force", "--force", Meets::Yes),
            ("git push --force-with-lease", "--force", Meets::No),
            ("git push --forc", "--force", Meets::Perhaps),
            ("rm -fr x", "-r", Meets::Yes),
            ("find -regex x", "-r", Meets::Perhaps),
            ("rm -r x", "-r", Meets::Yes),
            ("rm -- -r", "-r", Meets::No),
            ("kubectl --context prod get", "--context=prod*", Meets::Yes),
            ("kubectl --context=prod-eu get", "--context=prod*", Meets::Yes),
            ("kubectl --context dev get", "--context=prod*", Meets::No),
            ("kubectl --context ? get", "--context=prod*", Meets::Perhaps),
        ];
        for (command, wanted, expected) in cases {
            let glob = Glob::new(wanted).unwrap();
            assert_eq!(has_option(&words(command), &glob), expected, "{command}");
        }
    }
}
