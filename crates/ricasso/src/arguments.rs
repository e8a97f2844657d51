//! The arguments of one call: read by name and kind, with nothing left over.
//!
//! Weak models send numbers as strings; a number inside a string counts as that number. Everything
//! else of the wrong kind is an error that names the parameter.

use crate::dialect::Called;
use serde_json::{Map, Value};

/// Arguments that are taken out one by one.
#[derive(Debug, Clone)]
pub(crate) struct Arguments(Map<String, Value>);

/// A call that cannot be understood.
pub(crate) type Fault = Box<Called>;

impl Arguments {
    /// The arguments of a call; none at all is an empty object.
    pub(crate) fn new(value: Value) -> Result<Arguments, Fault> {
        match value {
            Value::Object(map) => Ok(Arguments(map)),
            Value::Null => Ok(Arguments(Map::new())),
            other => Err(fault(format!("the arguments must be an object, not {}", kind(&other)))),
        }
    }

    /// A text; `null` counts as absent.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Fault> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, "a string", &other)),
        }
    }

    /// Yes or no.
    pub(crate) fn flag(&mut self, name: &str) -> Result<Option<bool>, Fault> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(wrong(name, "true or false", &other)),
        }
    }

    /// A number, also inside a string.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<f64>, Fault> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = match &value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        match number.filter(|number| number.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => Err(wrong(name, "a number", &value)),
        }
    }

    /// A whole number that is not negative.
    pub(crate) fn count(&mut self, name: &str) -> Result<Option<u64>, Fault> {
        let Some(number) = self.number(name)? else { return Ok(None) };
        if number < 0.0 || number.fract() != 0.0 {
            return Err(fault(format!("{name} must be a whole number, not negative")));
        }
        // Whoever asks for more than a float counts exactly wants as much as there is.
        Ok(Some(number.min(9e15) as u64))
    }

    /// A list of texts.
    pub(crate) fn texts(&mut self, name: &str) -> Result<Option<Vec<String>>, Fault> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let texts = match &value {
            Value::Array(items) => {
                items.iter().map(|item| item.as_str().map(str::to_string)).collect()
            }
            _ => None,
        };
        texts.map(Some).ok_or_else(|| wrong(name, "a list of strings", &value))
    }

    /// One text or a list of texts.
    pub(crate) fn text_or_texts(&mut self, name: &str) -> Result<Option<TextOrTexts>, Fault> {
        if let Some(Value::String(_)) = self.0.get(name) {
            return Ok(self.text(name)?.map(TextOrTexts::One));
        }
        Ok(self.texts(name)?.map(TextOrTexts::Many))
    }

    /// Names with texts.
    pub(crate) fn pairs(&mut self, name: &str) -> Result<Vec<(String, String)>, Fault> {
        let Some(value) = self.take(name) else { return Ok(Vec::new()) };
        let pairs = value.as_object().and_then(|map| {
            map.iter()
                .map(|(key, value)| Some((key.clone(), value.as_str()?.to_string())))
                .collect()
        });
        pairs.ok_or_else(|| wrong(name, "an object of strings", &value))
    }

    /// Parameters that the contract knows and this call does not use.
    pub(crate) fn leave(&mut self, names: &[&str]) {
        self.0.retain(|name, _| !names.contains(&name.as_str()));
    }

    /// All were taken; what is left is not known to the contract.
    pub(crate) fn finish(self, known: &[&str]) -> Result<(), Fault> {
        let mut left: Vec<&str> = self.0.keys().map(String::as_str).collect();
        left.sort_unstable();
        match left.first() {
            None => Ok(()),
            Some(name) => Err(fault(format!(
                "unknown parameter {name:?}; the parameters are: {}",
                known.join(", ")
            ))),
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name).filter(|value| !value.is_null())
    }
}

/// What `analysis` takes as its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TextOrTexts {
    /// One command.
    One(String),
    /// Several, in sequence.
    Many(Vec<String>),
}

/// A call that was not understood.
pub(crate) fn fault(text: impl Into<String>) -> Fault {
    Box::new(Called::fault(text))
}

fn wrong(name: &str, wanted: &str, got: &Value) -> Fault {
    fault(format!("{name} must be {wanted}, not {}", kind(got)))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn number(value: Value) -> Result<Option<f64>, String> {
        let mut arguments = Arguments::new(json!({ "timeout": value })).unwrap();
        arguments.number("timeout").map_err(|fault| fault.text)
    }

    #[test]
    fn numbers_are_taken_out_of_strings() {
        assert_eq!(number(json!(60)), Ok(Some(60.0)));
        assert_eq!(number(json!("60")), Ok(Some(60.0)));
        assert_eq!(number(json!(" 90 ")), Ok(Some(90.0)));
        assert_eq!(number(json!("60.0")), Ok(Some(60.0)));
        assert_eq!(number(json!(null)), Ok(None));
        assert!(number(json!("abc")).is_err());
        assert!(number(json!("inf")).is_err());
        assert!(number(json!([1])).is_err());
    }

    #[test]
    fn what_is_left_over_is_named_with_what_exists() {
        let arguments = Arguments::new(json!({ "cmd": "x" })).unwrap();
        let fault = arguments.finish(&["command"]).unwrap_err();
        assert_eq!(fault.text, "unknown parameter \"cmd\"; the parameters are: command");
    }
}
