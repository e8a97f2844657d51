//! The policy that holds, written in its own language, with who said what where that is wanted.
//!
//! The text can be loaded again and means the same: nothing is shown that does not hold, and what
//! holds is not left out.

use super::layers::Origin;
use super::merge::Setting;
use super::sections;
use super::settled::{Policy, Settled};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Lines of the text stay shorter than this where a list can be broken.
const COLUMNS: usize = 96;
/// Bounds that are whole numbers and no text.
const NUMBERS: [&str; 2] = ["limits.processes", "limits.open_files"];

/// Whether each key is told with the files that it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origins {
    /// Only the values.
    Untold,
    /// A comment a key.
    Told,
}

impl Policy {
    /// The policy as a file of its own language.
    pub fn to_toml(&self, origins: Origins) -> String {
        let settled = serde_json::to_value(self.settled()).unwrap_or_default();
        let mut page = Page { policy: self, origins, text: "version = 1\n".to_string() };
        let preset = quoted(&page.preset());
        let _ = writeln!(page.text, "extends = {preset}");
        page.section("general", "", &settled);
        for table in Settled::TABLES {
            page.section(table, table, &settled);
        }
        page.tables("rules", self.rules());
        page.tables("patterns", self.patterns());
        page.dialects(&settled["dialect"]);
        page.text
    }
}

struct Page<'a> {
    policy: &'a Policy,
    origins: Origins,
    text: String,
}

impl Page<'_> {
    /// The preset that everything stands on; where nothing of it is left, any of its mode will do.
    fn preset(&self) -> String {
        let presets = self.policy.settings().iter().filter(|one| one.origin == Origin::Preset);
        let mut names = presets.filter_map(|one| one.file.strip_prefix("preset "));
        names.next().map_or_else(|| self.policy.mode().name().to_string(), String::from)
    }

    fn section(&mut self, field: &str, table: &str, settled: &Value) {
        if !table.is_empty() {
            let _ = write!(self.text, "\n[{table}]\n");
        }
        let start = if table.is_empty() { String::new() } else { format!("{table}.") };
        for key in sections::keys() {
            let name = match key.strip_prefix(start.as_str()) {
                Some(name) if !name.contains('.') => name,
                Some(_) | None => continue,
            };
            let value = &settled[field][name];
            // A ceiling is there only when somebody sets one, and so are some lists.
            let said: Vec<&Setting> = self.said(key).collect();
            if value.is_null() || (key == "ceiling" && said.is_empty()) {
                continue;
            }
            let told = self.told(&said);
            self.text += &told;
            let written = match value.as_str() {
                Some(number) if NUMBERS.contains(&key) && number != "off" => number.to_string(),
                Some(_) | None => toml(value, name.len() + 3),
            };
            let _ = writeln!(self.text, "{name} = {written}");
        }
    }

    fn said<'s>(&'s self, key: &'s str) -> impl Iterator<Item = &'s Setting> {
        self.policy.settings().iter().filter(move |setting| setting.key == key)
    }

    /// The comment that names the files behind a value.
    fn told(&self, said: &[&Setting]) -> String {
        match self.origins {
            Origins::Untold => String::new(),
            Origins::Told => {
                let mut places: Vec<String> = said.iter().map(|setting| place(setting)).collect();
                places.dedup();
                format!("# {}\n", places.join(", "))
            }
        }
    }

    /// `[[rules]]` and `[[patterns]]`; what is empty is left out.
    fn tables<T: Serialize>(&mut self, name: &str, entries: &[T]) {
        for entry in entries {
            let Ok(Value::Object(fields)) = serde_json::to_value(entry) else {
                continue;
            };
            let written = Value::Object(fields.clone()).to_string();
            let said: Vec<&Setting> =
                self.said(name).filter(|setting| same(&setting.value, &written)).collect();
            let told = self.told(&said);
            let _ = write!(self.text, "\n{told}[[{name}]]\n");
            for (key, value) in fields.iter().filter(|(_, value)| !is_empty(value)) {
                let _ = writeln!(self.text, "{key} = {}", toml(value, key.len() + 3));
            }
        }
    }

    fn dialects(&mut self, dialects: &Value) {
        for (name, keys) in dialects.as_object().into_iter().flatten() {
            let _ = write!(self.text, "\n[dialect.{}]\n", bare_or_quoted(name));
            for (key, value) in keys.as_object().into_iter().flatten() {
                let _ = writeln!(self.text, "{} = {}", bare_or_quoted(key), toml(value, 0));
            }
        }
    }
}

fn place(setting: &Setting) -> String {
    match setting.origin {
        Origin::Flags => "a flag".to_string(),
        Origin::Preset | Origin::Machine | Origin::User | Origin::Project => {
            format!("{}:{}", setting.file, setting.line)
        }
    }
}

