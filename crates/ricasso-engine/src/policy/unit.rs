//! Sizes, durations and counts as people write them: `"64MiB"`, `"0.5s"`, `1024`, `"off"`.
//!
//! A number without a unit is never guessed at, and zero is refused where it could be read as
//! "no limit".

use super::layered::Layered;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

/// A bound, or the word that there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Limit<T> {
    /// This much and no more.
    At(T),
    /// No bound.
    Off,
}

impl<T> Limit<T> {
    /// The bound, where there is one.
    pub fn bound(self) -> Option<T> {
        match self {
            Limit::At(bound) => Some(bound),
            Limit::Off => None,
        }
    }
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

/// A number of things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(pub u64);

/// A time that may be zero and cannot be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pause(pub Duration);

/// Units of time in nanoseconds, the largest first.
const TIMES: [(&str, u128); 6] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
];

/// Units of size in bytes, the binary ones first, since those are what we write ourselves.
const SIZES: [(&str, u128); 9] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
];

/// A number has at most this many digits; more cannot be meant and would overflow.
const MAX_DIGITS: usize = 20;

/// What a bound can be counted in.
pub(super) trait Unit: Copy + Ord {
    /// What may be written, for messages.
    const EXPECTED: &'static str;

    /// Reads a string with a unit.
    fn parse(text: &str) -> Option<Self>;

    /// Takes a bare number, where the unit is the thing itself.
    fn number(number: u64) -> Option<Self>;

    /// The shortest exact form.
    fn show(self) -> String;

    /// The smallest bound.
    fn least() -> Self;
}

impl Unit for Duration {
    const EXPECTED: &'static str =
        "a duration with a unit (\"500ms\", \"30s\", \"10m\", \"1h\", \"7d\") or \"off\"";

    fn parse(text: &str) -> Option<Self> {
        let nanos = scaled(text, &TIMES)?;
        let seconds = u64::try_from(nanos / 1_000_000_000).ok()?;
        let rest = u32::try_from(nanos % 1_000_000_000).ok()?;
        Some(Duration::new(seconds, rest))
    }

    fn number(_number: u64) -> Option<Self> {
        None
    }

    fn show(self) -> String {
        written(self.as_nanos(), &TIMES, "ns")
    }

    fn least() -> Self {
        Duration::ZERO
    }
}

impl Unit for Size {
    const EXPECTED: &'static str = "a size with a unit (\"64MiB\", \"4GiB\", \"10MB\") or \"off\"";

    fn parse(text: &str) -> Option<Self> {
        u64::try_from(scaled(text, &SIZES)?).ok().map(Size)
    }

    fn number(_number: u64) -> Option<Self> {
        None
    }

    fn show(self) -> String {
        written(u128::from(self.0), &SIZES[..5], "B")
    }

    fn least() -> Self {
        Size(0)
    }
}

impl Unit for Count {
    const EXPECTED: &'static str = "a whole number above zero or \"off\"";

    fn parse(_text: &str) -> Option<Self> {
        None
    }

    fn number(number: u64) -> Option<Self> {
        Some(Count(number))
    }

    fn show(self) -> String {
        self.0.to_string()
    }

    fn least() -> Self {
        Count(0)
    }
}

impl<T: Unit> Layered for Limit<T> {
    fn tightest() -> Self {
        Limit::At(T::least())
    }

    fn lay(&mut self, new: Self) {
        *self = new;
    }

    fn widened_by(&self, new: &Self) -> bool {
        new > self
    }
}

impl Layered for Pause {
    fn tightest() -> Self {
        Pause(Duration::ZERO)
    }

    fn lay(&mut self, new: Self) {
        *self = new;
    }

    fn widened_by(&self, new: &Self) -> bool {
        new > self
    }
}

impl<T: Unit> fmt::Display for Limit<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::At(value) => f.write_str(&value.show()),
            Limit::Off => f.write_str("off"),
        }
    }
}

impl<T: Unit> Serialize for Limit<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, T: Unit> Deserialize<'de> for Limit<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LimitVisitor(PhantomData))
    }
}

impl Serialize for Pause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.show())
    }
}

impl<'de> Deserialize<'de> for Pause {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let problem = || de::Error::custom(format!("{text:?} is no duration; write \"2s\""));
        Duration::parse(&text).map(Pause).ok_or_else(problem)
    }
}

struct LimitVisitor<T>(PhantomData<T>);

impl<T: Unit> Visitor<'_> for LimitVisitor<T> {
    type Value = Limit<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Limit<T>, E> {
        match text {
            "off" => Ok(Limit::Off),
            _ => above_zero(T::parse(text))
                .ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Limit<T>, E> {
        above_zero(u64::try_from(number).ok().and_then(T::number))
            .ok_or_else(|| E::invalid_value(de::Unexpected::Signed(number), &self))
    }
}

fn above_zero<T: Unit>(value: Option<T>) -> Option<Limit<T>> {
    value.filter(|value| *value > T::least()).map(Limit::At)
}

/// Reads `12`, `1.5` and a unit, exactly: no floating point, no rounding up.
fn scaled(text: &str, units: &[(&str, u128)]) -> Option<u128> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(end);
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || part.is_empty() || whole.len() + part.len() > MAX_DIGITS {
        return None;
    }
    let scale = units.iter().find(|(name, _)| *name == unit.trim_start())?.1;
    let digits = u32::try_from(part.len()).ok()?;
    let whole = whole.parse::<u128>().ok()?.checked_mul(scale)?;
    let part = part.parse::<u128>().ok()?.checked_mul(scale)? / 10u128.pow(digits);
    whole.checked_add(part)
}

fn written(value: u128, units: &[(&str, u128)], least: &str) -> String {
    match units.iter().find(|(_, scale)| value >= *scale && value.is_multiple_of(*scale)) {
        Some((name, scale)) => format!("{}{name}", value / scale),
        None => format!("{value}{least}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_fractions_are_exact() {
        let cases = [
            ("500ms", Duration::from_millis(500)),
            ("0.5s", Duration::from_millis(500)),
            ("1.5h", Duration::from_secs(5400)),
            ("7d", Duration::from_secs(7 * 86_400)),
            ("2 m", Duration::from_secs(120)),
        ];
        for (text, time) in cases {
            assert_eq!(Duration::parse(text), Some(time), "{text}");
        }
        assert_eq!(Size::parse("1.5GiB"), Some(Size(3 << 29)));
        assert_eq!(Size::parse("10MB"), Some(Size(10_000_000)));
    }

    #[test]
    fn what_has_no_unit_is_not_guessed_at() {
        for text in
            ["", "10", "s", ".5s", "1.s", "-1s", "1e3s", "10 minutes", "99999999999999999999d"]
        {
            assert_eq!(Duration::parse(text), None, "{text}");
        }
        for text in ["5", "5G", "5gib", "1..2GiB"] {
            assert_eq!(Size::parse(text), None, "{text}");
        }
    }

    #[test]
    fn off_is_wider_than_any_number() {
        let hour = Limit::At(Duration::from_secs(3600));
        assert!(hour.widened_by(&Limit::Off));
        assert!(!Limit::Off.widened_by(&hour));
        assert!(!hour.widened_by(&hour));
    }

    #[test]
    fn values_are_written_as_people_write_them() {
        assert_eq!(Limit::At(Duration::from_millis(1500)).to_string(), "1500ms");
        assert_eq!(Limit::At(Duration::from_secs(600)).to_string(), "10m");
        assert_eq!(Limit::At(Size(8 << 30)).to_string(), "8GiB");
        assert_eq!(Limit::<Size>::Off.to_string(), "off");
    }
}
