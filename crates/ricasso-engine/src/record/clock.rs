//! Moments as RFC 3339 text in UTC, with milliseconds, and back. The caller brings the moment.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DAY_SECONDS: u64 = 86_400;

/// The moment as `2026-11-15T23:07:17.123Z`. A moment before 1970 is told as 1970's first.
pub fn rfc3339(moment: SystemTime) -> String {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (since.as_secs() / DAY_SECONDS, since.as_secs() % DAY_SECONDS);
    let (year, month, day) = civil(days);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    let (second, millis) = (second % 60, since.subsec_millis());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Reads `2026-11-15`, `2026-11-15T23:07`, with seconds, a fraction and a zone (`Z`, `+01:00`)
/// where they are given; without a zone it is UTC. `None` where it is no moment since 1970.
pub fn moment(text: &str) -> Option<SystemTime> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, time),
        None => (text, "00:00Z"),
    };
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let known = (1970..=9999).contains(&year) && (1..=12).contains(&month);
    if !known || !(1..=month_days(year, month)).contains(&day) {
        return None;
    }
    let (time, east_minutes) = zone(time)?;
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let clock = if clock.len() == 5 { format!("{clock}:00") } else { clock.to_string() };
    let [hour, minute, second] = numbers(&clock, ':', [2, 2, 2])?;
    let digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if hour > 23 || minute > 59 || second > 59 || !digits || fraction.len() > 9 {
        return None;
    }
    let nanos: u32 = format!("{fraction:0<9}").parse().ok()?;
    let seconds = days_before(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second;
    let seconds = u64::try_from(i64::try_from(seconds).ok()? - east_minutes * 60).ok()?;
    UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
}

/// Cuts the zone off; how many minutes it lies east.
fn zone(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let Some(at) = time.find(['+', '-']) else { return Some((time, 0)) };
    let [hours, minutes] = numbers(&time[at + 1..], ':', [2, 2])?;
    let east = i64::try_from(hours * 60 + minutes).ok().filter(|_| hours < 24 && minutes < 60)?;
    Some((&time[..at], if time[at..].starts_with('-') { -east } else { east }))
}

/// Numbers of exactly these widths.
fn numbers<const N: usize>(text: &str, between: char, widths: [usize; N]) -> Option<[u64; N]> {
    let mut found = [0; N];
    let mut parts = text.split(between);
    for (number, width) in found.iter_mut().zip(widths) {
        let part = parts.next()?;
        let plain = part.len() == width && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = plain.then(|| part.parse().ok()).flatten()?;
    }
    parts.next().is_none().then_some(found)
}

fn month_days(year: u64, month: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u64::from(leap),
        _ => 31,
    }
}

fn days_before(year: u64, month: u64, day: u64) -> u64 {
    let before = year - 1;
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    let years = (year - 1970) * 365 + leaps(before) - leaps(1969);
    years + (1..month).map(|month| month_days(year, month)).sum::<u64>() + day - 1
}

/// Days since 1970 to a date, by counting in years that start in March, so that the leap day is
/// the last one, and in eras of 400 years, which all have the same length.
fn civil(days: u64) -> (u64, u64, u64) {
    const DAYS_TO_1970: u64 = 719_468;
    const ERA_DAYS: u64 = 146_097;
    let days = days + DAYS_TO_1970;
    let (era, day_of_era) = (days / ERA_DAYS, days % ERA_DAYS);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_told_as_dates() {
        let at = |seconds: u64, millis: u64| {
            rfc3339(UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_millis(millis))
        };
        assert_eq!(at(0, 0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_400, 7), "2000-02-29T00:00:00.007Z");
        assert_eq!(at(1_709_251_199, 999), "2024-02-29T23:59:59.999Z");
        assert_eq!(at(4_107_542_400, 0), "2100-03-01T00:00:00.000Z");
        assert_eq!(rfc3339(UNIX_EPOCH - Duration::from_secs(5)), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn dates_are_read_as_moments() {
        let told = |text: &str| moment(text).map(rfc3339);
        let good = [
            ("1970-01-01", "1970-01-01T00:00:00.000Z"),
            ("2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59.999Z"),
            ("2000-02-29 12:30", "2000-02-29T12:30:00.000Z"),
            ("2100-03-01t00:00:00z", "2100-03-01T00:00:00.000Z"),
            ("2026-11-15T00:30:00+01:30", "2026-11-14T23:00:00.000Z"),
            ("2026-11-15T23:30-01:00", "2026-11-16T00:30:00.000Z"),
            ("2026-11-15T01:02:03.5", "2026-11-15T01:02:03.500Z"),
        ];
        for (text, expected) in good {
            assert_eq!(told(text).as_deref(), Some(expected), "{text}");
        }
        for day in (0..60_000).step_by(17) {
            let at = UNIX_EPOCH + Duration::from_secs(day * DAY_SECONDS + 3661);
            assert_eq!(moment(&rfc3339(at)), Some(at));
        }
        for wrong in [
            "",
            "7d",
            "2026",
            "2026-13-01",
            "2026-02-29",
            "2026-00-10",
            "2026-1-1",
            "1969-12-31",
            "2026-11-15T24:00",
            "2026-11-15T10",
            "2026-11-15T10:60",
            "2026-11-15T10:00+25:00",
            "2026-11-15T10:00:00.",
            "2026-11-15T10:00:00.1234567890",
            "1970-01-01T00:00+01:00",
        ] {
            assert_eq!(told(wrong), None, "{wrong}");
        }
    }
}
