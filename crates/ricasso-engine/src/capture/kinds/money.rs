//! Payment and trade.

use super::super::check::Check;
use super::{Row, token};

pub(super) const ROWS: &[Row] = &[
    token(
        "stripe-key",
        &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_org_"],
        r"[sr]k_(?:live|test|org)_[A-Za-z0-9_]{14,}",
    ),
    token("stripe-webhook-secret", &["whsec_"], r"whsec_[A-Za-z0-9+/=]{24,}"),
    token(
        "square-token",
        &["EAAA", "EAAl", "sq0atp-", "sq0csp-", "sq0csb-"],
        r"(?:EAA[Al][A-Za-z0-9_-]{56,}|sq0(?:atp|cs[pb])-[A-Za-z0-9_-]{20,})",
    ),
    token(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_", "shpua_"],
        r"shp(?:at|ca|pa|ss|tka|ua)_[A-Za-z0-9]{30,}",
    ),
    token(
        "plaid-token",
        &["access-sandbox-", "access-development-", "access-production-"],
        r"access-(?:sandbox|development|production)-[0-9a-f-]{32,}",
    ),
    token(
        "braintree-token",
        &["access_token$"],
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{12,}\$[a-f0-9]{32}",
    ),
    token("flutterwave-key", &["FLWSECK"], r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?"),
    token("razorpay-key", &["rzp_live_", "rzp_test_"], r"rzp_(?:live|test)_[A-Za-z0-9]{14,}"),
    token("shippo-token", &["shippo_"], r"shippo_(?:live|test)_[A-Fa-f0-9]{32,}"),
    token("easypost-key", &["EZAK", "EZTK"], r"EZ[AT]K[A-Za-z0-9]{50,}"),
    token("duffel-token", &["duffel_"], r"duffel_(?:test|live)_[A-Za-z0-9_=-]{36,}"),
    token("lemonsqueezy-key", &["lmsq_"], r"lmsq_[A-Za-z0-9]{24,}"),
    token("paddle-key", &["pdl_"], r"pdl_(?:live_|sdbx_)?(?:apikey_)?[A-Za-z0-9_]{40,}"),
    token("polar-token", &["polar_oat_", "polar_pat_"], r"polar_[op]at_[A-Za-z0-9]{36,}"),
    token("mollie-key", &["test_"], r"test_[A-Za-z0-9]{30,}").check(Check::Random),
    token("klarna-key", &["klarna_"], r"klarna_(?:live|test)_api_[A-Za-z0-9+/=_-]{40,}"),
    // A part in base64, its signature, and a tail with any signs.
    token(
        "adyen-key",
        &["AQE"],
        r"AQE[A-Za-z0-9+/]{40,}={0,2}-[A-Za-z0-9+/]{20,}={0,2}-[^\s\x22']{8,}",
    ),
    token("checkout-key", &["sk_sbox_"], r"sk_sbox_[a-z0-9]{26,}"),
    token("checkout-key", &["sk_"], r"sk_[a-z0-9]{26,}").check(Check::Random),
    token("gocardless-token", &["sandbox_"], r"sandbox_[A-Za-z0-9_-]{36,}").check(Check::Random),
    token("ramp-key", &["ramp_"], r"ramp_(?:tok|sec)_[A-Za-z0-9]{30,}"),
    token("brex-token", &["bxt_"], r"bxt_[A-Za-z0-9]{36,}"),
    token("mercury-token", &["mercury_"], r"mercury_(?:production|sandbox)_[A-Za-z0-9_]{30,}"),
];
