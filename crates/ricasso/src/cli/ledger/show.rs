//! `ledger show`: one row a call for people, one line an entry for programs.

use super::super::print;
use super::{Answer, Show, put, shelf};
use crate::exit;
use ricasso_engine::record::{Entry, Line, Phase};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What a terminal has when nobody says.
const COLUMNS: usize = 80;
const AT: usize = 11;
const ID: usize = 26;
const ENDED: usize = 9;
/// What the other columns and the blanks between them leave.
const COMMAND: usize = COLUMNS - AT - ID - ENDED - 3;
/// So many calls are remembered until they are closed; more are not shown as running.
const MOST_RUNNING: usize = 10_000;
/// Text is handed out in pieces of about this size.
const PIECE_BYTES: usize = 64 * 1024;

/// Prints what passes the filter.
pub(super) fn show(args: &Show) -> Answer {
    let mut sieve = args.filter.sieve();
    let mut out = Out::new(args.last);
    let mut running: HashMap<String, Line> = HashMap::new();
    let mut code = exit::LEDGER_GOOD;
    if !args.json {
        out.first(row("AT (UTC)", "ID", "ENDED", "COMMAND"));
    }
    for line in shelf()?.entries()? {
        let mut line = match line {
            Ok(line) => line,
            // One broken line hides no other.
            Err(error) => {
                print::error(&error);
                code = exit::OURS;
                continue;
            }
        };
        let wanted = sieve.wants(&line);
        let text = if args.json {
            format!("{}\n", line.text)
        } else if line.entry.phase == Phase::Open {
            if wanted && running.len() < MOST_RUNNING {
                running.insert(line.entry.id.clone(), line);
            }
            continue;
        } else {
            // A lost job is closed by somebody who does not know what it was.
            let opened = running.remove(&line.entry.id);
            line.entry.command =
                line.entry.command.or_else(|| opened.and_then(|opened| opened.entry.command));
            row_of(&line)
        };
        if wanted && !out.line(text) {
            return Ok(print::BROKEN_PIPE);
        }
    }
    let mut running: Vec<Line> = running.into_values().collect();
    running.sort_by_key(|line| line.seq);
    let all_out = running.iter().all(|line| out.line(row_of(line))) && out.end();
    Ok(if all_out { code } else { print::BROKEN_PIPE })
}

/// Gathers lines into pieces, or keeps the last ones.
struct Out {
    last: Option<usize>,
    kept: VecDeque<String>,
    piece: String,
}

impl Out {
    fn new(last: Option<usize>) -> Out {
        Out { last, kept: VecDeque::new(), piece: String::new() }
    }

    /// What stands above all others.
    fn first(&mut self, line: String) {
        self.piece.push_str(&line);
    }

    /// Takes a line; whether anybody still reads.
    fn line(&mut self, line: String) -> bool {
        match self.last {
            None => {
                self.piece.push_str(&line);
                self.piece.len() < PIECE_BYTES || put(&std::mem::take(&mut self.piece))
            }
            Some(most) => {
                self.kept.push_back(line);
                if self.kept.len() > most {
                    self.kept.pop_front();
                }
                true
            }
        }
    }

    fn end(mut self) -> bool {
        self.piece.extend(self.kept);
        self.piece.is_empty() || put(&self.piece)
    }
}

fn row_of(line: &Line) -> String {
    let entry = &line.entry;
    // The year and the fraction of a second are in the JSON form.
    let at = entry.at.get(5..16).unwrap_or(&entry.at).replace('T', " ");
    let command = entry.command.as_ref().and_then(Value::as_str);
    let said = command.map_or_else(|| own_words(entry), str::to_string);
    row(&at, &entry.id, &ended(entry), &said)
}

fn ended(entry: &Entry<Value>) -> String {
    let number = |key: &str| entry.ending[key].as_i64().unwrap_or_default();
    match entry.phase {
        Phase::Open => return "running".into(),
        Phase::Repair => return "repair".into(),
        Phase::Note => return "note".into(),
        _ => {}
    }
    match (entry.ending["kind"].as_str().unwrap_or_default(), entry.verdict.as_str()) {
        ("exited", _) => format!("exit {}", number("code")),
        ("signalled", _) => format!("signal {}", number("signal")),
        ("timed_out", _) => "deadline".into(),
        ("refused", "deny") => "denied".into(),
        ("refused", "ask") => "asked".into(),
        ("not_started", _) => "not run".into(),
        (kind, _) => kind.to_string(),
    }
}

/// What an entry says that is about no call.
fn own_words(entry: &Entry<Value>) -> String {
    let of = |key: &str| entry.extra.get(key).cloned().unwrap_or_default();
    let (note, repair) = (of("note"), of("repair"));
    let kind = note["kind"].as_str().or(repair["kind"].as_str()).unwrap_or_default();
    let count = |list: &Value| list.as_array().map_or(0, Vec::len);
    match kind {
        "fed" => format!("fed: {} bytes", note["bytes"]),
        "forgotten" => format!("forgotten: {} jobs", count(&note["jobs"])),
        "retired" => format!("retired: {} files", count(&note["files"])),
        other => other.to_string(),
    }
}

fn row(at: &str, id: &str, ended: &str, command: &str) -> String {
    let cells = [cell(at, AT), cell(id, ID), cell(ended, ENDED), cell(command, COMMAND)];
    format!("{}\n", cells.join(" ").trim_end())
}

/// A text of exactly this width: one line, nothing invisible, cut with a mark where it is longer.
fn cell(text: &str, width: usize) -> String {
    let plain = |c: char| if c.width().unwrap_or(0) == 0 { ' ' } else { c };
    let text: String = text.chars().take(width * 2).map(plain).collect();
    let mut shown = String::new();
    let mut used = 0;
    for c in text.trim().chars() {
        let more = c.width().unwrap_or(0);
        if used + more > width {
            while used > width - 1 {
                used -= shown.pop().and_then(UnicodeWidthChar::width).unwrap_or(1);
            }
            shown.push('…');
            break;
        }
        shown.push(c);
        used += more;
    }
    let blanks = width.saturating_sub(shown.width());
    shown.extend(std::iter::repeat_n(' ', blanks));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_their_width_whatever_is_in_them() {
        assert_eq!(cell("ab", 4), "ab  ");
        assert_eq!(cell("abcde", 4), "abc…");
        assert_eq!(cell("a\nb\u{200b}c\x1b[1m", 20), "a b c [1m           ");
        for text in ["日本語日本語", "a日本語", "ééé日日日", ""] {
            for width in 1..9 {
                assert_eq!(cell(text, width).width(), width, "{text} {width}");
            }
        }
    }
}
