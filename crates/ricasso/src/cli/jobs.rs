//! `ricasso jobs`: a table for people, or a list of replies.

use super::look::{self, answer};
use super::print;
use ricasso_engine::engine::Listed;
use serde_json::Value;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The flags.
#[derive(Debug, clap::Args)]
pub(super) struct Jobs {
    /// Answer with JSON
    #[arg(long)]
    json: bool,
    /// Also jobs that were no background jobs
    #[arg(long)]
    all: bool,
    /// Only the jobs of this session
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
}

/// Where a terminal of today is at least this wide, the table fits it.
const COLUMNS: usize = 80;
/// What one mebibyte is.
const MIB: u64 = 1 << 20;

/// Lists and returns the exit code.
pub(super) fn jobs(args: &Jobs) -> u8 {
    answer(|| {
        let which = if args.all { Listed::All } else { Listed::Usual };
        let rows = look::jobs(args.session.as_deref())?.list(which)?;
        if args.json {
            look::put(&Value::Array(rows));
        } else if rows.is_empty() {
            print::say("ricasso: no jobs; ricasso run --background starts one");
        } else {
            print::put(table(&rows).as_bytes());
        }
        Ok(0)
    })
}

fn table(rows: &[Value]) -> String {
    let head = ["ID", "STATE", "AGE", "CPU", "MEM", "LAST LINE"].map(str::to_string);
    let mut page = line(&head);
    rows.iter().for_each(|row| page.push_str(&line(&cells(row))));
    page
}

fn cells(row: &Value) -> [String; 6] {
    let millis = |path: &str| row.pointer(path).and_then(Value::as_f64).unwrap_or_default();
    let cpu = (millis("/usage/user_ms") + millis("/usage/system_ms")) / 1000.0;
    let said = ["/last_line", "/label", "/command"].map(|path| look::text(row, path));
    let said = said.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    [
        look::text(row, "/id").to_string(),
        look::state(row),
        look::short(look::age(row)),
        look::short(std::time::Duration::try_from_secs_f64(cpu).unwrap_or_default()),
        format!("{}M", look::number(row, "/usage/max_rss_bytes").div_ceil(MIB)),
        said.to_string(),
    ]
}

/// One line, each cell cut to its column.
fn line(cells: &[String; 6]) -> String {
    const WIDTHS: [usize; 5] = [26, 13, 5, 5, 6];
    let mut line = String::new();
    for (cell, width) in cells.iter().zip(WIDTHS) {
        let cell = cut(cell, width);
        line.push_str(&cell);
        line.extend(std::iter::repeat_n(' ', width - cell.width() + 1));
    }
    let rest = COLUMNS - line.width();
    line.push_str(&cut(&cells[5], rest));
    format!("{}\n", line.trim_end())
}

/// The text in at most so many columns, with a mark where it was cut.
fn cut(text: &str, columns: usize) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control()).collect();
    if plain.width() <= columns {
        return plain;
    }
    let mut cut = String::new();
    for c in plain.chars() {
        if cut.width() + c.width().unwrap_or(0) >= columns {
            break;
        }
        cut.push(c);
    }
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_table_fits_whatever_a_job_says() {
        let row = json!({
            "id": "0123456789abcdefghjkmnpqrs", "running": true, "duration_ms": 93_000_000.0,
            "waiting_for_input": {"kind": "password"},
            "usage": {"user_ms": 1e9, "system_ms": 5.0, "max_rss_bytes": 1u64 << 40},
            "last_line": "日本語の長い行 ".repeat(20), "command": "x",
        });
        let quiet = json!({"id": "x", "ending": {"kind": "lost"}, "command": "a\u{1b}[2Jb"});
        let page = table(&[row, quiet]);
        assert_eq!(page.lines().count(), 3);
        for line in page.lines() {
            assert!(line.width() <= COLUMNS, "{} columns: {line}", line.width());
            assert!(!line.contains('\u{1b}'));
        }
        assert!(page.contains("asks password"));
        assert!(page.lines().nth(2).is_some_and(|line| line.contains("lost")), "{page}");
    }
}
