//! Mutations: texts that are nearly what somebody would write.

use crate::random::Random;

/// Pieces of syntax that make or break a text.
pub const PIECES: [&[u8]; 64] = [
    b"'",
    b"\"",
    b"`",
    b"$(",
    b")",
    b"(",
    b"{",
    b"}",
    b"${",
    b"$((",
    b"))",
    b"[[ ",
    b" ]]",
    b"<<E",
    b"\n",
    b";",
    b";;",
    b"&",
    b"&&",
    b"|",
    b"||",
    b"\\",
    b"\\\n",
    b"<",
    b">",
    b"<(",
    b"#",
    b" ",
    b"if ",
    b"then ",
    b"fi",
    b"do ",
    b"done",
    b"esac",
    b"case ",
    b" in ",
    b"for ",
    b"!",
    b"=",
    b"a=(",
    b"[",
    b"]",
    b"$",
    b"function ",
    b"{ ",
    b"; }",
    b"2>&1",
    b"<<<",
    b"E\n",
    b"$'",
    b"*",
    b"~",
    b"while ",
    b"else ",
    b"time ",
    b"coproc ",
    b"select ",
    b"<<-E",
    b"|&",
    b"&>",
    b"((",
    b"${x:-",
    b"\t",
    b"\xff",
];

/// Changes a text in one to four places; pieces of the other texts may come in.
pub fn mutate(random: &mut Random, text: &[u8], others: &[Vec<u8>], most: usize) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len() + 1);
        match random.below(7) {
            0 => {
                let length = [1, 1, 1, 2, 5, 20][random.below(6)];
                text.drain(at..(at + length).min(text.len()));
            }
            1 | 2 => {
                let piece = *random.pick(&PIECES);
                text.splice(at..at, piece.iter().copied());
            }
            3 if !text.is_empty() => {
                let from = random.below(text.len());
                let at = at.min(text.len() - 1);
                text[at] = text[from];
            }
            4 => {
                let from = random.below(text.len() + 1);
                let length = random.below(40).min(text.len() - from);
                let copy = text[from..from + length].to_vec();
                text.splice(at..at, copy);
            }
            5 => {
                let piece = *random.pick(&PIECES);
                let end = (at + 1).min(text.len());
                text.splice(at..end, piece.iter().copied());
            }
            _ if !others.is_empty() => {
                let other = random.pick(others);
                let from = random.below(other.len() + 1);
                let length = random.below(40).min(other.len() - from);
                text.splice(at..at, other[from..from + length].iter().copied());
            }
            _ => {}
        }
    }
    text.truncate(most);
    text
}
