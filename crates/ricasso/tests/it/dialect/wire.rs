//! The server on the wire: what is no good request is answered too, and however a session ends,
//! its tasks end with it.

use super::session::{Era, Session};
use crate::place::{Place, eventually, is_ignored};
use serde_json::{Value, json};

/// A session that is told as lines, whatever they are.
fn open(place: &Place) -> Session {
    Session::start(place, &["--dialect", "bash"], Era::Legacy)
}

fn ask(session: &mut Session, line: &str, id: &Value) -> Value {
    session.send_text(line);
    session.answer_to(id)
}

#[test]
fn every_request_is_answered_also_one_that_is_none() {
    let place = Place::new();
    let mut session = open(&place);
    let call = |id: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
    };
    let huge = format!(r#"{{"name":"Bash","arguments":{{"command":"{}"}}}}"#, "a".repeat(17 << 20));
    let cases = [
        (call("\"huge\"", &huge), json!("huge"), -32600),
        (call("71", r#"{"name":"Bash","arguments":{"command":"echo \ud800"}}"#), json!(71), -32700),
        (call("72", r#"{"name":"Bash","arguments":[1]}"#), json!(72), -32602),
        (call("73", r#"{"name":"Bash","arguments":"x"}"#), json!(73), -32602),
        (call("74", r#"{"arguments":{}}"#), json!(74), -32602),
        (call("75", r#"{"name":"Nothing"}"#), json!(75), -32602),
        ("{ this is no JSON".to_string(), Value::Null, -32700),
        (r#"[{"jsonrpc":"2.0","id":76,"method":"ping"}]"#.to_string(), Value::Null, -32600),
        (r#"{"jsonrpc":"2.0","id":77,"method":"no/such"}"#.to_string(), json!(77), -32601),
    ];
    for (line, id, code) in cases {
        let answer = ask(&mut session, &line, &id);
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    let still = session.tool("Bash", &json!({ "command": "echo still here" }));
    assert_eq!(still["structuredContent"]["stdout"], "still here\n");
}

#[test]
fn progress_only_grows_while_lines_and_time_are_told() {
    let place = Place::new();
    let mut session = open(&place);
    let command = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done";
    let params = json!({
        "name": "Bash",
        "arguments": { "command": command, "stream": true },
        "_meta": { "progressToken": "t" },
    });
    let id = session.post("tools/call", params);
    let answer = session.answer(id);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let told: Vec<f64> =
        session.notes.iter().filter_map(|note| note["params"]["progress"].as_f64()).collect();
    assert!(told.len() >= 7, "six lines and the time: {:?}", session.notes);
    assert!(told.windows(2).all(|two| two[0] < two[1]), "{told:?}");
}

#[test]
fn messages_come_at_the_level_that_the_client_sets() {
    let place = Place::new();
    let mut session = open(&place);
    let call = json!({ "name": "Bash", "arguments": { "command": "echo line", "stream": true } });
    let messages = |session: &mut Session| {
        let id = session.post("tools/call", call.clone());
        session.answer(id);
        let notes = std::mem::take(&mut session.notes);
        notes.iter().filter(|note| note["method"] == "notifications/message").count()
    };
    assert_eq!(messages(&mut session), 1);
    let set = session.request("logging/setLevel", json!({ "level": "error" }));
    assert!(set["error"].is_null(), "{set}");
    assert_eq!(messages(&mut session), 0);
    let mut modern = Session::start(&place, &["--dialect", "bash"], Era::Modern);
    assert_eq!(messages(&mut modern), 0, "the newer era asks in each request");
}

#[test]
fn s5_41_s5_42_s5_43_s5_44_a_signal_to_the_server_ends_the_session_in_order() {
    // One that our caller ignores is ignored by the server too.
    let all = [("TERM", 15), ("INT", 2), ("HUP", 1)];
    for (signal, _) in all.into_iter().filter(|(_, number)| !is_ignored(*number)) {
        let place = Place::new();
        let log = place.root.join("log");
        let mut command = place.command(&["mcp", "--dialect", "bash"]);
        command.stderr(std::fs::File::create(&log).unwrap());
        let mut session = Session::told(command, Era::Legacy);
        let task = "trap 'echo told > term; exit' TERM; echo on > on; while :; do sleep 0.05; done";
        session.tool("Bash", &json!({ "command": task, "run_in_background": true }));
        eventually("the task runs", || place.work().join("on").exists());
        assert!(crate::place::signal(&format!("-{signal}"), session.child.id()));
        let ended = session.child.wait().unwrap();
        assert_eq!(ended.code(), Some(0), "{signal}: {ended:?}");
        assert!(place.work().join("term").exists(), "{signal}: the task was asked to end");
        let said = std::fs::read_to_string(log).unwrap();
        assert_eq!(said.matches("\"cancelled\":true").count(), 1, "{signal}: {said}");
        assert!(!place.is_worked_in(), "{signal}: nobody is left");
        let ledger = place.call(&["ledger", "show", "--json"]).text();
        assert!(ledger.contains("\"phase\":\"close\""), "{signal}: {ledger}");
    }
}

#[test]
fn s5_41_s5_44_a_cancelled_stream_ends_its_tree_though_it_is_silent() {
    let place = Place::new();
    let mut session = open(&place);
    let command = "echo on > on; sleep 601 & setsid sleep 602 & sleep 603";
    let call = json!({ "name": "Bash", "arguments": { "command": command, "stream": true } });
    let id = session.post("tools/call", call);
    eventually("it runs", || place.work().join("on").exists());
    session.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }));
    let session_dir = |link: std::path::PathBuf| std::fs::read_link(link).ok();
    eventually("nobody but the server is left", || {
        let server = session.child.id();
        let others = std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
            entry.file_name().to_string_lossy().parse::<u32>().is_ok_and(|pid| pid != server)
                && session_dir(entry.path().join("cwd")) == Some(place.work())
                && std::fs::read(entry.path().join("comm")).is_ok_and(|name| name == b"sleep\n")
        });
        others.count() == 0
    });
    // A stream of a task that another call has started is only left, and the task goes on.
    let start = json!({ "command": "sleep 604", "run_in_background": true });
    let task = session.tool("Bash", &start)["structuredContent"]["task_id"].clone();
    let follow = json!({ "task_id": task, "stream": true });
    let id = session.post("tools/call", json!({ "name": "Bash", "arguments": follow }));
    session.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }));
    let status = session.tool("Bash", &json!({ "task_id": task }));
    assert_eq!(status["structuredContent"]["is_running"], true, "{status}");
    assert_eq!(session.end(), 0);
    assert!(!place.is_worked_in());
}

#[test]
fn s5_41_s5_44_a_closed_input_ends_calls_that_wait_and_those_that_stream() {
    for stream in [false, true] {
        let place = Place::new();
        let mut session = open(&place);
        let arguments = json!({ "command": "echo on > on; sleep 605", "stream": stream });
        session.post("tools/call", json!({ "name": "Bash", "arguments": arguments }));
        eventually("it runs", || place.work().join("on").exists());
        // Six hundred seconds would outlast every test's patience.
        assert_eq!(session.end(), 0);
        assert!(!place.is_worked_in());
    }
}

#[test]
fn answers_that_are_nearly_there_reach_a_script_that_closes_at_once() {
    let place = Place::new();
    let mut session = open(&place);
    let id = session
        .post("tools/call", json!({ "name": "Bash", "arguments": { "command": "echo last" } }));
    session.close();
    let answer = session.answer(id);
    assert_eq!(answer["result"]["structuredContent"]["stdout"], "last\n", "{answer}");
}
