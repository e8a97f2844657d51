//! Chat, mail and telephony.

use super::{Edge, Row, led, token};
use crate::check::Check;

pub(super) const ROWS: &[Row] = &[
    token(
        "slack-token",
        &["xox", "xapp-"],
        r"(?:xox[abcdeoprs][.-](?:xox[bp]-)?|xapp-)[A-Za-z0-9%-]{14,}",
    )
    .takes(&[
        "xoxb-{D:12}-{D:13}-{A:24}",
        "xoxp-{D:12}-{D:12}-{D:13}-{h:32}",
        "xoxa-2-{D:12}-{A:24}",
        "xapp-1-A{Z:10}-{D:13}-{h:64}",
        "xoxe.xoxp-1-{A:146}",
    ])
    .leaves(&["xoxb-your-token", "xoxb-{x:12}-{x:13}-{x:24}"]),
    led(
        "slack-webhook",
        &["hooks.slack.com/", "hooks.slack-gov.com/"],
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/",
        r"[A-Za-z0-9_-]{4,}(?:/[A-Za-z0-9_-]{4,}){1,4}",
    )
    .edge(Edge::Word)
    .check(Check::Token)
    .takes(&["https://hooks.slack.com/services/[[T{Z:8}/B{Z:10}/{A:24}]]"])
    .leaves(&[
        "https://hooks.slack.com/services/...",
        "https://hooks.slack.com/services/<T>/<B>/<secret>",
    ]),
    led(
        "discord-webhook",
        &["discord.com/api/", "discordapp.com/api/"],
        r"discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{15,22}/",
        r"[A-Za-z0-9_-]{40,}",
    )
    .edge(Edge::Word)
    .check(Check::Token)
    .takes(&[
        "https://discord.com/api/webhooks/{D:18}/[[{w:68}]]",
        "https://discordapp.com/api/webhooks/{D:19}/[[{w:68}]]",
    ])
    .leaves(&["https://discord.com/api/webhooks/{D:18}", "https://discord.com/api/v10/users/@me"]),
    // The first part is the bot's number in base64, so its first letter is one of three.
    token(
        "discord-token",
        &["M", "N", "O"],
        r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{5,7}\.[A-Za-z0-9_-]{25,}",
    )
    .takes(&["MT{A:22}.{w:6}.{w:27}", "Nz{A:22}.{w:6}.{w:38}", "OD{A:24}.G{w:5}.{w:38}"])
    .leaves(&["MAX.{a:6}.{a:30}", "Makefile.{a:5}.{a:6}"]),
    led(
        "teams-webhook",
        &["webhook.office.com/", "outlook.office.com/webhook/"],
        r"(?:webhook|outlook)\.office\.com/webhook(?:b2)?/",
        concat!(
            r"[A-Za-z0-9-]{32,}@[A-Za-z0-9-]{32,}/IncomingWebhook/",
            r"[A-Za-z0-9]{24,}/[A-Za-z0-9-]{24,}(?:/[A-Za-z0-9_-]+)?",
        ),
    )
    .edge(Edge::Word)
    .check(Check::Anything)
    .takes(&["https://acme.webhook.office.com/webhookb2/[[{u}@{u}/IncomingWebhook/{h:32}/{u}]]"])
    .leaves(&["https://acme.webhook.office.com/webhookb2/<id>"]),
    led(
        "zapier-webhook",
        &["hooks.zapier.com/"],
        r"hooks\.zapier\.com/hooks/catch/[0-9]{4,}/",
        r"[A-Za-z0-9]{6,}",
    )
    .edge(Edge::Word)
    .check(Check::Anything)
    .takes(&["https://hooks.zapier.com/hooks/catch/{D:7}/[[{z:7}]]/"])
    .leaves(&[
        "https://hooks.zapier.com/hooks/catch/{D:7}/",
        "https://hooks.zapier.com/hooks/catch/<id>/<hook>/",
    ]),
    // Before the colon stands the number of the bot, which is no secret.
    token("telegram-token", &["AA"], r"AA[A-Za-z0-9_-]{31,}")
        .edge(Edge::Number)
        .takes(&[
            "{D:10}:[[AA{w:33}]]",
            "{D:9}:[[AAF{w:32}]]",
            "https://api.telegram.org/bot{D:10}:[[AA{w:33}]]/sendMessage",
        ])
        .leaves(&["{D:10}:AAPL", "{D:10}:AA{x:33}"]),
    token("twilio-key", &["SK"], r"SK[0-9a-f]{32}(?-u:\b)")
        .takes(&["SK{h:32}"])
        .leaves(&["SK{h:8}", "SK{x:32}"]),
    token("sendgrid-key", &["SG."], r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}")
        .takes(&["SG.{w:22}.{w:43}"])
        .leaves(&["SG.{x:22}.{x:43}", "SG.{A:6}"]),
    token("mailgun-key", &["key-"], r"key-[0-9a-zA-Z]{32}(?-u:\b)")
        .check(Check::Random)
        .takes(&["key-{h:32}"])
        .leaves(&["key-{x:32}", "key-value-store-with-many-entries"]),
    token(
        "brevo-key",
        &["xkeysib-", "xsmtpsib-"],
        r"x(?:key|smtp)sib-[A-Fa-f0-9]{40,}-[A-Za-z0-9]{12,}",
    )
    .takes(&["xkeysib-{h:64}-{A:16}"])
    .leaves(&["xkeysib-{x:64}-{x:16}"]),
    token("resend-key", &["re_"], r"re_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,}")
        .check(Check::Random)
        .takes(&["re_{A:8}_{A:24}"])
        .leaves(&["re_compile_internal_expression_of_text", "re_xxxxxxxx_{x:24}"]),
    token("intercom-token", &["dG9rO"], r"dG9rO[A-Za-z0-9+/=_-]{48,}")
        .takes(&["dG9rO{B:55}="])
        .leaves(&["dG9rO{A:8}", "dG9rOjE="]),
    token("live-key", &["live_"], r"live_[A-Za-z0-9_-]{24,}")
        .check(Check::Random)
        .takes(&["live_{A:30}", "live_{h:35}", "live_{w:40}"])
        .leaves(&["live_reload_server_address_and_port", "live_{x:30}"]),
    led(
        "ifttt-key",
        &["maker.ifttt.com/"],
        r"maker\.ifttt\.com/(?:trigger|use)/(?:[^\s\x00/]{1,64}/(?:json/)?with/key/)?",
        r"[A-Za-z0-9_-]{20,}",
    )
    .edge(Edge::Word)
    .check(Check::Token)
    .takes(&["https://maker.ifttt.com/trigger/x/with/key/[[{w:43}]]"])
    .leaves(&["https://maker.ifttt.com/trigger/x/with/key/<key>", "https://maker.ifttt.com/use/"]),
    led("make-webhook", &["hook."], r"hook\.[a-z0-9]{2,6}\.make\.com/", r"[a-z0-9]{20,}")
        .edge(Edge::Word)
        .check(Check::Token)
        .takes(&["https://hook.eu1.make.com/[[{z:32}]]"])
        .leaves(&["https://hook.eu1.make.com/<id>", "hook.pre.make.com/docs"]),
    token("telnyx-key", &["KEY0"], r"KEY0[A-Fa-f0-9]{30,}_[A-Za-z0-9]{20,}")
        .takes(&["KEY0{H:31}_{A:22}"])
        .leaves(&["KEY0{x:32}_{x:22}", "KEY0_DOWN"]),
    token("meta-token", &["EAA"], r"EAA[A-Za-z0-9]{80,}")
        .check(Check::Random)
        .takes(&["EAACEdEose0cBA{A:100}", "EAAG{A:160}"])
        .leaves(&["EAA{x:86}", "EAA{A:20}"]),
    token("instagram-token", &["IGQV", "IGQW"], r"IGQ[VW][A-Za-z0-9_-]{60,}")
        .takes(&["IGQVJ{A:120}"])
        .leaves(&["IGQVJ...", "IGQV{x:64}"]),
    token("dropbox-token", &["sl.A", "sl.B", "sl.C", "sl.u."], r"sl\.(?:u\.)?[A-Za-z0-9_-]{60,}")
        .takes(&["sl.B{w:134}"])
        .leaves(&["sl.B{x:64}", "sl.App"]),
    token("discord-token", &["mfa."], r"mfa\.[A-Za-z0-9_-]{80,}")
        .takes(&["mfa.{w:84}"])
        .leaves(&["mfa.enabled", "mfa.{x:86}"]),
    token("mandrill-key", &["md-"], r"md-[A-Za-z0-9_-]{22}")
        .check(Check::Random)
        .takes(&["md-{w:22}"])
        .leaves(&["md-toolbar-section-end", "md-{x:22}", "md-{a:6}"]),
    token("mailersend-token", &["mlsn."], r"mlsn\.[a-f0-9]{60,}")
        .takes(&["mlsn.{h:64}"])
        .leaves(&["mlsn.<token>", "mlsn.{0:64}"]),
    token("onesignal-key", &["os_v2_"], r"os_v2_(?:app|org)_[a-z0-9]{60,}")
        .takes(&["os_v2_app_{z:103}"])
        .leaves(&["os_v2_app_{x:64}", "os_v2_app_id"]),
    token("matrix-token", &["syt_"], r"syt_[A-Za-z0-9=_-]{6,}_[A-Za-z0-9]{20}_[A-Za-z0-9]{6}")
        .takes(&["syt_{A:16}_{A:20}_{A:6}"])
        .leaves(&["syt_{A:6}", "syt_{x:16}_{x:20}_xxxxxx"]),
    token("pubnub-key", &["sec-c-"], r"sec-c-[A-Za-z0-9+/=-]{30,}")
        .takes(&["sec-c-{A:48}"])
        .leaves(&["sec-c-{x:48}", "pub-c-{u}"]),
    token("courier-key", &["pk_prod_", "dk_prod_"], r"[pd]k_prod_[A-Z0-9]{20,}")
        .takes(&["pk_prod_{Z:28}"])
        .leaves(&["pk_prod_{X:28}", "pk_prod_{U:6}"]),
    token("klaviyo-key", &["pk_"], r"pk_[a-f0-9]{34}(?-u:\b)")
        .takes(&["pk_{h:34}"])
        .leaves(&["pk_live_{A:24}", "pk_{h:10}"]),
];
