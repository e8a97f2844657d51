//! Clouds, hosting, databases and infrastructure.

use super::super::check::Check;
use super::{CREDENTIAL, Edge, JWT, Row, led, odd, token};

pub(super) const ROWS: &[Row] = &[
    // Long-term, temporary, bearer and context keys; the other four-letter prefixes name things.
    token(
        "aws-access-key-id",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?-u:\b)",
    ),
    led(
        "aws-secret-key",
        &["ecret_", "ECRET_", "ecretAccessKey"],
        concat!(
            r#"(?i)ecret_?access_?key(?:\\?["'])?(?:[ \t]{0,20}(?::=|=>|[=:|])|[ \t]{1,24})?"#,
            r#"[ \t]{0,8}(?:\\?["'])?"#,
        ),
        r"[A-Za-z0-9/+]{40,}",
    )
    .check(Check::Token),
    // As in the file that the console hands out: the identifier, a comma, the secret.
    led(
        "aws-secret-key",
        &["AKIA", "ASIA"],
        r#"A[KS]IA[A-Z0-9]{16}["']?[,:|;\t ][ \t]{0,4}(?:[0-9TZ:.+-]{10,32}[,|\t ])?["']?"#,
        r"[A-Za-z0-9/+]{40}(?-u:\b)",
    )
    .in_run()
    .check(Check::Random),
    led(
        "aws-session-token",
        &["oken", "OKEN"],
        r#"(?i)oken(?:\\?["'])?[ \t]{0,20}(?:=>|[=:>])[ \t]{0,8}(?:\\?["'])?"#,
        r"[A-Za-z0-9/+=]{80,}",
    )
    .after(&["ession_t", "essiont", "ecurity_t", "ecurityt"])
    .check(Check::Anything),
    token(
        "aws-bedrock-key",
        &["ABSK", "bedrock-api-key-"],
        r"(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/=]{60,}",
    ),
    token("aws-mws-token", &["amzn.mws."], r"amzn\.mws\.[0-9a-f-]{32,}"),
    token("google-key", &["AIza"], r"AIza[A-Za-z0-9_-]{33,}"),
    token(
        "google-oauth",
        &["ya29.", "GOCSPX-"],
        r"(?:ya29\.[A-Za-z0-9_.-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})",
    )
    .max(CREDENTIAL),
    token("google-refresh-token", &["1//0"], r"1//0[A-Za-z0-9_-]{36,}"),
    token("google-auth-code", &["4/0A"], r"4/0A[A-Za-z0-9_-]{40,}"),
    token("google-hmac-key", &["GOOG"], r"GOOG[A-Z0-9]{20,}(?-u:\b)").check(Check::Random),
    token("firebase-key", &["APA91b"], r"APA91b[A-Za-z0-9_-]{80,}"),
    led(
        "azure-key",
        &["tKey=", "sKey=", "tkey=", "skey=", "TKEY=", "SKEY="],
        r"(?i)[ts]key=",
        r"[A-Za-z0-9+/%]{20,}={0,2}",
    )
    .after(&["accoun", "sharedacces"])
    .check(Check::Token),
    // Whoever has a signed link has what it leads to, as long as it lasts.
    led("signature", &["ignature="], r"ignature=", r"[A-Za-z0-9%/+_~=-]{26,}")
        .after(&["amz-s", "goog-s", ", s", "&s", "?s"])
        .check(Check::Random),
    led("azure-signature", &["sig=", "sig%3D"], r"sig(?:=|%3D)", r"[A-Za-z0-9%/+_-]{36,}={0,2}")
        .check(Check::Random),
    odd("azure-client-secret", &["8Q~", "7Q~"], r"[78]Q~[A-Za-z0-9_~.-]{28,}"),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[opr]_v1_[A-Fa-f0-9]{40,}"),
    token("heroku-key", &["HRKU-"], r"HRKU-[A-Za-z0-9_-]{32,}"),
    token(
        "cloudflare-token",
        &["cfk_", "cfut_", "cfat_", "cfcs_"],
        r"cf(?:k|ut|at|cs)_[A-Za-z0-9_-]{36,}",
    ),
    token("cloudflare-ca-key", &["v1.0-"], r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}"),
    token(
        "fly-token",
        &["fo1_", "fm1r_", "fm1a_", "fm2_"],
        r"(?:fo1|fm1[ra]|fm2)_[A-Za-z0-9_+/=-]{36,}",
    )
    .max(CREDENTIAL),
    token("render-key", &["rnd_"], r"rnd_[A-Za-z0-9]{26,}"),
    token(
        "netlify-token",
        &["nfp_", "nfc_", "nfo_", "nfb_", "nfu_"],
        r"nf[pcobu]_[A-Za-z0-9]{34,}",
    ),
    token(
        "vercel-token",
        &["vcp_", "vci_", "vca_", "vcr_", "vck_", "vercel_blob_rw_"],
        r"(?:vc[piark]|vercel_blob_rw)_[A-Za-z0-9_]{24,}",
    )
    .check(Check::Random),
    token(
        "supabase-key",
        &["sbp_", "sb_secret_"],
        r"(?:sbp_(?:[a-z0-9]{1,8}_)?[A-Fa-f0-9]{36,}|sb_secret_[A-Za-z0-9_-]{20,})",
    ),
    token("planetscale-key", &["pscale_"], r"pscale_(?:tkn|pw|oauth|app)_[A-Za-z0-9_=.-]{28,}"),
    token("neon-key", &["napi_"], r"napi_[A-Za-z0-9]{40,}"),
    odd("neon-password", &["npg_"], r"npg_[A-Za-z0-9]{10,}").edge(Edge::Word).check(Check::Random),
    token("cockroach-key", &["CCDB1_"], r"CCDB1_[A-Za-z0-9]{16,}_[A-Za-z0-9]{32,}"),
    token("mongodb-key", &["mdb_sa_sk_"], r"mdb_sa_sk_[A-Za-z0-9_-]{32,}"),
    token(
        "databricks-token",
        &["dapi", "dkea", "dose"],
        r"d(?:api|kea|ose)[a-f0-9]{32}(?:-[0-9]{1,2})?(?-u:\b)",
    ),
    token("confluent-key", &["cflt"], r"cflt[A-Za-z0-9+/]{50,}"),
    odd("terraform-token", &[".atlasv1."], r"\.atlasv1\.[A-Za-z0-9_=-]{40,}"),
    token("vault-token", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    token(
        "doppler-token",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{36,}",
    ),
    token("onepassword-token", &["ops_eyJ"], r"ops_eyJ[A-Za-z0-9_=+/-]{80,}").max(JWT),
    token(
        "tailscale-key",
        &["tskey-"],
        r"tskey-(?:[a-z]+-)?[A-Za-z0-9]{6,}(?:CNTRL)?-?[A-Za-z0-9-]{12,}",
    ),
    token("deno-token", &["ddp_", "ddo_", "ddw_"], r"dd[pow]_[A-Za-z0-9]{36,}"),
    token("defined-key", &["dnkey-"], r"dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
    token("scalingo-token", &["tk-us-"], r"tk-us-[A-Za-z0-9_-]{48}"),
    token("ngrok-token", &["1", "2", "3"], r"[123][A-Za-z0-9]{26}_[A-Za-z0-9]{20,21}(?-u:\b)")
        .check(Check::Random),
    token("ngrok-key", &["ak_2", "cr_2"], r"(?:ak|cr)_2[A-Za-z0-9]{25,}"),
    token("scaleway-key", &["SCW"], r"SCW[A-Z0-9]{17}(?-u:\b)").check(Check::Random),
    token("alibaba-key", &["LTAI"], r"LTAI[A-Za-z0-9]{16,24}(?-u:\b)"),
    token("tencent-key", &["AKID"], r"AKID[A-Za-z0-9]{32}(?-u:\b)"),
    token("yandex-key", &["AQVN", "y0_A"], r"(?:AQVN[A-Za-z0-9_-]{34,}|y0_A[A-Za-z0-9_-]{40,})"),
    token("openshift-token", &["sha256~"], r"sha256~[A-Za-z0-9_-]{40,}").everywhere(),
    led("kubernetes-bootstrap", &["oken "], r"oken ", r"[a-z0-9]{6}\.[a-z0-9]{16}(?-u:\b)")
        .after(&["--t"])
        .check(Check::Anything),
    led("rancher-token", &["oken-"], r"oken-[a-z0-9]{5}:", r"[a-z0-9]{40,}").after(&["t"]),
    led("rancher-token", &["kubeconfig-"], r"kubeconfig-[a-z0-9.-]{7,48}:", r"[a-z0-9]{40,}")
        .in_run()
        .check(Check::Token),
    token("swarm-token", &["SWMTKN-1-"], r"SWMTKN-1-[a-z0-9]{40,}-[a-z0-9]{20,}"),
    token("k3s-token", &["K10"], r"K10[0-9a-f]{48,}::[a-z0-9:.-]{1,40}:[A-Za-z0-9.]{16,}"),
    token("akamai-token", &["akab-"], r"akab-[a-z0-9]{16}-[a-z0-9]{16}"),
    token("aiven-password", &["AVNS_"], r"AVNS_[A-Za-z0-9_-]{14,}"),
    token("elastic-key", &["essu_"], r"essu_[A-Za-z0-9+/=_-]{40,}"),
    token("tinybird-token", &["p.eyJ"], r"p\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"),
    token("materialize-key", &["mzp_"], r"mzp_[a-f0-9]{60,}"),
    token("xata-key", &["xau_"], r"xau_[A-Za-z0-9]{30,}"),
    token(
        "bitwarden-token",
        &["0."],
        r"0\.[0-9a-f]{8}-[0-9a-f-]{27}\.[A-Za-z0-9]{20,}:[A-Za-z0-9+/=]{20,}",
    ),
    token("infisical-token", &["st."], r"st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}"),
    token("portainer-key", &["ptr_"], r"ptr_[A-Za-z0-9+/=]{40,}"),
    token("yandex-token", &["t1."], r"t1\.[A-Za-z0-9_-]{60,}={0,2}\.[A-Za-z0-9_-]{80,}={0,2}"),
    token("spaces-key", &["DO00", "DO80"], r"DO(?:00|801)[A-Z0-9]{15,17}(?-u:\b)")
        .check(Check::Random),
    token("backblaze-key", &["K00"], r"K00[0-9][A-Za-z0-9+/]{27}(?-u:\b)").check(Check::Random),
    token("exoscale-key", &["EXO"], r"EXO[0-9a-f]{24,}"),
    token("upcloud-token", &["ucat_"], r"ucat_[A-Z0-9]{20,}"),
    token("boundary-token", &["at_"], r"at_[A-Za-z0-9]{10}_[A-Za-z0-9]{60,}"),
    token("appwrite-key", &["standard_"], r"standard_[0-9a-f]{200,}"),
    token("netbird-token", &["nbp_"], r"nbp_[A-Za-z0-9]{34,}"),
    token("cloudflare-tunnel", &["eyJhIjoi"], r"eyJhIjoi[A-Za-z0-9+/_-]{80,}={0,2}"),
];
