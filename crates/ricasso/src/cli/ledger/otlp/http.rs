//! One POST at a time over a plain TCP connection: all that OTLP over HTTP needs.
//!
//! There is no TLS here: it would bring cryptography with code in C, for a hop that a collector on
//! this machine makes better. An https address is refused and says so.

use super::super::export::Export;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

/// For connecting, for each write and for each read.
const PATIENCE: Duration = Duration::from_secs(10);
/// An answer is a few bytes; a longer one is not read to its end.
const MOST_ANSWER: u64 = 64 * 1024;
/// Where logs go below a collector's address.
const LOGS: &str = "/v1/logs";

/// Where entries are sent.
pub(super) struct Endpoint {
    addresses: Vec<SocketAddr>,
    authority: String,
    path: String,
    headers: String,
}

/// What the collector said.
pub(super) struct Answered {
    pub(super) status: u16,
    pub(super) retry_after: Option<Duration>,
    pub(super) body: Vec<u8>,
}

/// Why entries were not sent.
#[derive(Debug)]
pub(super) enum Failure {
    NoAddress,
    Encrypted { url: String },
    BadAddress { url: String },
    NotHere { url: String },
    BadHeader { name: String },
    Unknown { url: String, source: io::Error },
    Unreachable { at: String, source: io::Error },
    BadAnswer { at: String },
    Refused { status: u16, said: String },
    Rejected { count: u64, said: String },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NoAddress => write!(
                f,
                "nowhere to send entries; give --to http://127.0.0.1:4318 or set \
                 OTEL_EXPORTER_OTLP_ENDPOINT"
            ),
            Failure::Encrypted { url } => write!(
                f,
                "{url} wants TLS, which ricasso does not speak; run a collector on this machine \
                 that sends on by TLS, and give its address"
            ),
            Failure::BadAddress { url } => {
                write!(f, "{url:?} is no address of a collector; give http://HOST:PORT")
            }
            Failure::NotHere { url } => write!(
                f,
                "{url} is another machine, and entries tell what somebody runs; send them to a \
                 collector on this machine, or say --unencrypted"
            ),
            Failure::BadHeader { name } => {
                write!(f, "the header {name:?} is no NAME=VALUE of plain characters; mend it")
            }
            Failure::Unknown { url, .. } => {
                write!(f, "the address {url} cannot be found; check its name")
            }
            Failure::Unreachable { at, .. } => {
                write!(f, "the collector at {at} does not answer; check that it runs")
            }
            Failure::BadAnswer { at } => {
                write!(f, "{at} does not answer as a web server does; check the port")
            }
            Failure::Refused { status, said } => {
                write!(f, "the collector refused the entries with status {status}: {said}")
            }
            Failure::Rejected { count, said } => {
                write!(f, "the collector left out {count} entries: {said}")
            }
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Failure::Unknown { source, .. } | Failure::Unreachable { source, .. } => Some(source),
            Failure::NoAddress
            | Failure::Encrypted { .. }
            | Failure::BadAddress { .. }
            | Failure::NotHere { .. }
            | Failure::BadHeader { .. }
            | Failure::BadAnswer { .. }
            | Failure::Refused { .. }
            | Failure::Rejected { .. } => None,
        }
    }
}

