//! `ricasso ledger export`, received by a server that decodes what OpenTelemetry's own definition
//! of the protocol says.

use crate::deaths::ledger_lines;
use crate::place::Place;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use prost::Message;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

/// What one request said.
struct Received {
    head: String,
    request: ExportLogsServiceRequest,
}

/// Answers as many requests as there are answers, then goes.
fn receiver(answers: Vec<&'static [u8]>) -> (String, JoinHandle<Vec<Received>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let one = |answer: &'static [u8]| {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
            }
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            let mut body = vec![0; length.unwrap().parse().unwrap()];
            reader.read_exact(&mut body).unwrap();
            reader.get_mut().write_all(answer).unwrap();
            Received { head, request: ExportLogsServiceRequest::decode(&body[..]).unwrap() }
        };
        answers.into_iter().map(one).collect()
    });
    (url, thread)
}

fn records(received: &[Received]) -> Vec<&LogRecord> {
    let resources = received.iter().flat_map(|one| &one.request.resource_logs);
    resources.flat_map(|one| &one.scope_logs).flat_map(|one| &one.log_records).collect()
}

fn value(any: &AnyValue) -> String {
    match any.value.as_ref().unwrap() {
        any_value::Value::StringValue(text) => text.clone(),
        any_value::Value::IntValue(number) => number.to_string(),
        any_value::Value::BoolValue(value) => value.to_string(),
        any_value::Value::DoubleValue(number) => number.to_string(),
        any_value::Value::ArrayValue(list) => {
            list.values.iter().map(value).collect::<Vec<_>>().join(",")
        }
        any_value::Value::KvlistValue(list) => {
            let pair =
                |pair: &KeyValue| format!("{}={}", pair.key, value(pair.value.as_ref().unwrap()));
            list.values.iter().map(pair).collect::<Vec<_>>().join(",")
        }
        other => panic!("{other:?}"),
    }
}

fn find(pairs: &[KeyValue], key: &str) -> Option<String> {
    pairs.iter().find(|pair| pair.key == key).map(|pair| value(pair.value.as_ref().unwrap()))
}

const TAKEN: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\n\r\n";
const BUSY: &[u8] = b"HTTP/1.1 503 Busy\r\nRetry-After: 0\r\n\r\n";
/// `partial_success { rejected_log_records: 2, error_message: "old" }`
const PART: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n\x0a\x07\x08\x02\x12\x03old";
const WRONG: &[u8] = b"HTTP/1.1 400 Bad Request\r\n\r\nno such thing";

#[test]
fn entries_reach_a_collector_as_log_records() {
    let place = Place::new();
    place.shell("echo grüß; exit 3");
    place.call(&["run", "--mode", "open", "-c", "rm -rf /"]);
    let (url, thread) = receiver(vec![TAKEN]);
    let args = ["ledger", "export", "--to", &url, "--header", "X-Key=k e y"];
    let answer = place.call(&args);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_eq!(answer.text(), "exported 4 entries, last 4\n");
    let received = thread.join().unwrap();
    let head = &received[0].head;
    assert!(head.starts_with("POST /v1/logs HTTP/1.1\r\n"), "{head}");
    for line in ["Content-Type: application/x-protobuf", "X-Key: k e y"] {
        assert!(head.lines().any(|one| one == line), "{head}");
    }
    let resource = &received[0].request.resource_logs[0];
    let attributes = &resource.resource.as_ref().unwrap().attributes;
    assert_eq!(find(attributes, "service.name").as_deref(), Some("ricasso"));
    assert_eq!(resource.scope_logs[0].scope.as_ref().unwrap().name, "ricasso.ledger");
    let records = records(&received);
    let lines = ledger_lines(&place);
    assert_eq!((records.len(), lines.len()), (4, 4));
    let file = std::fs::read_to_string(place.state().join("ledger/000001.jsonl")).unwrap();
    for ((record, line), text) in records.iter().zip(&lines).zip(file.lines()) {
        // The line itself, byte for byte: its hash can be checked behind the collector too.
        assert_eq!(value(record.body.as_ref().unwrap()), text);
        assert_eq!(record.event_name, "shell_audit");
        assert_eq!(find(&record.attributes, "ricasso.seq").unwrap(), line["seq"].to_string());
        assert_eq!(find(&record.attributes, "ricasso.hash").as_deref(), line["hash"].as_str());
        assert_eq!(find(&record.attributes, "session.id").as_deref(), Some("cli"));
        assert!(record.time_unix_nano > 1_700_000_000_000_000_000);
        assert!(record.observed_time_unix_nano >= record.time_unix_nano);
    }
    let severities: Vec<(i32, &str)> =
        records.iter().map(|one| (one.severity_number, one.severity_text.as_str())).collect();
    assert_eq!(severities, [(9, "INFO"), (13, "WARN"), (13, "WARN"), (13, "WARN")]);
    let ended = &records[1].attributes;
    assert_eq!(find(ended, "process.exit.code").as_deref(), Some("3"));
    assert_eq!(find(ended, "process.command_line").as_deref(), Some("echo grüß; exit 3"));
    assert!(find(ended, "ricasso.usage").unwrap().contains("max_rss_bytes="));
    assert!(find(&records[2].attributes, "ricasso.rules").is_some());
    assert_eq!(find(&records[0].attributes, "process.exit.code"), None);
}

#[test]
fn many_entries_go_in_several_requests_and_a_busy_collector_is_asked_again() {
    let place = Place::new();
    place.shell("true");
    // More than one request takes, by a ledger written with the library.
    let ledger = place.state().join("ledger");
    let durability = ricasso_engine::policy::Durability::Flush;
    let ledger = ricasso_engine::record::Ledger::open(&ledger, durability).unwrap();
    for number in 0..600 {
        let phase = ricasso_engine::record::Phase::Note;
        let at = "2026-01-01T00:00:00.000Z";
        ledger.append(&ricasso_engine::record::Entry::new(phase, number.to_string(), at)).unwrap();
    }
    let (url, thread) = receiver(vec![BUSY, TAKEN, TAKEN]);
    let mut command = place.command(&["ledger", "export", "--after", "2"]);
    let output = command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &url).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, "exported 600 entries, last 602\n");
    let received = thread.join().unwrap();
    let counts: Vec<usize> =
        received.iter().map(|one| records(std::slice::from_ref(one)).len()).collect();
    assert_eq!(counts, [512, 512, 88]);
}

#[test]
fn what_a_collector_does_not_take_is_told() {
    let place = Place::new();
    place.shell("true");
    for (answer, told) in [(PART, "left out 2 entries: old"), (WRONG, "status 400: no such thing")]
    {
        let (url, thread) = receiver(vec![answer]);
        let said = place.call(&["ledger", "export", "--to", &url]);
        assert_eq!(said.code, 125);
        assert!(said.stderr.contains(told), "{}", said.stderr);
        thread.join().unwrap();
    }
    let refused = |args: &[&str], told: &str| {
        let mut all = vec!["ledger", "export"];
        all.extend(args);
        let said = place.call(&all);
        assert_eq!(said.code, 125, "{args:?}");
        assert!(said.stderr.contains(told), "{}", said.stderr);
    };
    refused(&[], "nowhere to send");
    refused(&["--to", "https://127.0.0.1:4318"], "wants TLS");
    refused(&["--to", "http://192.0.2.1:4318"], "another machine");
    refused(&["--to", "127.0.0.1:4318"], "is no address of a collector");
    // A port that nobody listens on.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    refused(&["--to", &format!("http://{free}")], "does not answer");
}
