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
