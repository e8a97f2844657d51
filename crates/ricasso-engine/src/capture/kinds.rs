//! The table of known secrets: one row a kind. A new kind is a new row; nothing else moves.
//!
//! A row must have literals that are rare in ordinary output, because each occurrence costs a
//! walk, and a pattern tight enough to leave hashes, identifiers and placeholders alone.

/// What must stand before a literal for it to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// Anything.
    Any,
    /// No letter, digit or underscore: `task-` is not the start of an `sk-` key.
    Word,
}

/// A look at the bytes behind a literal of three bytes, which costs less than a walk. It must
/// pass whatever the patterns would match; longer literals are rare enough without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    /// Bytes that end the attempt when they come before `wants`.
    pub(super) stops: &'static [u8],
    /// The byte that must come first.
    pub(super) wants: u8,
}

impl Look {
    /// No look.
    pub(super) const NONE: Look = Look { stops: b"", wants: 0 };
}

/// One kind of secret. Patterns match bytes, are anchored at the literal, and take the longest.
#[derive(Debug)]
pub(super) struct Row {
    /// The name in the placeholder.
    pub(super) kind: &'static str,
    /// Each match starts with one of these, in exactly this spelling, at least three bytes long.
    pub(super) literals: &'static [&'static str],
    /// What must stand before the literal.
    pub(super) edge: Edge,
    /// What the bytes behind the literal must be like; for literals that are not rare.
    pub(super) look: Look,
    /// What stands before the secret and stays visible; empty where the literal is part of it.
    pub(super) lead: &'static str,
    /// The secret itself.
    pub(super) body: &'static str,
    /// How many bytes at the end of `body` are a mark that follows the secret and stay visible.
    pub(super) trail: usize,
    /// At most so many bytes wait for the decision. A longer secret is redacted from there on as
    /// far as its alphabet goes.
    pub(super) max: usize,
}

/// Longest token of a fixed form. The longest in use are GitHub's fine-grained ones, 93 bytes.
const TOKEN: usize = 512;
/// Longest JWT before it is redacted piecemeal: servers refuse headers beyond 8 KiB.
const JWT: usize = 8 * 1024;
/// Longest private key: RSA with 16,384 bits takes 12.5 KiB in PEM.
const PEM: usize = 16 * 1024;
/// Longest user name or password in a URL, and longest run of a header's scheme and value.
const CREDENTIAL: usize = 2 * 1024;

const fn token(
    kind: &'static str,
    literals: &'static [&'static str],
    body: &'static str,
    max: usize,
) -> Row {
    Row { kind, literals, edge: Edge::Word, look: Look::NONE, lead: "", body, trail: 0, max }
}

/// In order of precedence where two kinds match the same bytes.
pub(super) const ROWS: &[Row] = &[
    token(
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"gh[pousr]_[A-Za-z0-9]{36,}",
        TOKEN,
    ),
    token("github-token", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{36,}", TOKEN),
    token(
        "gitlab-token",
        &["glpat-", "glrt-", "gldt-"],
        r"gl(?:pat|rt|dt)-[A-Za-z0-9_.-]{20,}",
        TOKEN,
    ),
    token(
        "slack-token",
        &["xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-", "xapp-"],
        r"(?:xox[abeprs]|xapp)-[A-Za-z0-9-]{10,}",
        TOKEN,
    ),
    token("aws-access-key-id", &["AKIA", "ASIA"], r"A[KS]IA[A-Z2-7]{16}(?-u:\b)", TOKEN),
    Row {
        kind: "aws-secret-key",
        literals: &["ecret_access_key", "ECRET_ACCESS_KEY", "ecretAccessKey"],
        edge: Edge::Any,
        look: Look::NONE,
        lead: r#"(?i)ecret_?access_?key["']?\s{0,3}(?:=>|[=:])?\s{0,3}["']?"#,
        body: r"[A-Za-z0-9/+]{40,}",
        trail: 0,
        max: TOKEN,
    },
    token(
        "stripe-key",
        &["sk_live_", "rk_live_", "sk_test_", "rk_test_"],
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
        TOKEN,
    ),
    token("anthropic-key", &["sk-ant-"], r"sk-ant-[A-Za-z0-9_-]{24,}", TOKEN),
    token(
        "openai-key",
        &["sk-"],
        r"sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{32,}|[A-Za-z0-9]{32,})",
        TOKEN,
    ),
    token("google-key", &["AIza"], r"AIza[A-Za-z0-9_-]{35}", TOKEN),
    token("npm-token", &["npm_"], r"npm_[A-Za-z0-9]{36}", TOKEN),
    token("pypi-token", &["pypi-"], r"pypi-[A-Za-z0-9_-]{50,}", TOKEN),
    token("jwt", &["eyJ"], r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", JWT),
    Row {
        kind: "private-key",
        literals: &["-----BEGIN "],
        edge: Edge::Any,
        look: Look::NONE,
        lead: "",
        // The whole block, or, where its end is cut off, the full lines that are there.
        body: concat!(
            r"-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----",
            r"(?:(?:\s|\\[nr])+[A-Za-z-]{4,16}: [^\r\n\\]{0,128})*",
            r"(?:[^-]*-----END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----",
            r"|(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{40,})*)",
        ),
        trail: 0,
        max: PEM,
    },
    Row {
        kind: "url-password",
        literals: &["://"],
        edge: Edge::Any,
        look: Look { stops: b"/@ \t\r\n\"'<>?#[", wants: b':' },
        lead: r#"://[^\s/:@"'<>?#\[]{0,255}:"#,
        body: r#"[^\s/@"'<>${*][^\s/@"'<>]{0,1024}@"#,
        trail: 1,
        max: CREDENTIAL,
    },
    Row {
        kind: "authorization",
        literals: &["uthorization", "UTHORIZATION"],
        edge: Edge::Any,
        look: Look::NONE,
        lead: concat!(
            r#"(?i)uthorization["']?\s{0,3}[:=]\s{0,3}["']?"#,
            r"(?:bearer|basic|token|digest)\s{1,3}",
        ),
        body: r"[A-Za-z0-9._~+/=-]{8,}",
        trail: 0,
        max: CREDENTIAL,
    },
];
