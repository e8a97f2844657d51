//! Private keys and signed tokens, whoever issued them.

use super::{JWT, PEM, Row, led, odd, token};
use crate::check::Check;

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
    .check(Check::Anything)
    .takes(&[
        r"-----BEGIN RSA PRIVATE KEY-----\n{P:1600}\n-----END RSA PRIVATE KEY-----",
        r"-----BEGIN OPENSSH PRIVATE KEY-----\n{P:360}\n-----END OPENSSH PRIVATE KEY-----",
        r"-----BEGIN EC PRIVATE KEY-----\n{P:160}\n-----END EC PRIVATE KEY-----",
        r"-----BEGIN DSA PRIVATE KEY-----\n{P:400}\n-----END DSA PRIVATE KEY-----",
        r"-----BEGIN PRIVATE KEY-----\n{P:1600}\n-----END PRIVATE KEY-----",
        concat!(
            r"-----BEGIN ENCRYPTED PRIVATE KEY-----\n{P:1700}\n-----END ENCRYPTED PRIVATE ",
            "KEY-----",
        ),
        concat!(
            r"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,",
            r"{H:32}\n\n{P:1600}\n-----END RSA PRIVATE KEY-----"
        ),
        concat!(
            r"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n{P:900}\n={B:4}\n---",
            "--END PGP PRIVATE KEY BLOCK-----"
        ),
    ])
    .leaves(&[
        r"-----BEGIN PUBLIC KEY-----\n{P:360}\n-----END PUBLIC KEY-----",
        r#"grep -q "BEGIN RSA PRIVATE KEY" id_rsa"#,
    ]),
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
    .check(Check::Anything)
    .takes(&["client-key-data: [[LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo{B:800}]]"])
    .leaves(&["client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk{B:200}"]),
    // PuTTY writes the private half in lines of 64 characters under this heading.
    led(
        "putty-key",
        &["Private-Lines: "],
        r"Private-Lines: [0-9]{1,3}(?:\r?\n|\\r|\\n)+[ \t+>|]{0,40}",
        r"[A-Za-z0-9+/=]{16,}(?:(?:\r?\n|\\r|\\n)+[ \t+>|]{0,40}[A-Za-z0-9+/=]{16,})*",
    )
    .max(PEM)
    .check(Check::Anything)
    .takes(&[r"    Private-Lines: 2\n    [[{A:1}{B:63}\n    {A:1}{B:63}]]"])
    .leaves(&["Private-Lines: 14 of the file are encrypted"]),
    // Bech32 with the human-readable part AGE-SECRET-KEY-.
    token("age-key", &["AGE-SECRET-KEY-", "age-secret-key-"], r"(?i)AGE-SECRET-KEY-1[A-Z0-9]{40,}")
        .takes(&["AGE-SECRET-KEY-1{Z:58}"])
        .leaves(&["AGE-SECRET-KEY-1...", "age1{z:58}"]),
    token("nostr-key", &["nsec1"], r"nsec1[a-z0-9]{50,}")
        .takes(&["nsec1{z:58}"])
        .leaves(&["the nsec1 prefix marks a private key", "npub1{z:58}"]),
    token("bip32-key", &["xprv", "yprv", "zprv"], r"[xyz]prv[1-9A-HJ-NP-Za-km-z]{90,}")
        .takes(&["xprv{5:107}"])
        .leaves(&["xpub{5:107}", "xprv is the prefix of an extended key"]),
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
    .check(Check::Anything)
    .takes(&[
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{w:60}.{w:43}",
        "eyJ{w:30}.eyJ{w:200}.{w:342}",
        "eyJ0eXAiOiAiVENWMiJ9.{w:32}.{w:48}",
        "session=[[eyJ{w:40}.{w:6}.{w:27}]]",
    ])
    .leaves(&["eyJhbGciOiJIUzI1NiJ9", "eyJ..."]),
    token(
        "paseto",
        &["v1.", "v2.", "v3.", "v4."],
        r"v[1-4]\.(?:local|public)\.[A-Za-z0-9_.-]{40,}",
    )
    .max(JWT)
    .takes(&["v4.local.{w:130}"])
    .leaves(&["v2.local_cache_directory_of_the_user", "v4.public.Config"]),
    // Seeds of NATS and Stellar: base32 with a letter that says what for.
    token("seed-key", &["S"], r"S[A-Z2-7]{55,57}(?-u:\b)")
        .takes(&["SU{U:56}"])
        .leaves(&["STATUS_CONTROL_STACK_VIOLATION", "S{U:40}"]),
    token("minisign-key", &["RWRTY0Iy"], r"RWRTY0Iy[A-Za-z0-9+/=]{100,}")
        .takes(&["RWRTY0Iy{B:204}"])
        .leaves(&["RWQ{B:53}"]),
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
    .check(Check::Anything)
    .takes(&[
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{B:400}",
        r"MIIEpAIBAAKCAQEA{B:48}\n{B:64}\n{B:64}",
        r"b3BlbnNzaC1rZXktdjEAAAAABG5vbmU{B:39}\n{B:70}\n{B:70}",
    ])
    .leaves(&["MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A{B:60}"]),
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
    .check(Check::Anything)
    .takes(&[concat!(
        "key=[[-----BEGIN+RSA+PRIVATE+KEY-----%0A{A:64}%0A{A:30}%2B{A:30}%0A-----END+RSA+",
        "PRIVATE+KEY-----]]"
    )])
    .leaves(&["-----BEGIN+CERTIFICATE-----%0A{A:64}%0A-----END+CERTIFICATE-----"]),
    // RFC 7517: the parts of a key that are not for everyone.
    led(
        "json-web-key",
        &["\"kty\""],
        concat!(
            r#""kty"[ \t]{0,2}:[ \t]{0,2}"[A-Za-z]{2,4}"[^{}]{0,1800}"[dk]"[ \t]{0,2}:"#,
            r#"[ \t]{0,2}""#,
        ),
        concat!(
            r"[A-Za-z0-9_-]{20,}",
            r#"(?:"\s{0,2},\s{0,24}"(?:p|q|dp|dq|qi)"[ \t]{0,2}:[ \t]{0,2}"[A-Za-z0-9_-]{20,})*"#,
        ),
    )
    .max(JWT)
    .check(Check::Random)
    .takes(&[
        r#"{"kty":"RSA","n":"{w:342}","e":"AQAB","d":"[[{w:342}","p":"{w:171}","q":"{w:171}]]"}"#,
        r#"{"kty": "EC", "crv": "P-256", "x": "{w:43}", "d": "[[{w:43}]]"}"#,
    ])
    .leaves(&[r#"{"kty":"RSA","n":"{w:342}","e":"AQAB","kid":"{w:43}"}"#]),
    // RFC-less, but the same everywhere: an algorithm, its cost, a salt, the digest (crypt(5)).
    odd(
        "password-hash",
        &[
            "$1$", "$5$", "$6$", "$y$", "$2a$", "$2b$", "$2y$", "$apr1$", "$argon2", "$scrypt$",
            "$pbkdf2",
        ],
        concat!(
            r"\$(?:[156y]|apr1|2[aby]|argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha[0-9]{1,3})?)",
            r"\$(?:[A-Za-z0-9./=,+-]{1,64}\$){0,3}[A-Za-z0-9./+]{22,}",
        ),
    )
    .takes(&[
        r"bob:[[$6${A:16}${A:86}]]:19000:0:99999:7:::",
        r"[[$2b$12${A:53}]]",
        r"[[$argon2id$v=19$m=65536,t=3,p=4${B:22}${B:43}]]",
    ])
    .leaves(&["$1$2", "echo $y$x", "$2b$12$..."]),
];
