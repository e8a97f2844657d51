//! The same request through every door gives the same reply: command line, library, `call`, MCP.

use super::session::{Era, Session};
use crate::library::request;
use crate::place::{Place, in_parallel, program};
use ricasso_engine::engine::{Chores, Engine, Setup, Spares, Stays};
use ricasso_engine::policy::{Policy, Preset};
use ricasso_engine::run::StateDir;
use ricasso_os::{Cancel, Keeper};
use serde_json::{Value, json};

/// Texts of every kind of ending that a plain machine shows.
const TEXTS: [&str; 8] = [
    "echo out; echo err >&2",
    "exit 7",
    "kill -9 $$",
    "no_such_program_12345",
    "echo x > made",
    "echo ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "echo 'open",
    "seq 3000",
];

/// What must be the same, whoever asked.
const FIELDS: [&str; 9] = [
    "/verdict",
    "/reasons",
    "/ending",
    "/output/stdout_bytes",
    "/output/stderr_bytes",
    "/output/redactions",
    "/enforced",
    "/denials",
    "/survivors",
];

/// Runs a text and gives the reply.
type Door = fn(&Place, &str) -> Value;

fn picked(reply: &Value) -> Vec<Value> {
    FIELDS.iter().map(|field| reply.pointer(field).cloned().unwrap_or_default()).collect()
}

fn by_library(place: &Place, text: &str) -> Value {
    let setup = Setup {
        keeper: Keeper::program(program()).unwrap(),
        policy: Policy::preset(Preset::ExecuteCommand),
        state: StateDir::at(&place.state()).unwrap(),
        environment: vec![
            ("PATH".into(), "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".into()),
            ("HOME".into(), place.root.join("home").into_os_string().into()),
        ],
        spares: Spares::None,
        chores: Chores::Inline,
        told: Vec::new(),
        powers: None,
        stays: Stays::WithItsJobs,
    };
    let engine = Engine::open(setup).unwrap();
    let mut request = request(place, text);
    request.workspace = Some(place.work());
    serde_json::to_value(engine.run(&request, &Cancel::new().unwrap()).unwrap()).unwrap()
}

fn by_command_line(place: &Place, text: &str) -> Value {
    let answer = place.call(&["run", "--json", "--policy", "execute-command", "-c", text]);
    serde_json::from_slice(&answer.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", answer.stderr))
}

fn by_call(place: &Place, text: &str) -> Value {
    let arguments = json!({ "command": text }).to_string();
    let answer = place.call(&["call", "--dialect", "execute-command", &arguments]);
    let result: Value = serde_json::from_slice(&answer.stdout).unwrap();
    result["structuredContent"].clone()
}

fn by_mcp(place: &Place, text: &str) -> Value {
    let mut session = Session::start(place, &["--dialect", "execute-command"], Era::Modern);
    session.tool("execute_command", &json!({ "command": text }))["structuredContent"].clone()
}

#[test]
fn the_same_request_gets_the_same_reply_through_every_door() {
    in_parallel(4, &TEXTS, |text| {
        let place = Place::new();
        let wanted = picked(&by_command_line(&place, text));
        let doors: [(&str, Door); 3] =
            [("library", by_library), ("call", by_call), ("mcp", by_mcp)];
        for (name, door) in doors {
            let got = picked(&door(&place, text));
            for ((field, got), wanted) in FIELDS.iter().zip(&got).zip(&wanted) {
                assert_eq!(got, wanted, "{field} of {text:?} by {name}");
            }
        }
    });
}