/// Whether two JSON texts say the same.
fn same(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    read(one) == read(other)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A JSON value as TOML; lists that are too long for the rest of the line are broken.
fn toml(value: &Value, used: usize) -> String {
    match value {
        Value::Null => "\"\"".to_string(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => array(items, used),
        Value::Object(fields) => inline(fields),
    }
}

fn array(items: &[Value], used: usize) -> String {
    let items: Vec<String> = items.iter().map(|item| toml(item, COLUMNS)).collect();
    let line = format!("[{}]", items.join(", "));
    if line.len() + used <= COLUMNS || items.len() < 2 {
        return line;
    }
    let mut text = "[\n ".to_string();
    let mut column = 1;
    for item in items {
        if column > 1 && column + item.len() + 2 > COLUMNS {
            text += "\n ";
            column = 1;
        }
        column += item.len() + 2;
        let _ = write!(text, " {item},");
    }
    text + "\n]"
}

fn inline(fields: &Map<String, Value>) -> String {
    let pairs: Vec<String> = fields
        .iter()
        .map(|(key, value)| format!("{} = {}", bare_or_quoted(key), toml(value, COLUMNS)))
        .collect();
    if pairs.is_empty() { "{}".to_string() } else { format!("{{ {} }}", pairs.join(", ")) }
}

fn bare_or_quoted(key: &str) -> String {
    let bare = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if !key.is_empty() && key.chars().all(bare) { key.to_string() } else { quoted(key) }
}

/// A basic string. JSON's escapes are TOML's too, but for one character that TOML wants escaped.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::super::{Layer, Overrides, Preset};
    use super::*;

    fn load(text: &str) -> Policy {
        let name = "shown.toml".to_string();
        let layer = Layer { origin: Origin::User, name, text: text.to_string() };
        let loaded = Policy::from_layers(&[layer], &Overrides::default());
        loaded.unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn what_is_shown_loads_again_and_means_the_same() {
        for preset in Preset::ALL {
            for origins in [Origins::Untold, Origins::Told] {
                let policy = Policy::preset(preset);
                let again = load(&policy.to_toml(origins));
                assert_eq!(again.digest(), policy.digest(), "{}", preset.name());
            }
        }
        let written = "extends = 'open'\nceiling = 'open'\n[env]\nset = { \"A B\" = \"\\u007f'\" }\n\
                       [limits]\nprocesses = 'off'\nidle = '1500ms'\n[commands]\ndeny = ['a b *']\n\
                       [[patterns]]\nregex = 'a\\b'\nwhy = \"x\\ny\"\n[dialect.bash]\nx = [1, 2]\n";
        let policy = load(written);
        assert_eq!(load(&policy.to_toml(Origins::Told)).digest(), policy.digest());
    }

    #[test]
    fn the_schema_has_exactly_the_keys_of_the_sections() {
        let schema: Value = serde_json::from_str(super::super::SCHEMA).unwrap();
        let mut found = Vec::new();
        for (key, value) in schema["properties"].as_object().unwrap() {
            match value["properties"].as_object() {
                Some(table) => found.extend(table.keys().map(|name| format!("{key}.{name}"))),
                None => found.push(key.clone()),
            }
        }
        let others = ["version", "extends", "locked", "rules", "patterns", "dialect"];
        found.retain(|key| !others.contains(&key.as_str()));
        let mut keys: Vec<String> = sections::keys().map(String::from).collect();
        found.sort();
        keys.sort();
        assert_eq!(found, keys);
    }

    #[test]
    fn each_key_names_the_layer_that_it_comes_from() {
        let layer = |origin, name: &str, text: &str| Layer {
            origin,
            name: name.to_string(),
            text: text.to_string(),
        };
        let layers = [
            layer(Origin::User, "/home/u/config.toml", "[programs]\ndeny = ['nc']"),
            layer(Origin::Project, "/w/.ricasso.toml", "\n[programs]\ndeny = ['wget']"),
        ];
        let flags = Overrides { mode: Some(super::super::Mode::Read), ..Overrides::default() };
        let policy = Policy::from_layers(&layers, &flags).unwrap();
        let text = policy.to_toml(Origins::Told);
        let deny =
            "# presets:37, /home/u/config.toml:2, /w/.ricasso.toml:3\ndeny = [\"nc\", \"wget\"]";
        let deny = deny.split_once(',').unwrap().1;
        assert!(text.contains(deny), "{text}");
        assert!(text.contains("# a flag\nmode = \"read\""), "{text}");
        assert!(!policy.to_toml(Origins::Untold).contains('#'), "only values");
    }
}
