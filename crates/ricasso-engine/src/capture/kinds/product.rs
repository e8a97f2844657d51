//! Watching, tracking, designing: the services that products are made with.

use super::super::check::Check;
use super::{JWT, Row, led, token};

pub(super) const ROWS: &[Row] = &[
    token(
        "grafana-token",
        &["glsa_", "glc_"],
        r"(?:glsa_[A-Za-z0-9]{28,}(?:_[A-Fa-f0-9]{8})?|glc_[A-Za-z0-9+/=_-]{32,})",
    ),
    token("grafana-token", &["eyJrIjoi"], r"eyJrIjoi[A-Za-z0-9+/_-]{50,}={0,2}"),
    token(
        "newrelic-key",
        &["NRAK-", "NRII-", "NRIQ-", "NRJS-", "NRRA-", "NRAA-", "NRSP-", "NRAL"],
        r"NR(?:(?:AK|II|IQ|JS|RA|AA|SP)-[A-Za-z0-9_-]{18,}|AL[A-Za-z0-9]{36,})",
    ),
    token("sentry-token", &["sntrys_", "sntryu_"], r"sntry[su]_[A-Za-z0-9+/=_-]{40,}").max(JWT),
    token(
        "dynatrace-token",
        &["dt0c01.", "dt0s01.", "dt0s16.", "dt0s02."],
        r"dt0[cs][0-9]{2}\.[A-Z0-9]{20,}\.[A-Z0-9]{56,}",
    ),
    token(
        "honeycomb-key",
        &["hcaik_", "hcamk_", "hcxik_", "hcalk_", "hcxlk_", "hcxmk_"],
        r"hc[ax][ilm]k_[A-Za-z0-9]{40,}",
    ),
    token("axiom-token", &["xaat-", "xapt-"], r"xa[ap]t-[0-9a-f-]{32,}"),
    token(
        "launchdarkly-key",
        &["sdk-", "mob-", "api-"],
        r"(?:sdk|mob|api)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    token("posthog-key", &["phx_", "phs_"], r"ph[xs]_[A-Za-z0-9]{36,}"),
    token(
        "linear-key",
        &["lin_api_", "lin_oauth_", "lin_wh_"],
        r"lin_(?:api|oauth|wh)_[A-Za-z0-9]{30,}",
    ),
    token("notion-token", &["ntn_"], r"ntn_[A-Za-z0-9]{40,}"),
    token("notion-token", &["secret_"], r"secret_[A-Za-z0-9]{40,}").check(Check::Random),
    token(
        "figma-token",
        &["figd_", "figo_", "figoh_", "figor_", "figdr_"],
        r"fig(?:d|o|oh|or|dr)_[A-Za-z0-9_-]{36,}",
    ),
    token("postman-key", &["PMAK-", "PMAT-"], r"PMA[KT]-[A-Za-z0-9-]{24,}"),
    token("airtable-token", &["pat"], r"pat[A-Za-z0-9]{14}\.[A-Fa-f0-9]{48,}"),
    token(
        "hubspot-token",
        &["pat-"],
        r"pat-[a-z]{2}[0-9]-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    token("salesforce-token", &["00D"], r"00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,}"),
    // A version, one or two numbers, and the secret.
    led(
        "asana-token",
        &["1/", "2/", "0/"],
        r"[012]/[0-9]{16,20}(?:/[0-9]{13,20})?:",
        r"[0-9a-f]{32}(?-u:\b)",
    )
    .in_run()
    .check(Check::Token),
    token("beamer-key", &["b_"], r"b_[A-Za-z0-9=_-]{44}").check(Check::Random),
    token("octopus-key", &["API-"], r"API-[A-Z0-9]{25,30}(?-u:\b)"),
    token("contentful-token", &["CFPAT-"], r"CFPAT-[A-Za-z0-9_-]{36,}"),
    token("readme-key", &["rdme_"], r"rdme_[A-Za-z0-9]{50,}"),
    token("typeform-token", &["tfp_"], r"tfp_[A-Za-z0-9_=.-]{40,}"),
    token("prefect-key", &["pnu_", "pnb_"], r"pn[ub]_[A-Za-z0-9]{34,}"),
    token("adafruit-key", &["aio_"], r"aio_[A-Za-z0-9]{28}(?-u:\b)").check(Check::Random),
    token("frameio-token", &["fio-u-"], r"fio-u-[A-Za-z0-9_=-]{40,}"),
    token(
        "mapbox-token",
        &["sk.eyJ", "tk.eyJ"],
        r"[st]k\.eyJ[A-Za-z0-9_-]{30,}\.[A-Za-z0-9_-]{16,}",
    ),
    led("okta-key", &["SSWS "], r"SSWS ", r"[A-Za-z0-9_-]{30,}").check(Check::Token),
    token("clickup-token", &["pk_"], r"pk_[0-9]{5,12}_[A-Z0-9]{32}(?-u:\b)"),
    token("sanity-token", &["skE", "skF"], r"sk[EF][A-Za-z0-9]{80,}"),
    token("wakatime-key", &["waka_"], r"waka_[0-9a-f-]{36,}"),
    token("raycast-token", &["rca_", "rct_"], r"rc[at]_[A-Za-z0-9]{32,}"),
    token("statsig-key", &["secret-", "console-"], r"(?:secret|console)-[A-Za-z0-9]{36,}")
        .check(Check::Random),
    token(
        "stytch-secret",
        &["secret-live-", "secret-test-"],
        r"secret-(?:live|test)-[A-Za-z0-9_=-]{30,}",
    ),
    token("trello-token", &["ATTA"], r"ATTA[A-Fa-f0-9]{60,}"),
    token("transifex-token", &["1/"], r"1/[0-9a-f]{40}(?-u:\b)"),
    token("pinterest-token", &["pina_"], r"pina_[A-Z0-9]{40,}"),
    token("tiktok-token", &["act."], r"act\.[A-Za-z0-9]{40,}![0-9]{1,6}\.[a-z0-9]{1,6}"),
    token("chromatic-token", &["chpt_"], r"chpt_[A-Za-z0-9]{13,}"),
    token("vantage-token", &["vntg_tkn_"], r"vntg_tkn_[A-Fa-f0-9]{32,}"),
    token("n8n-key", &["n8n_api_"], r"n8n_api_[A-Za-z0-9_.-]{30,}").max(JWT),
    token("imagekit-key", &["private_"], r"private_[A-Za-z0-9+/]{26,}={0,2}").check(Check::Random),
    led(
        "unleash-token",
        &["production.", "development.", "staging."],
        r"(?:production|development|staging)\.",
        r"[a-f0-9]{50,}",
    )
    .in_run()
    .after(&[":"])
    .check(Check::Anything),
    token("flagsmith-key", &["ser."], r"ser\.[A-Za-z0-9]{22}(?-u:\b)").check(Check::Random),
    token("checkly-key", &["cu_"], r"cu_[0-9a-f]{32}(?-u:\b)"),
    token("newrelic-key", &["eu01xx"], r"eu01xx[0-9a-f]{28,36}NRAL"),
    // A bearer token of an application: its number is small, so it starts with zeros.
    token(
        "twitter-token",
        &["AAAAAAAAAAAAAAAAAAAA"],
        r"A{20,22}[A-Za-z0-9%]{20,}%3D[A-Za-z0-9]{40,}",
    ),
    token("coralogix-key", &["cxtp_", "cxup_"], r"cx[tu]p_[A-Za-z0-9]{26,}"),
    token("jumpcloud-key", &["jca_"], r"jca_[A-Za-z0-9]{32,}"),
    token("retool-token", &["retool_"], r"retool_[a-z0-9]{24,}").check(Check::Random),
    token("hcaptcha-secret", &["ES_"], r"ES_[0-9a-f]{32}(?-u:\b)"),
    token("hex-token", &["hxtp_"], r"hxtp_[0-9a-f]{60,}"),
    token("metabase-key", &["mb_"], r"mb_[A-Za-z0-9+/]{40,}={0,2}").check(Check::Random),
    token("miro-token", &["eyJtaXJv"], r"eyJtaXJv[A-Za-z0-9_-]{30,}"),
];
