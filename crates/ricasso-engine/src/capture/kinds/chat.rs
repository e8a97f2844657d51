//! Chat, mail and telephony.

use super::super::check::Check;
use super::{Edge, Look, Row, led, other_bytes, token};
use ricasso_os::lanes::Halves;

/// A part of a token that a dot ends.
const PART: &[Look] = &[Look { stops: PART_STOPS, wants: b'.', or: b'.' }];
/// What no such part has.
const PART_STOPS: Halves =
    other_bytes(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");

pub(super) const ROWS: &[Row] = &[
    token(
        "slack-token",
        &["xox", "xapp-"],
        r"(?:xox[abcdeoprs][.-](?:xox[bp]-)?|xapp-)[A-Za-z0-9%-]{14,}",
    ),
    led(
        "slack-webhook",
        &["hooks.slack.com/", "hooks.slack-gov.com/"],
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/",
        r"[A-Za-z0-9_-]{4,}(?:/[A-Za-z0-9_-]{4,}){1,4}",
    )
    .in_run()
    .check(Check::Token),
    led(
        "discord-webhook",
        &["discord.com/api/", "discordapp.com/api/"],
        r"discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{15,22}/",
        r"[A-Za-z0-9_-]{40,}",
    )
    .in_run()
    .check(Check::Token),
    // The first part is the bot's number in base64, so its first letter is one of three.
    token(
        "discord-token",
        &["M", "N", "O"],
        r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{5,7}\.[A-Za-z0-9_-]{25,}",
    )
    .look(PART),
    led(
        "teams-webhook",
        &["webhook.office.com/", "outlook.office.com/webhook/"],
        r"(?:webhook|outlook)\.office\.com/webhook(?:b2)?/",
        concat!(
            r"[A-Za-z0-9-]{32,}@[A-Za-z0-9-]{32,}/IncomingWebhook/",
            r"[A-Za-z0-9]{24,}/[A-Za-z0-9-]{24,}(?:/[A-Za-z0-9_-]+)?",
        ),
    )
    .in_run()
    .check(Check::Anything),
    led(
        "zapier-webhook",
        &["hooks.zapier.com/"],
        r"hooks\.zapier\.com/hooks/catch/[0-9]{4,}/",
        r"[A-Za-z0-9]{6,}",
    )
    .in_run()
    .check(Check::Anything),
    // Before the colon stands the number of the bot, which is no secret.
    token("telegram-token", &["AA"], r"AA[A-Za-z0-9_-]{31,}").edge(Edge::Number),
    token("twilio-key", &["SK"], r"SK[0-9a-f]{32}(?-u:\b)"),
    token("sendgrid-key", &["SG."], r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}"),
    token("mailgun-key", &["key-"], r"key-[0-9a-zA-Z]{32}(?-u:\b)").check(Check::Random),
    token(
        "brevo-key",
        &["xkeysib-", "xsmtpsib-"],
        r"x(?:key|smtp)sib-[A-Fa-f0-9]{40,}-[A-Za-z0-9]{12,}",
    ),
    token("resend-key", &["re_"], r"re_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,}").check(Check::Random),
    token("intercom-token", &["dG9rO"], r"dG9rO[A-Za-z0-9+/=_-]{48,}"),
    token("live-key", &["live_"], r"live_[A-Za-z0-9_-]{24,}").check(Check::Random),
    led(
        "ifttt-key",
        &["maker.ifttt.com/"],
        r"maker\.ifttt\.com/(?:trigger|use)/(?:[^\s/]{1,64}/(?:json/)?with/key/)?",
        r"[A-Za-z0-9_-]{20,}",
    )
    .in_run()
    .check(Check::Token),
    led("make-webhook", &["hook."], r"hook\.[a-z0-9]{2,6}\.make\.com/", r"[a-z0-9]{20,}")
        .in_run()
        .check(Check::Token),
    token("telnyx-key", &["KEY0"], r"KEY0[A-Fa-f0-9]{30,}_[A-Za-z0-9]{20,}"),
    token("meta-token", &["EAA"], r"EAA[A-Za-z0-9]{80,}").check(Check::Random),
    token("instagram-token", &["IGQV", "IGQW"], r"IGQ[VW][A-Za-z0-9_-]{60,}"),
    token("dropbox-token", &["sl.A", "sl.B", "sl.C", "sl.u."], r"sl\.(?:u\.)?[A-Za-z0-9_-]{60,}"),
    token("discord-token", &["mfa."], r"mfa\.[A-Za-z0-9_-]{80,}"),
    token("mandrill-key", &["md-"], r"md-[A-Za-z0-9_-]{22}").check(Check::Random),
    token("mailersend-token", &["mlsn."], r"mlsn\.[a-f0-9]{60,}"),
    token("onesignal-key", &["os_v2_"], r"os_v2_(?:app|org)_[a-z0-9]{60,}"),
    token("matrix-token", &["syt_"], r"syt_[A-Za-z0-9=_-]{6,}_[A-Za-z0-9]{20}_[A-Za-z0-9]{6}"),
    token("pubnub-key", &["sec-c-"], r"sec-c-[A-Za-z0-9+/=-]{30,}"),
    token("courier-key", &["pk_prod_", "dk_prod_"], r"[pd]k_prod_[A-Z0-9]{20,}"),
    token("klaviyo-key", &["pk_"], r"pk_[a-f0-9]{34}(?-u:\b)"),
];
