//! Watching, tracking, designing: the services that products are made with.

use super::{Edge, JWT, Row, led, token};
use crate::check::Check;

pub(super) const ROWS: &[Row] = &[
    token(
        "grafana-token",
        &["glsa_", "glc_"],
        r"(?:glsa_[A-Za-z0-9]{28,}(?:_[A-Fa-f0-9]{8})?|glc_[A-Za-z0-9+/=_-]{32,})",
    )
    .takes(&["glsa_{A:32}_{h:8}", "glc_eyJ{B:80}"])
    .leaves(&["glsa_{x:32}_xxxxxxxx", "glc_{A:6}"]),
    token("grafana-token", &["eyJrIjoi"], r"eyJrIjoi[A-Za-z0-9+/_-]{50,}={0,2}")
        .takes(&["eyJrIjoi{B:90}=="])
        .leaves(&["eyJrIjoi{A:8}", "eyJrIjoi..."]),
    token(
        "newrelic-key",
        &["NRAK-", "NRII-", "NRIQ-", "NRJS-", "NRRA-", "NRAA-", "NRSP-", "NRAL"],
        r"NR(?:(?:AK|II|IQ|JS|RA|AA|SP)-[A-Za-z0-9_-]{18,}|AL[A-Za-z0-9]{36,})",
    )
    .takes(&["NRAK-{Z:27}", "NRII-{w:32}", "NRJS-{h:19}"])
    .leaves(&["NRAK-{X:27}", "NRAL{D:6}"]),
    token("sentry-token", &["sntrys_", "sntryu_"], r"sntry[su]_[A-Za-z0-9+/=_-]{40,}")
        .max(JWT)
        .takes(&["sntrys_eyJ{B:100}_{B:43}", "sntryu_{h:64}"])
        .leaves(&["sntryu_{0:64}", "sntrys_{A:6}"]),
    token(
        "dynatrace-token",
        &["dt0c01.", "dt0s01.", "dt0s16.", "dt0s02."],
        r"dt0[cs][0-9]{2}\.[A-Z0-9]{20,}\.[A-Z0-9]{56,}",
    )
    .takes(&["dt0c01.{Z:24}.{Z:64}"])
    .leaves(&["dt0c01.{Z:24}", "dt0c01.<public>.<secret>"]),
    token(
        "honeycomb-key",
        &["hcaik_", "hcamk_", "hcxik_", "hcalk_", "hcxlk_", "hcxmk_"],
        r"hc[ax][ilm]k_[A-Za-z0-9]{40,}",
    )
    .takes(&["hcaik_{z:58}"])
    .leaves(&["hcaik_{x:58}", "hcaik_{z:6}"]),
    token("axiom-token", &["xaat-", "xapt-"], r"xa[ap]t-[0-9a-f-]{32,}")
        .takes(&["xaat-{u}"])
        .leaves(&["xaat-xxxxxxxx-xxxx-xxxx-xxxx-{x:12}", "xaat-<uuid>"]),
    token(
        "launchdarkly-key",
        &["sdk-", "mob-", "api-"],
        r"(?:sdk|mob|api)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    )
    .takes(&["sdk-{u}", "api-{u}"])
    .leaves(&["sdk-xxxxxxxx-xxxx-xxxx-xxxx-{x:12}", "api-{D:4}", "sdk-{h:8}"]),
    token("posthog-key", &["phx_", "phs_"], r"ph[xs]_[A-Za-z0-9]{36,}")
        .takes(&["phx_{A:43}"])
        .leaves(&["phc_{A:43}", "phx_{x:43}"]),
    token(
        "linear-key",
        &["lin_api_", "lin_oauth_", "lin_wh_"],
        r"lin_(?:api|oauth|wh)_[A-Za-z0-9]{30,}",
    )
    .takes(&["lin_api_{A:40}", "lin_oauth_{h:64}"])
    .leaves(&["lin_api_{x:40}", "lin_api_{A:6}"]),
    token("notion-token", &["ntn_"], r"ntn_[A-Za-z0-9]{40,}")
        .takes(&["ntn_{D:11}{A:35}"])
        .leaves(&["ntn_{x:46}", "ntn_{D:6}"]),
    token("notion-token", &["secret_"], r"secret_[A-Za-z0-9]{40,}")
        .check(Check::Random)
        .takes(&["secret_{A:43}"])
        .leaves(&["secret_santa_generator_for_the_team", "secret_{A:6}"]),
    token(
        "figma-token",
        &["figd_", "figo_", "figoh_", "figor_", "figdr_"],
        r"fig(?:d|o|oh|or|dr)_[A-Za-z0-9_-]{36,}",
    )
    .takes(&["figd_{w:43}"])
    .leaves(&["figd_{x:43}", "figo_{A:6}"]),
    token("postman-key", &["PMAK-", "PMAT-"], r"PMA[KT]-[A-Za-z0-9-]{24,}")
        .takes(&["PMAK-{h:24}-{h:34}"])
        .leaves(&["PMAK-{x:24}-{x:34}"]),
    token("airtable-token", &["pat"], r"pat[A-Za-z0-9]{14}\.[A-Fa-f0-9]{48,}")
        .takes(&["pat{A:14}.{h:64}"])
        .leaves(&["pat{A:14}", "pat{x:14}.{0:64}"]),
    token(
        "hubspot-token",
        &["pat-"],
        r"pat-[a-z]{2}[0-9]-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    )
    .takes(&["pat-na1-{u}", "pat-eu1-{u}"])
    .leaves(&["pat-na1-{h:8}", "pat-na1-xxxxxxxx-xxxx-xxxx-xxxx-{x:12}"]),
    token("salesforce-token", &["00D"], r"00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,}")
        .takes(&["00D{A:15}!{A:96}"])
        .leaves(&["00D{A:15}", "00D{0:12}!{x:64}"]),
    // A version, one or two numbers, and the secret.
    led(
        "asana-token",
        &["1/", "2/", "0/"],
        r"[012]/[0-9]{16,20}(?:/[0-9]{13,20})?:",
        r"[0-9a-f]{32}(?-u:\b)",
    )
    .edge(Edge::Word)
    .check(Check::Token)
    .takes(&["1/{D:16}:[[{h:32}]]", "2/{D:16}/{D:16}:[[{h:32}]]"])
    .leaves(&["1/{D:16}", "1/{D:16}:{h:8}"]),
    token("beamer-key", &["b_"], r"b_[A-Za-z0-9=_-]{44}")
        .check(Check::Random)
        .takes(&["b_{w:43}{A:1}"])
        .leaves(&["b_{a:6}_{a:8}", "b_{x:44}"]),
    token("octopus-key", &["API-"], r"API-[A-Z0-9]{25,30}(?-u:\b)")
        .takes(&["API-{Z:26}"])
        .leaves(&["API-{X:26}", "API-{D:4}"]),
    token("contentful-token", &["CFPAT-"], r"CFPAT-[A-Za-z0-9_-]{36,}")
        .takes(&["CFPAT-{w:43}"])
        .leaves(&["CFPAT-{x:43}", "CFPAT-{A:6}"]),
    token("readme-key", &["rdme_"], r"rdme_[A-Za-z0-9]{50,}")
        .takes(&["rdme_{z:70}"])
        .leaves(&["rdme_{x:60}", "rdme_{z:6}"]),
    token("typeform-token", &["tfp_"], r"tfp_[A-Za-z0-9_=.-]{40,}")
        .takes(&["tfp_{A:44}_{A:14}"])
        .leaves(&["tfp_{x:48}", "tfp_{A:6}"]),
    token("prefect-key", &["pnu_", "pnb_"], r"pn[ub]_[A-Za-z0-9]{34,}")
        .takes(&["pnu_{A:36}"])
        .leaves(&["pnu_{x:36}", "pnb_{A:6}"]),
    token("adafruit-key", &["aio_"], r"aio_[A-Za-z0-9]{28}(?-u:\b)")
        .check(Check::Random)
        .takes(&["aio_{A:28}"])
        .leaves(&["aio_read_write_completion_que", "aio_{x:28}"]),
    token("frameio-token", &["fio-u-"], r"fio-u-[A-Za-z0-9_=-]{40,}")
        .takes(&["fio-u-{w:64}"])
        .leaves(&["fio-u-<token>", "fio-u-{A:6}"]),
    token(
        "mapbox-token",
        &["sk.eyJ", "tk.eyJ"],
        r"[st]k\.eyJ[A-Za-z0-9_-]{30,}\.[A-Za-z0-9_-]{16,}",
    )
    .takes(&["sk.eyJ1{w:60}.{w:22}"])
    .leaves(&["sk.eyJ1{A:8}", "pk.eyJ1{w:60}.{w:22}"]),
    led("okta-key", &["SSWS "], r"SSWS ", r"[A-Za-z0-9_-]{30,}")
        .check(Check::Token)
        .takes(&["SSWS [[00{w:40}]]"])
        .leaves(&["Authorization: SSWS ${API_TOKEN}", "SSWS is the scheme of Okta"]),
    token("clickup-token", &["pk_"], r"pk_[0-9]{5,12}_[A-Z0-9]{32}(?-u:\b)")
        .takes(&["pk_{D:8}_{Z:32}"])
        .leaves(&["pk_{D:8}_{Z:6}", "pk_{D:8}_{X:32}"]),
    token("sanity-token", &["skE", "skF"], r"sk[EF][A-Za-z0-9]{80,}")
        .takes(&["skE{A:120}"])
        .leaves(&["skEleton", "skF{A:12}"]),
    token("wakatime-key", &["waka_"], r"waka_[0-9a-f-]{36,}")
        .takes(&["waka_{u}"])
        .leaves(&["waka_<uuid>", "waka_xxxxxxxx-xxxx-xxxx-xxxx-{x:12}"]),
    token("raycast-token", &["rca_", "rct_"], r"rc[at]_[A-Za-z0-9]{32,}")
        .takes(&["rca_{A:64}"])
        .leaves(&["rca_{x:40}", "rct_{A:6}"]),
    token("statsig-key", &["secret-", "console-"], r"(?:secret|console)-[A-Za-z0-9]{36,}")
        .check(Check::Random)
        .takes(&["secret-{A:43}", "console-{A:43}"])
        .leaves(&["secret-management-for-the-deployment-of-it", "console-{A:8}"]),
    token(
        "stytch-secret",
        &["secret-live-", "secret-test-"],
        r"secret-(?:live|test)-[A-Za-z0-9_=-]{30,}",
    )
    .takes(&["secret-live-{w:40}"])
    .leaves(&["secret-test-{x:36}", "secret-live-{w:6}"]),
    token("trello-token", &["ATTA"], r"ATTA[A-Fa-f0-9]{60,}")
        .takes(&["ATTA{h:64}{H:8}"])
        .leaves(&["ATTA{h:8}", "ATTA{x:76}"]),
    token("transifex-token", &["1/"], r"1/[0-9a-f]{40}(?-u:\b)")
        .takes(&["1/{h:40}"])
        .leaves(&["1/{h:8}", "1/{0:40}"]),
    token("pinterest-token", &["pina_"], r"pina_[A-Z0-9]{40,}")
        .takes(&["pina_{Z:60}"])
        .leaves(&["pina_{U:6}", "pina_{X:60}"]),
    token("tiktok-token", &["act."], r"act\.[A-Za-z0-9]{40,}![0-9]{1,6}\.[a-z0-9]{1,6}")
        .takes(&["act.{A:60}!{D:4}.e1"])
        .leaves(&["act.{a:8}", "act.{x:48}!0000.e1"]),
    token("chromatic-token", &["chpt_"], r"chpt_[A-Za-z0-9]{13,}")
        .takes(&["chpt_{h:32}"])
        .leaves(&["chpt_{h:6}", "chpt_{x:12}"]),
    token("vantage-token", &["vntg_tkn_"], r"vntg_tkn_[A-Fa-f0-9]{32,}")
        .takes(&["vntg_tkn_{h:40}"])
        .leaves(&["vntg_tkn_{0:40}", "vntg_tkn_<token>"]),
    token("n8n-key", &["n8n_api_"], r"n8n_api_[A-Za-z0-9_.-]{30,}")
        .max(JWT)
        .takes(&["n8n_api_{h:80}"])
        .leaves(&["n8n_api_{x:40}", "n8n_api_version"]),
    token("imagekit-key", &["private_"], r"private_[A-Za-z0-9+/]{26,}={0,2}")
        .check(Check::Random)
        .takes(&["private_{B:27}="])
        .leaves(&["private_{a:6}_{a:9}_method_of_class", "private_{x:27}="]),
    led(
        "unleash-token",
        &["production.", "development.", "staging."],
        r"(?:production|development|staging)\.",
        r"[a-f0-9]{50,}",
    )
    .edge(Edge::Word)
    .after(&[":"])
    .check(Check::Anything)
    .takes(&["default:production.[[{h:56}]]"])
    .leaves(&["default:production.{h:7}", "production.{h:56}"]),
    token("flagsmith-key", &["ser."], r"ser\.[A-Za-z0-9]{22}(?-u:\b)")
        .check(Check::Random)
        .takes(&["ser.{A:22}"])
        .leaves(&["ser.{a:6}", "ser.{x:22}"]),
    token("checkly-key", &["cu_"], r"cu_[0-9a-f]{32}(?-u:\b)")
        .takes(&["cu_{h:32}"])
        .leaves(&["cu_{h:8}", "cu_{0:32}"]),
    token("newrelic-key", &["eu01xx"], r"eu01xx[0-9a-f]{28,36}NRAL")
        .takes(&["eu01xx{h:30}NRAL"])
        .leaves(&["eu01xx{h:8}"]),
    // A bearer token of an application: its number is small, so it starts with zeros.
    token(
        "twitter-token",
        &["AAAAAAAAAAAAAAAAAAAA"],
        r"A{20,22}[A-Za-z0-9%]{20,}%3D[A-Za-z0-9]{40,}",
    )
    .takes(&["AAAAAAAAAAAAAAAAAAAAA{A:10}%2B{A:40}%3D{A:44}"])
    .leaves(&["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]),
    token("coralogix-key", &["cxtp_", "cxup_"], r"cx[tu]p_[A-Za-z0-9]{26,}")
        .takes(&["cxtp_{A:30}"])
        .leaves(&["cxtp_{x:30}", "cxup_{A:6}"]),
    token("jumpcloud-key", &["jca_"], r"jca_[A-Za-z0-9]{32,}")
        .takes(&["jca_{A:36}"])
        .leaves(&["jca_{x:36}", "jca_{A:6}"]),
    token("retool-token", &["retool_"], r"retool_[a-z0-9]{24,}")
        .check(Check::Random)
        .takes(&["retool_{z:30}"])
        .leaves(&["retool_{x:30}", "retool_{z:6}"]),
    token("hcaptcha-secret", &["ES_"], r"ES_[0-9a-f]{32}(?-u:\b)")
        .takes(&["ES_{h:32}"])
        .leaves(&["ES_{h:8}", "ES_{0:32}"]),
    token("hex-token", &["hxtp_"], r"hxtp_[0-9a-f]{60,}")
        .takes(&["hxtp_{h:64}"])
        .leaves(&["hxtp_{0:64}", "hxtp_{h:6}"]),
    token("metabase-key", &["mb_"], r"mb_[A-Za-z0-9+/]{40,}={0,2}")
        .check(Check::Random)
        .takes(&["mb_{B:43}="])
        .leaves(&["mb_strtolower", "mb_{x:43}="]),
    token("miro-token", &["eyJtaXJv"], r"eyJtaXJv[A-Za-z0-9_-]{30,}")
        .takes(&["eyJtaXJv{w:60}"])
        .leaves(&["eyJtaXJv{A:8}"]),
];
