//! `ricasso policy`: show, check, schema, init.

use crate::place::Place;

#[test]
fn what_holds_is_shown_and_can_be_used_as_a_policy() {
    let place = Place::new();
    place.write("own.toml", "extends = 'open'\n[commands]\ndeny = ['cat *', 'ls *']\n");
    let shown = place.call(&["policy", "show", "--policy", "own.toml"]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    place.write("again.toml", &shown.text());
    let again = place.call(&["policy", "show", "--policy", "again.toml"]);
    assert_eq!(again.text(), shown.text());
    let refused = place.call(&["check", "--policy", "again.toml", "-c", "ls -l"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
}

#[test]
fn each_value_names_its_file_and_line() {
    let place = Place::new();
    place.write("own.toml", "[limits]\n\ntimeout = '5m'\n");
    let args = ["policy", "show", "--origin", "--policy", "own.toml", "--net", "none"];
    let shown = place.call(&args).text();
    assert!(shown.contains("own.toml:3\ntimeout = \"5m\""), "{shown}");
    assert!(shown.contains("# a flag\nallow = \"none\""), "{shown}");
    assert!(shown.contains("# preset workspace:3\nmode = \"workspace\""), "{shown}");
}

#[test]
fn a_dialect_is_shown_by_its_preset() {
    let place = Place::new();
    let shown = place.call(&["policy", "show", "--dialect", "analysis"]).text();
    assert!(shown.contains("operators = \"deny\"") && shown.contains("mode = \"read\""), "{shown}");
    let native = place.call(&["policy", "show", "--dialect", "native"]).text();
    assert_eq!(native, place.call(&["policy", "show"]).text());
    assert_eq!(place.call(&["policy", "show", "--dialect", "read"]).code, 125);
}

#[test]
fn a_bad_file_is_told_with_file_line_key_and_remedy() {
    let place = Place::new();
    place.write("bad.toml", "version = 1\n\n[limits]\ntimout = '5m'\n");
    let bad = place.call(&["policy", "check", "bad.toml"]);
    assert_eq!(bad.code, 1);
    assert!(bad.stderr.contains("bad.toml:4:1: limits.timout is no key"), "{}", bad.stderr);
    assert!(bad.stderr.contains("keys here are timeout"), "{}", bad.stderr);
    place.write("good.toml", "[programs]\nallow = ['python3', 'ls']\n");
    let good = place.call(&["policy", "check", "good.toml"]);
    assert_eq!((good.code, good.text().as_str()), (0, "good\n"));
    assert!(good.stderr.contains("warning: programs.allow: python3 runs code"), "{}", good.stderr);
}

#[test]
fn a_projects_file_is_checked_as_one_that_may_only_tighten() {
    let place = Place::new();
    place.write(".ricasso.toml", "[net]\nallow = 'open'\n");
    let wide = place.call(&["policy", "check", ".ricasso.toml"]);
    assert_eq!(wide.code, 1);
    assert!(wide.stderr.contains(".ricasso.toml:2:9: net.allow gives more"), "{}", wide.stderr);
    place.write(".ricasso.toml", "[net]\nallow = 'none'\n");
    assert_eq!(place.call(&["policy", "check", ".ricasso.toml"]).code, 0);
}

#[test]
fn init_writes_a_file_that_loads_and_never_overwrites() {
    let place = Place::new();
    let made = place.call(&["policy", "init"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let path = made.text().trim().to_string();
    assert!(path.ends_with(".config/ricasso/config.toml"), "{path}");
    assert_eq!(place.call(&["policy", "check"]).code, 0);
    std::fs::write(&path, "mode = 'read'\n").unwrap();
    let again = place.call(&["policy", "init"]);
    assert_eq!(again.code, 125);
    assert!(again.stderr.contains("stays as it is"), "{}", again.stderr);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mode = 'read'\n");
    assert_eq!(place.call(&["policy", "init", "here.toml"]).code, 0);
    assert_eq!(place.call(&["policy", "check", "here.toml"]).code, 0);
}

#[test]
fn the_schema_is_json() {
    let place = Place::new();
    let schema = place.call(&["policy", "schema"]);
    let value: serde_json::Value = serde_json::from_slice(&schema.stdout).unwrap();
    assert_eq!(value["properties"]["mode"]["enum"][0], "read");
    assert_eq!(value["additionalProperties"], false);
}