impl Endpoint {
    /// What the flags and the variables of OpenTelemetry say.
    pub(super) fn of(args: &Export) -> Result<Endpoint, Failure> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let given = args.to.clone().or_else(|| variable("OTEL_EXPORTER_OTLP_ENDPOINT"));
        let whole = variable("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT");
        let url = match (&args.to, whole) {
            (None, Some(whole)) => whole,
            _ => with_logs(given.ok_or(Failure::NoAddress)?),
        };
        let mut headers = String::new();
        for (name, value) in variable("OTEL_EXPORTER_OTLP_HEADERS")
            .iter()
            .flat_map(|all| all.split(',').map(|one| one.split_once('=').unwrap_or((one, ""))))
        {
            headers.push_str(&header(name.trim(), &decoded(value.trim()))?);
        }
        for one in &args.header {
            let (name, value) = one.split_once('=').unwrap_or((one, ""));
            headers.push_str(&header(name, value)?);
        }
        Endpoint::at(&url, headers, args.unencrypted)
    }

    fn at(url: &str, headers: String, unencrypted: bool) -> Result<Endpoint, Failure> {
        if url.starts_with("https://") {
            return Err(Failure::Encrypted { url: url.to_string() });
        }
        let bad = || Failure::BadAddress { url: url.to_string() };
        let rest = url.strip_prefix("http://").ok_or_else(bad)?;
        let at = rest.find('/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at(at);
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        if authority.is_empty() || authority.contains('@') || !plain(rest) {
            return Err(bad());
        }
        let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
        let named = if has_port { authority.to_string() } else { format!("{authority}:80") };
        let unknown = |source| Failure::Unknown { url: url.to_string(), source };
        let addresses: Vec<SocketAddr> = named.to_socket_addrs().map_err(unknown)?.collect();
        let here = addresses.iter().all(|address| address.ip().is_loopback());
        if !here && !unencrypted {
            return Err(Failure::NotHere { url: url.to_string() });
        }
        let path = if path.is_empty() { "/" } else { path };
        Ok(Endpoint { addresses, authority: authority.into(), path: path.into(), headers })
    }

    /// Sends one request and reads its answer.
    pub(super) fn post(&self, body: &[u8]) -> Result<Answered, Failure> {
        let at = || self.authority.clone();
        let answer =
            self.exchange(body).map_err(|source| Failure::Unreachable { at: at(), source })?;
        parse(&answer).ok_or_else(|| Failure::BadAnswer { at: at() })
    }

    fn exchange(&self, body: &[u8]) -> io::Result<Vec<u8>> {
        let mut stream = self.connect()?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: ricasso/{}\r\n\
             Content-Type: application/x-protobuf\r\nContent-Length: {}\r\n\
             Connection: close\r\n{}\r\n",
            self.path,
            self.authority,
            env!("CARGO_PKG_VERSION"),
            body.len(),
            self.headers
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        let mut answer = Vec::new();
        stream.take(MOST_ANSWER).read_to_end(&mut answer)?;
        Ok(answer)
    }

    fn connect(&self) -> io::Result<TcpStream> {
        let mut failed = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in &self.addresses {
            match TcpStream::connect_timeout(address, PATIENCE) {
                Ok(stream) => return Ok(stream),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }
}

/// The collector's address with the place for logs behind it.
fn with_logs(url: String) -> String {
    let base = url.trim_end_matches('/');
    if base.ends_with(LOGS) { base.to_string() } else { format!("{base}{LOGS}") }
}

fn header(name: &str, value: &str) -> Result<String, Failure> {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let good = !name.is_empty() && name.bytes().all(token) && !value.contains(char::is_control);
    // The value may be a key, so only the name is told.
    if !good {
        return Err(Failure::BadHeader { name: name.to_string() });
    }
    Ok(format!("{name}: {value}\r\n"))
}

/// Percent signs stand for bytes in the variable, as in a URL.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, more)) = rest.split_first() {
        let hex = more.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &more[2..];
            }
            Some(_) | None => {
                bytes.push(first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn parse(answer: &[u8]) -> Option<Answered> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, &str)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim()))
        .collect();
    let find =
        |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| *value);
    let body = &answer[end + 4..];
    let chunked = find("transfer-encoding").is_some_and(|how| how.eq_ignore_ascii_case("chunked"));
    let retry_after = find("retry-after").and_then(|value| value.parse().ok());
    Some(Answered {
        status,
        retry_after: retry_after.map(Duration::from_secs),
        body: if chunked { joined(body) } else { body.to_vec() },
    })
}

/// The chunks of a body, as far as they came.
fn joined(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&body[..end]).ok();
        let size = size.and_then(|size| size.split(';').next());
        let Some(size) = size.and_then(|size| usize::from_str_radix(size.trim(), 16).ok()) else {
            break;
        };
        let from = end + 2;
        let Some(chunk) = body.get(from..from.saturating_add(size)) else { break };
        if chunk.is_empty() {
            break;
        }
        whole.extend_from_slice(chunk);
        body = body.get(from + size + 2..).unwrap_or_default();
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_plain_http_and_near() {
        let at = |url: &str| Endpoint::at(url, String::new(), false);
        let near = at("http://127.0.0.1:4318/v1/logs").unwrap();
        assert_eq!((near.authority.as_str(), near.path.as_str()), ("127.0.0.1:4318", "/v1/logs"));
        assert_eq!(at("http://[::1]/x").unwrap().addresses[0].port(), 80);
        assert!(matches!(at("https://127.0.0.1/"), Err(Failure::Encrypted { .. })));
        assert!(matches!(at("http://192.0.2.1:4318/"), Err(Failure::NotHere { .. })));
        for bad in
            ["", "127.0.0.1:4318", "http://", "http://a@127.0.0.1/", "http://127.0.0.1/\r\nx"]
        {
            assert!(matches!(at(bad), Err(Failure::BadAddress { .. })), "{bad:?}");
        }
        assert_eq!(with_logs("http://h:1/".into()), "http://h:1/v1/logs");
        assert_eq!(with_logs("http://h:1/v1/logs".into()), "http://h:1/v1/logs");
    }

    #[test]
    fn headers_cannot_carry_others() {
        assert_eq!(header("X-Key", "a b").unwrap(), "X-Key: a b\r\n");
        for (name, value) in [("", "x"), ("a b", "x"), ("a:", "x"), ("a", "x\r\nb: c"), ("a", "\0")]
        {
            assert!(header(name, value).is_err(), "{name:?}");
        }
        assert_eq!(decoded("a%20b%zz%4"), "a b%zz%4");
    }

    #[test]
    fn answers_are_read_whole_or_in_chunks() {
        let plain = parse(b"HTTP/1.1 503 Busy\r\nRetry-After: 2\r\n\r\nno").unwrap();
        assert_eq!((plain.status, plain.retry_after), (503, Some(Duration::from_secs(2))));
        assert_eq!(plain.body, b"no");
        let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1;x\r\nc\r\n0\r\n\r\n";
        assert_eq!(parse(chunked).unwrap().body, b"abc");
        assert!(parse(b"SSH-2.0-x\r\n\r\n").is_none());
        assert!(parse(b"HTTP/1.1 200 OK\r\n").is_none());
    }
}
