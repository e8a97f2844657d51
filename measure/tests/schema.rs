//! The JSON Schema of the policy language says what the loader says, by somebody else's validator.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ricasso_engine::policy::{Layer, Origin, Overrides, Policy, Preset, SCHEMA, TEMPLATE};
use ricasso_fuzz::corpus::skipped;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Reads a schema and documents, one JSON text a line, and says for each whether it is valid.
const VALIDATOR: &str = "
import json, sys
try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit(77)
lines = sys.stdin.read().splitlines()
schema = json.loads(lines[0])
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
for line in lines[1:]:
    error = next(validator.iter_errors(json.loads(line)), None)
    print('valid' if error is None else 'invalid ' + error.message.replace('\\n', ' ')[:200])
";

/// What the validator says of each document; nothing where there is none on this machine.
fn validated(documents: &[Value]) -> Option<Vec<String>> {
    let mut python = Command::new("python3")
        .args(["-c", VALIDATOR])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut input = format!("{schema}\n");
    documents.iter().for_each(|document| input += &format!("{document}\n"));
    let written = python.stdin.take().unwrap().write_all(input.as_bytes());
    let output = python.wait_with_output().unwrap();
    match output.status.code() {
        Some(0) => {
            written.unwrap();
            Some(String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect())
        }
        Some(77) => None,
        code => panic!("the validator ended with {code:?}"),
    }
}

fn json(text: &str) -> Value {
    let table: toml::Table = toml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    serde_json::to_value(table).unwrap()
}

fn loads(text: &str) -> bool {
    let layer = Layer { origin: Origin::Machine, name: "f.toml".into(), text: text.into() };
    Policy::from_layers(&[layer], &Overrides::default()).is_ok()
}

/// One of each type, each with what is just inside and just outside of it.
const TEXTS: &[&str] = &[
    "version = 1",
    "version = 2",
    "mode = 'read'",
    "mode = 'closed'",
    "ceiling = 'open'",
    "opaque = 'allow'",
    "opaque = 'perhaps'",
    "unknown = 'allow'",
    "partial = 'refuse'",
    "partial = 'all'",
    "partial = ['net', 'limits']",
    "partial = ['nets']",
    "shell = '/bin/ksh'",
    "shell = 'ksh'",
    "denials = 'all'",
    "tmp = 'shared'",
    "locked = ['net']",
    "no_such_key = 1",
    "[files]\nwrite = ['.', '~/x', '/srv']",
    "[files]\nwrite = '.'",
    "[files]\nhide = ['a/../b']",
    "[files]\nhide = ['..']",
    "[files]\nhide = ['a..b']",
    "[files]\nhide = ['~anna']",
    "[files]\nhide = ['~']",
    "[files]\nhide = ['']",
    "[files]\nwords = 'all'",
    "[files]\nwords = 'some'",
    "[files]\ncwd = ['/srv']",
    "[files]\nwriteable = []",
    "[net]\nallow = 'none'",
    "[net]\nallow = true",
    "[programs]\nallow = ['git', '[[]', 'a[b-d]']",
    "[programs]\nallow = ['a[b']",
    "[programs]\ndeny = ['']",
    "[commands]\nask = ['git push *']",
    "[commands]\nask = ['  ']",
    "[commands]\noperators = 'deny'",
    "[commands]\notherwise = 'maybe'",
    "[guards]\ndestructive = 'deny'\nrules = ['power']",
    "[guards]\ngit = 'none'",
    "[env]\npass = ['LC_*']\nset = { CI = '1' }",
    "[env]\nset = { CI = 1 }",
    "[limits]\ntimeout = '0.5s'\nmemory = '64MiB'\nprocesses = 5\nidle = 'off'",
    "[limits]\ntimeout = '0s'",
    "[limits]\ntimeout = '10'",
    "[limits]\ntimeout = 10",
    "[limits]\nmemory = '5x'",
    "[limits]\nprocesses = 0",
    "[limits]\nprocesses = '5'",
    "[limits]\nprocesses = 'off'",
    "[limits]\ngrace = '0s'",
    "[limits]\ngrace = 'off'",
    "[limits]\ntimout = '1s'",
    "[jobs]\nretain = '7d'",
    "[jobs]\nsurvivors = 'keep'",
    "[redact]\npatterns = ['a+']\nenv = ['*_KEY']",
    "[redact]\non_write = 'no'",
    "[hook]\nrewrite = false",
    "[hook]\nrewrite = 'no'",
    "[record]\ndurability = 'sync'",
    "[record]\ndurability = 'disk'",
    "[[rules]]\nid = 'x'\nthen = 'deny'\nprogram = 'a'\nwhy = 'b'",
    "[[rules]]\nid = 'x'\nthen = 'deny'\nprogram = ['a', 'c']\nwhy = 'b'\nmust_match = ['a']",
    "[[rules]]\nid = 'x'\nprogram = 'a'\nwhy = 'b'",
    "[[rules]]\nid = 'x'\nthen = 'deny'\nprogramme = 'a'\nwhy = 'b'",
    "[[patterns]]\nregex = 'a'\nwhy = 'b'",
    "[[patterns]]\nregex = 'a'",
    "[dialect.bash]\nx = 1",
    "dialect = 1",
];

/// These need a validator, which is a package of its own.
mod installed {
    use super::{Path, Preset, TEMPLATE, TEXTS, Value, fs, json, loads, skipped, validated};

    #[test]
    fn presets_the_template_and_every_case_policy_are_valid() {
        let mut texts: Vec<String> = Preset::ALL.map(|preset| preset.layer().text).into();
        texts.push(TEMPLATE.to_string());
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/policies");
        for entry in fs::read_dir(directory).unwrap() {
            texts.push(fs::read_to_string(entry.unwrap().path()).unwrap());
        }
        let documents: Vec<Value> = texts.iter().map(|text| json(text)).collect();
        let Some(answers) = validated(&documents) else {
            return skipped(
                "presets_the_template_and_every_case_policy_are_valid",
                "no JSON Schema validator for python3",
            );
        };
        for (answer, text) in answers.iter().zip(&texts) {
            assert_eq!(answer, "valid", "{text}");
        }
        assert_eq!(answers.len(), texts.len());
    }

    #[test]
    fn the_schema_and_the_loader_take_and_refuse_the_same() {
        let documents: Vec<Value> = TEXTS.iter().map(|text| json(text)).collect();
        let Some(answers) = validated(&documents) else {
            return skipped(
                "the_schema_and_the_loader_take_and_refuse_the_same",
                "no JSON Schema validator for python3",
            );
        };
        assert_eq!(answers.len(), TEXTS.len());
        for (answer, text) in answers.iter().zip(TEXTS) {
            assert_eq!(answer == "valid", loads(text), "{text:?}: {answer}");
        }
        assert!(answers.iter().filter(|answer| *answer == "valid").count() > 20);
    }
}
