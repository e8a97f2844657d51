//! Payment and trade.

use super::{Row, token};
use crate::check::Check;

pub(super) const ROWS: &[Row] = &[
    token(
        "stripe-key",
        &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_org_"],
        r"[sr]k_(?:live|test|org)_[A-Za-z0-9_]{14,}",
    )
    .takes(&["sk_live_{A:24}", "sk_test_{A:24}", "sk_live_51{A:97}", "rk_live_{A:24}"])
    .leaves(&["sk_live_{x:24}", "sk_test_your_key_here", "sk_live_..."]),
    token("stripe-webhook-secret", &["whsec_"], r"whsec_[A-Za-z0-9+/=]{24,}")
        .takes(&["whsec_{A:32}"])
        .leaves(&["whsec_{x:32}", "whsec_..."]),
    token(
        "square-token",
        &["EAAA", "EAAl", "sq0atp-", "sq0csp-", "sq0csb-"],
        r"(?:EAA[Al][A-Za-z0-9_-]{56,}|sq0(?:atp|cs[pb])-[A-Za-z0-9_-]{20,})",
    )
    .takes(&["sq0atp-{w:22}", "sq0csp-{w:43}", "EAAA{w:60}"])
    .leaves(&["sq0atp-{x:22}", "sq0idp-{w:22}", "EAAA{A:12}"]),
    token(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_", "shpua_"],
        r"shp(?:at|ca|pa|ss|tka|ua)_[A-Za-z0-9]{30,}",
    )
    .takes(&["shpat_{h:32}", "shpss_{h:32}", "shpca_{h:32}"])
    .leaves(&["shpat_{x:32}", "shpua_{h:6}"]),
    token(
        "plaid-token",
        &["access-sandbox-", "access-development-", "access-production-"],
        r"access-(?:sandbox|development|production)-[0-9a-f-]{32,}",
    )
    .takes(&["access-sandbox-{u}"])
    .leaves(&["access-production-<id>", "access-sandbox-xxxxxxxx-xxxx-xxxx-xxxx-{x:12}"]),
    token(
        "braintree-token",
        &["access_token$"],
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{12,}\$[a-f0-9]{32}",
    )
    .takes(&["access_token$production${z:16}${h:32}"])
    .leaves(&["access_token$production$<id>$<secret>"]),
    token("flutterwave-key", &["FLWSECK"], r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?")
        .takes(&["FLWSECK-{h:32}-X", "FLWSECK_TEST-{h:12}"])
        .leaves(&["FLWSECK-{x:32}-X", "FLWPUBK-{h:32}-X"]),
    token("razorpay-key", &["rzp_live_", "rzp_test_"], r"rzp_(?:live|test)_[A-Za-z0-9]{14,}")
        .takes(&["rzp_live_{A:14}"])
        .leaves(&["rzp_test_your_key_here", "rzp_live_{x:14}"]),
    token("shippo-token", &["shippo_"], r"shippo_(?:live|test)_[A-Fa-f0-9]{32,}")
        .takes(&["shippo_live_{h:40}"])
        .leaves(&["shippo_test_<token>", "shippo_live_{0:40}"]),
    token("easypost-key", &["EZAK", "EZTK"], r"EZ[AT]K[A-Za-z0-9]{50,}")
        .takes(&["EZAK{A:54}"])
        .leaves(&["EZAK{A:8}", "EZTK{x:54}"]),
    token("duffel-token", &["duffel_"], r"duffel_(?:test|live)_[A-Za-z0-9_=-]{36,}")
        .takes(&["duffel_live_{w:43}"])
        .leaves(&["duffel_test_{x:43}", "duffel_live_<token>"]),
    token("lemonsqueezy-key", &["lmsq_"], r"lmsq_[A-Za-z0-9]{24,}")
        .takes(&["lmsq_{A:40}"])
        .leaves(&["lmsq_{A:6}", "lmsq_{x:32}"]),
    token("paddle-key", &["pdl_"], r"pdl_(?:live_|sdbx_)?(?:apikey_)?[A-Za-z0-9_]{40,}")
        .takes(&["pdl_live_apikey_{z:26}_{A:22}_{A:3}"])
        .leaves(&["pdl_live_apikey_<key>", "pdl_{a:6}"]),
    token("polar-token", &["polar_oat_", "polar_pat_"], r"polar_[op]at_[A-Za-z0-9]{36,}")
        .takes(&["polar_oat_{A:43}"])
        .leaves(&["polar_oat_{x:36}", "polar_pat_{A:6}"]),
    token("mollie-key", &["test_"], r"test_[A-Za-z0-9]{30,}")
        .check(Check::Random)
        .takes(&["test_{A:30}"])
        .leaves(&[
            "test_parse_token_with_password_and_secret_key",
            "test_{a:6}_{a:8}_{a:9}_returns_nothing",
        ]),
    token("klarna-key", &["klarna_"], r"klarna_(?:live|test)_api_[A-Za-z0-9+/=_-]{40,}")
        .takes(&["klarna_live_api_{B:90}"])
        .leaves(&["klarna_live_api_{x:52}", "klarna_test_api_key"]),
    // A part in base64, its signature, and a tail with any signs.
    token(
        "adyen-key",
        &["AQE"],
        r"AQE[A-Za-z0-9+/]{40,}={0,2}-[A-Za-z0-9+/]{20,}={0,2}-[^\s\x00\x22']{8,}",
    )
    .takes(&["AQE{B:90}=-{B:43}=-{A:16}"])
    .leaves(&["AQE{A:12}", "AQE{x:47}-{x:21}-xxxxxxxx"]),
    token("checkout-key", &["sk_sbox_"], r"sk_sbox_[a-z0-9]{26,}")
        .takes(&["sk_sbox_{z:27}"])
        .leaves(&["sk_sbox_{x:27}", "sk_sbox_{z:6}"]),
    token("checkout-key", &["sk_"], r"sk_[a-z0-9]{26,}")
        .check(Check::Random)
        .takes(&["sk_{z:28}"])
        .leaves(&["sk_{z:8}", "sk_{x:27}"]),
    token("gocardless-token", &["sandbox_"], r"sandbox_[A-Za-z0-9_-]{36,}")
        .check(Check::Random)
        .takes(&["sandbox_{w:40}"])
        .leaves(&["sandbox_{a:6}_{a:9}_environment_of_the_build", "sandbox_mode"]),
    token("ramp-key", &["ramp_"], r"ramp_(?:tok|sec)_[A-Za-z0-9]{30,}")
        .takes(&["ramp_sec_{A:48}"])
        .leaves(&["ramp_sec_{x:36}", "ramp_up_time"]),
    token("brex-token", &["bxt_"], r"bxt_[A-Za-z0-9]{36,}")
        .takes(&["bxt_{A:40}"])
        .leaves(&["bxt_{x:40}", "bxt_{A:6}"]),
    token("mercury-token", &["mercury_"], r"mercury_(?:production|sandbox)_[A-Za-z0-9_]{30,}")
        .takes(&["mercury_production_{A:40}"])
        .leaves(&["mercury_sandbox_your_key_here_{0:13}", "mercury_production_{A:6}"]),
];
