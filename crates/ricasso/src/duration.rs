//! Times as people write them.

use std::time::Duration;

/// `30s`, `0.5s`, `500ms`, `10m`, `2h`, `1d`; a number without a unit is not guessed at.
pub fn time(text: &str) -> Option<Duration> {
    let units =
        [("ms", 0.001), ("us", 0.000_001), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86400.0)];
    let (number, seconds) = units
        .iter()
        .find_map(|(unit, seconds)| text.strip_suffix(unit).map(|number| (number, seconds)))?;
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let number: f64 = plain.then(|| number.parse().ok()).flatten()?;
    Duration::try_from_secs_f64(number * seconds).ok()
}

/// A duration as Go reads it: one or more numbers, each with its unit, as `1m30s`; 0 needs none.
pub(crate) fn go_time(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let mut sum = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let unit = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let next = rest[unit..].find(|c: char| c.is_ascii_digit() || c == '.');
        let end = next.map_or(rest.len(), |at| unit + at);
        sum = sum.checked_add(time(&rest[..end])?)?;
        rest = &rest[end..];
    }
    (!text.is_empty()).then_some(sum)
}

/// A duration as Go writes it: `1m0s`, `500ms`.
pub(crate) fn go_duration(time: Duration) -> String {
    let nanoseconds = time.as_nanos();
    if nanoseconds == 0 {
        return "0s".into();
    }
    if nanoseconds < 1_000_000_000 {
        let (unit, size) = match nanoseconds {
            1..1_000 => ("ns", 1),
            1_000..1_000_000 => ("µs", 1_000),
            _ => ("ms", 1_000_000),
        };
        return format!("{}{unit}", decimal(nanoseconds, size));
    }
    let seconds = time.as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let rest = decimal(
        u128::from(seconds % 60) * 1_000_000_000 + nanoseconds % 1_000_000_000,
        1_000_000_000,
    );
    match (hours, minutes) {
        (0, 0) => format!("{rest}s"),
        (0, minutes) => format!("{minutes}m{rest}s"),
        (hours, minutes) => format!("{hours}h{minutes}m{rest}s"),
    }
}

fn decimal(value: u128, unit: u128) -> String {
    let (whole, rest) = (value / unit, value % unit);
    if rest == 0 {
        return whole.to_string();
    }
    let width = unit.ilog10() as usize;
    format!("{whole}.{}", format!("{rest:0width$}").trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_as_go_does() {
        let cases = [
            (60_000, "1m0s"),
            (120_000, "2m0s"),
            (500, "500ms"),
            (1_500, "1.5s"),
            (3_661_250, "1h1m1.25s"),
            (0, "0s"),
        ];
        for (milliseconds, wanted) in cases {
            assert_eq!(go_duration(Duration::from_millis(milliseconds)), wanted);
        }
    }

    #[test]
    fn durations_are_read_as_go_does() {
        let seconds = |text: &str| go_time(text).map(|time| time.as_secs_f64());
        assert_eq!(seconds("1m30s"), Some(90.0));
        assert_eq!(seconds("1h0m0.5s"), Some(3600.5));
        assert_eq!(seconds("0h"), Some(0.0));
        assert_eq!(seconds("0"), Some(0.0));
        for text in ["", "90", "s", "1m30", "-1s", "1x", "1 m"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
