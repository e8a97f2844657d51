//! Takes secrets out of both streams before they are stored. It must never let a byte through that
//! the scan has not decided on, and never hold more than the scan may wait for.

use super::Stream;
use super::redact::{Redactor, placeholder};
use super::scan::{Mark, Scan, Span};

/// Both streams on their way into a spool that holds no secret.
pub(super) struct Sieve {
    redactor: Redactor,
    flows: [Flow; 2],
    redactions: u64,
}

/// One stream: its scan and what is not decided yet.
struct Flow {
    scan: Scan,
    /// The bytes from this raw offset on.
    from: u64,
    held: Vec<u8>,
    last: Option<Span>,
}

impl Sieve {
    /// A sieve that has seen nothing.
    pub(super) fn new(redactor: &Redactor) -> Sieve {
        let flow = || Flow { scan: Scan::new(redactor), from: 0, held: Vec::new(), last: None };
        Sieve { redactor: redactor.clone(), flows: [flow(), flow()], redactions: 0 }
    }

    /// How many secrets were taken out.
    pub(super) fn redactions(&self) -> u64 {
        self.redactions
    }

    /// Takes in bytes; returns what is now decided, redacted.
    pub(super) fn pass(&mut self, stream: Stream, bytes: &[u8]) -> Vec<u8> {
        let flow = &mut self.flows[stream.index()];
        let mut spans = Vec::new();
        flow.held.extend_from_slice(bytes);
        let mark = flow.scan.push(bytes, &mut spans);
        self.release(stream, mark, spans)
    }

    /// The rest, redacted. Further calls return nothing.
    pub(super) fn end(&mut self, stream: Stream) -> Vec<u8> {
        let mut spans = Vec::new();
        let mark = self.flows[stream.index()].scan.finish(&mut spans);
        self.release(stream, mark, spans)
    }

    fn release(&mut self, stream: Stream, mark: Mark, spans: Vec<Span>) -> Vec<u8> {
        let flow = &mut self.flows[stream.index()];
        let place = |raw: u64| (raw - flow.from) as usize;
        let (mut text, mut at) = (Vec::new(), 0);
        for span in spans {
            text.extend_from_slice(&flow.held[at..place(span.start)]);
            if !flow.last.as_ref().is_some_and(|last| last.continues_with(&span)) {
                let words = placeholder(&span.kind, self.redactor.label());
                text.extend_from_slice(words.as_bytes());
                self.redactions += 1;
            }
            at = place(span.end);
            flow.last = Some(span);
        }
        let decided = place(mark.bytes).max(at);
        text.extend_from_slice(&flow.held[at..decided]);
        flow.held.drain(..decided);
        flow.from += decided as u64;
        text
    }
}
