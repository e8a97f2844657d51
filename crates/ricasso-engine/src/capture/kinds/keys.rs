//! Private keys and signed tokens, whoever issued them.

use super::super::check::Check;
use super::{JWT, PEM, Row, led, odd, token};

pub(super) const ROWS: &[Row] = &[
    // The whole block, or, where its end is cut off, the full lines that are there. RFC 7468,
    // RFC 4880 (armour) and RFC 4716 (four dashes and blanks); inside JSON newlines are `\n`.
    odd(
        "private-key",
        &["-----BEGIN ", "---- BEGIN "],
        concat!(
            r"----(?:-| )BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?(?:-| )----",
            // Lines as they are, in a JSON string, in a diff, numbered, or quoted piece by piece.
            r"(?:(?:(?:\r?\n|\\+[nr])[ \t'+,|>#*-]{0,40}(?:[0-9]{1,6}[:|-]?[ \t]{0,8})?\x22?)+",
            r"(?:[A-Za-z0-9+/=]+|[A-Za-z-]{4,16}: [^\r\n\\]{0,128})?[ \t\x22',+\\]{0,6})*",
            r"(?:(?:\r?\n|\\+[nr])[ \t\x22'+,|>#*0-9:-]{0,40}|[ \t]{0,8})?",
            r"-{4,5} ?END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)? ?-{4,5}",
            // On one line.
            r"|----(?:-| )BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?(?:-| )----",
            r"[ \t]*[A-Za-z0-9+/=]{24,}(?:[ \t]+[A-Za-z0-9+/=]+)*[ \t]*",
            r"-{4,5} ?END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)? ?-{4,5}",
            // Behind what a log, a search or a container puts before each line.
            r"|----(?:-| )BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?(?:-| )----[ \t\x22]{0,3}",
            r"(?:\r?\n[^\r\n]{0,128}[ \t:|>](?:[A-Z][A-Za-z-]{3,15}: [^\r\n]{0,128})?){0,3}",
            r"(?:\r?\n[^\r\n]*[^A-Za-z0-9+/=\r\n][A-Za-z0-9+/=]{40,})+",
            r"(?:(?:\r?\n[^\r\n]*[^A-Za-z0-9+/=\r\n][A-Za-z0-9+/=]{1,76})?",
            r"\r?\n[^\r\n]{0,128}-{4,5} ?END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)? ?-{4,5})?",
            // Cut off.
            r"|----(?:-| )BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?(?:-| )----",
            r"(?:(?:(?:\r?\n|\\+[nr])[ \t'+,|>#*-]{0,40}(?:[0-9]{1,6}[:|-]?[ \t]{0,8})?\x22?)+",
            r"(?:[A-Za-z0-9+/=]{16,}|[A-Za-z-]{4,16}: [^\r\n\\]{0,128}))*",
        ),
    )
    .max(PEM)
    .check(Check::Anything),
    // The base64 of such a block, as in a kubeconfig; certificates start otherwise.
    token(
        "private-key",
        &["LS0tLS1CRUdJTiB", "LS0tLS1CRUdJTiQ"],
        concat!(
            r"LS0tLS1CRUdJTi(?:BSU0EgUFJJVkFUR|BQUklWQVRFIE|BFQyBQUklWQVRF|BPUEVOU1NIIFBSSVZBVE",
            r"|BFTkNSWVBURUQgUFJJVkFUR|BEU0EgUFJJVkFUR|BQR1AgUFJJVkFUR)[A-Za-z0-9+/_=-]{32,}",
        ),
    )
    .max(PEM)
    .check(Check::Anything),
    // PuTTY writes the private half in lines of 64 characters under this heading.
    led(
        "putty-key",
        &["Private-Lines: "],
        r"Private-Lines: [0-9]{1,3}(?:\r?\n|\\r|\\n)+",
        r"[A-Za-z0-9+/=]{16,}(?:(?:\r?\n|\\r|\\n)+[A-Za-z0-9+/=]{16,})*",
    )
    .max(PEM)
    .check(Check::Anything),
    // Bech32 with the human-readable part AGE-SECRET-KEY-.
    token("age-key", &["AGE-SECRET-KEY-", "age-secret-key-"], r"(?i)AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    token("nostr-key", &["nsec1"], r"nsec1[a-z0-9]{50,}"),
    token("bip32-key", &["xprv", "yprv", "zprv"], r"[xyz]prv[1-9A-HJ-NP-Za-km-z]{90,}"),
    token(
        "jwt",
        &["eyJ"],
        concat!(
            r"eyJ[A-Za-z0-9_-]{8,}\.(?:eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{8,}",
            // Encrypted ones have five parts, of which the key may be empty.
            r"|[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
        ),
    )
    .max(JWT)
    .check(Check::Anything),
];
