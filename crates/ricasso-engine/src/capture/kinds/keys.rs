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
            // The last line may be cut too; of words it has a digit or a sign.
            r"(?:(?:\r?\n|\\+[nr])[ \t'+,|>#*-]{0,40}(?:[A-Za-z+/]+[0-9+/=]|[0-9]{1,2}[A-Za-z+/])",
            r"[A-Za-z0-9+/=]{0,15})?",
            // Where a page has its own line breaks.
            r"|----(?:-| )BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?(?:-| )----",
            r"(?:(?:&#10;|&#13;|&#x[aAdD];|<br ?/?>|\r?\n)+[A-Za-z0-9+/=]{1,80})+",
            r"(?:(?:&#10;|&#13;|&#x[aAdD];|<br ?/?>|\r?\n)+",
            r"-{4,5} ?END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)? ?-{4,5})",
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
        r"Private-Lines: [0-9]{1,3}(?:\r?\n|\\r|\\n)+[ \t+>|]{0,40}",
        r"[A-Za-z0-9+/=]{16,}(?:(?:\r?\n|\\r|\\n)+[ \t+>|]{0,40}[A-Za-z0-9+/=]{16,})*",
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
            // Signed, with something else behind the first part or nothing: sessions of frameworks.
            r"|(?:[A-Za-z0-9_-]{5,}\.)?[A-Za-z0-9_-]{26,}",
            // Encrypted ones have five parts, of which the key may be empty.
            r"|[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
        ),
    )
    .max(JWT)
    .check(Check::Anything),
    token(
        "paseto",
        &["v1.", "v2.", "v3.", "v4."],
        r"v[1-4]\.(?:local|public)\.[A-Za-z0-9_.-]{40,}",
    )
    .max(JWT),
    // Seeds of NATS and Stellar: base32 with a letter that says what for.
    token("seed-key", &["S"], r"S[A-Z2-7]{55,57}(?-u:\b)"),
    token("minisign-key", &["RWRTY0Iy"], r"RWRTY0Iy[A-Za-z0-9+/=]{100,}"),
    // The base64 of a key without its heading: PKCS #8, PKCS #1, SEC 1, and OpenSSH's own.
    token(
        "private-key",
        &["MII", "MC4CAQAwBQYDK2Vw", "MHcCAQEEI", "MIGHAgEAMBMGByqGSM49", "b3BlbnNzaC1rZXktdjE"],
        concat!(
            r"(?:MII[A-Za-z0-9+/]{2}[QAwg]IBA(?:DAN|AK)|MC4CAQAwBQYDK2Vw|MHcCAQEEI",
            r"|MIGHAgEAMBMGByqGSM49|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/=]{24,}",
            r"(?:(?:\r?\n|\\r|\\n)+[ \t]{0,16}[A-Za-z0-9+/=]{40,})*",
            r"(?:(?:\r?\n|\\r|\\n)+[ \t]{0,16}[A-Za-z0-9+/=]{16,})?",
        ),
    )
    .max(PEM)
    .check(Check::Anything),
    // In a request's body or a query.
    odd(
        "private-key",
        &["-----BEGIN+", "-----BEGIN%20"],
        concat!(
            r"-----BEGIN(?:\+|%20)(?:[A-Z0-9]{1,12}(?:\+|%20)){0,3}PRIVATE(?:\+|%20)KEY",
            r"[A-Za-z0-9%+/=_.-]*",
        ),
    )
    .max(PEM)
    .check(Check::Anything),
    // RFC 7517: the parts of a key that are not for everyone.
    led(
        "json-web-key",
        &["\"kty\""],
        r#""kty"[ \t]{0,2}:[ \t]{0,2}"[A-Za-z]{2,4}"[^{}]{0,1800}"[dk]"[ \t]{0,2}:[ \t]{0,2}""#,
        concat!(
            r"[A-Za-z0-9_-]{20,}",
            r#"(?:"\s{0,2},\s{0,24}"(?:p|q|dp|dq|qi)"[ \t]{0,2}:[ \t]{0,2}"[A-Za-z0-9_-]{20,})*"#,
        ),
    )
    .max(JWT)
    .check(Check::Random),
];
