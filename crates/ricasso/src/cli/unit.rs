//! Words on the command line that are more than words: times, ranges, variables.

use crate::duration::time;
use ricasso_engine::engine::Until;
use ricasso_engine::request::WindowSize;
use std::ffi::OsString;
use std::time::Duration;

/// `30s`, `0.5s`, `500ms`, `10m`, `2h`, `1d`. A number without a unit is not guessed at.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "a timeout is a number with a unit, as 500ms, 30s, 10m, 2h, 1d".to_string();
    let time = time(text).ok_or_else(wrong)?;
    if time.is_zero() {
        return Err("a timeout of zero would end the command before it begins".into());
    }
    if time > Duration::from_secs(366 * 86400) {
        return Err("a timeout of more than a year cannot be meant".into());
    }
    Ok(time)
}

/// How old something is: as a timeout, but of any length.
pub(super) fn age(text: &str) -> Result<Duration, String> {
    time(text).ok_or_else(|| "an age is a number with a unit, as 90m, 12h, 7d, 0s".to_string())
}

/// `A-B`.
pub(super) fn range(text: &str) -> Result<(u64, u64), String> {
    let parts =
        text.split_once('-').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    match parts {
        Some((from, to)) if from <= to => Ok((from, to)),
        Some(_) => Err("the range ends before it begins; write the smaller number first".into()),
        None => Err("a range is two numbers, as 8000-91000".into()),
    }
}

/// `80x24`.
pub(super) fn size(text: &str) -> Result<WindowSize, String> {
    let most = WindowSize::MOST;
    let parts = text.split_once('x');
    let numbers =
        parts.and_then(|(columns, rows)| Some((columns.parse().ok()?, rows.parse().ok()?)));
    match numbers {
        Some((columns, rows))
            if (1..=most.columns).contains(&columns) && (1..=most.rows).contains(&rows) =>
        {
            Ok(WindowSize { columns, rows })
        }
        Some(_) => Err(format!("a terminal has 1x1 to {}x{}", most.columns, most.rows)),
        None => Err("a size is columns and rows, as 80x24".into()),
    }
}

/// `exit`, `idle=5s`, `match=REGEX`, `input`.
pub(super) fn until(text: &str) -> Result<Until, String> {
    match text.split_once('=') {
        None if text == "exit" => Ok(Until::Exit),
        None if text == "input" => Ok(Until::Input),
        Some(("idle", time)) => duration(time).map(Until::Idle),
        Some(("match", regex)) if !regex.is_empty() => Ok(Until::Match(regex.to_string())),
        Some(_) | None => Err("wait until exit, idle=5s, match=REGEX or input".into()),
    }
}

/// `NAME=VALUE`.
pub(super) fn variable(text: &str) -> Result<(OsString, OsString), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        Some(_) | None => Err("a variable is NAME=VALUE".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_may_have_fractions() {
        assert_eq!(duration("0.5s"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
        for wrong in
            ["", "s", "10", "-1s", "+1s", "1e3s", "nans", "infs", "0s", "0.0ms", "1 s", "400d"]
        {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ages_may_be_zero_and_long() {
        assert_eq!(age("0s"), Ok(Duration::ZERO));
        assert_eq!(age("400d"), Ok(Duration::from_secs(400 * 86400)));
        for wrong in ["", "7", "d", "-1d", "1e9d", "99999999999999999999d"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_and_waits_are_read_or_told() {
        assert_eq!(size("80x24"), Ok(WindowSize { columns: 80, rows: 24 }));
        for wrong in ["", "80", "0x24", "80x", "-1x2", "501x10", "99999x9"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(until("idle=0.5s"), Ok(Until::Idle(Duration::from_millis(500))));
        assert_eq!(until("match=a=b"), Ok(Until::Match("a=b".into())));
        for wrong in ["", "idle", "idle=", "idle=5", "match=", "end"] {
            assert!(until(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_are_two_numbers_in_order() {
        assert_eq!(range("8000-91000"), Ok((8000, 91000)));
        for wrong in ["", "5", "-5", "5-", "9-3", "a-b", "-1-5"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
