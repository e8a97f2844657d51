//! Clouds, hosting, databases and infrastructure.

use super::{CREDENTIAL, Edge, JWT, Row, led, odd, token};
use crate::check::Check;

pub(super) const ROWS: &[Row] = &[
    // Long-term, temporary, bearer and context keys; the other four-letter prefixes name things.
    token(
        "aws-access-key-id",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?-u:\b)",
    )
    .takes(&["AKIA{Z:16}", "ASIA{Z:16}", "ABIA{Z:16}"])
    .leaves(&["AKIA{X:16}", "AKIA{Z:8}", "AIDA{Z:16}"]),
    led(
        "aws-secret-key",
        &["ecret_", "ECRET_", "ecretAccessKey"],
        concat!(
            r#"(?i)ecret_?access_?key(?:\\?["'])?(?:[ \t]{0,20}(?::=|=>|[=:|])|[ \t]{1,24})?"#,
            r#"[ \t]{0,8}(?:\\?["'])?"#,
        ),
        r"[A-Za-z0-9/+]{40,}",
    )
    .check(Check::Token)
    .takes(&[
        "AWS_SECRET_ACCESS_KEY=[[{B:40}]]",
        "aws_secret_access_key = [[{B:40}]]",
        r#""SecretAccessKey": "[[{B:40}]]""#,
        "secretAccessKey: '[[{B:40}]]'",
        "|  SecretAccessKey |  [[{B:40}]]  |",
    ])
    .leaves(&[
        "aws_secret_access_key = ${AWS_SECRET_ACCESS_KEY}",
        r#""SecretAccessKey": "********""#,
    ]),
    // As in the file that the console hands out: the identifier, a comma, the secret.
    led(
        "aws-secret-key",
        &["AKIA", "ASIA"],
        r#"A[KS]IA[A-Z0-9]{16}["']?[,:|;\t ][ \t]{0,4}(?:[0-9TZ:.+-]{10,32}[,|\t ])?["']?"#,
        r"[A-Za-z0-9/+]{40}(?-u:\b)",
    )
    .edge(Edge::Word)
    .check(Check::Random)
    .takes(&[r"ACCESSKEY\tAKIA{Z:16}\t2026-01-01T00:00:00Z\t[[{B:39}{A:1}]]\tActive"])
    .leaves(&["AKIA{X:16},{x:40}"]),
    led(
        "aws-session-token",
        &["oken", "OKEN"],
        r#"(?i)oken(?:\\?["'])?[ \t]{0,20}(?:=>|[=:>])[ \t]{0,8}(?:\\?["'])?"#,
        r"[A-Za-z0-9/+=]{80,}",
    )
    .after(&["ession_t", "essiont", "ecurity_t", "ecurityt"])
    .check(Check::Anything)
    .takes(&[
        "AWS_SESSION_TOKEN=[[IQoJb3JpZ2luX2Vj{B:300}]]",
        r#""SessionToken": "[[FwoGZXIvYXdzE{B:320}=]]""#,
    ])
    .leaves(&[r#""SessionToken": "...""#, "aws_session_token = ${AWS_SESSION_TOKEN}"]),
    token(
        "aws-bedrock-key",
        &["ABSK", "bedrock-api-key-"],
        r"(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/=]{60,}",
    )
    .takes(&["ABSK{B:120}"])
    .leaves(&["bedrock-api-key-${SUFFIX}", "ABSK{A:8}"]),
    token("aws-mws-token", &["amzn.mws."], r"amzn\.mws\.[0-9a-f-]{32,}")
        .takes(&["amzn.mws.{u}"])
        .leaves(&["amzn.mws.<uuid>", "amzn.mws.endpoint"]),
    token("google-key", &["AIza"], r"AIza[A-Za-z0-9_-]{33,}")
        .takes(&["AIza{w:35}"])
        .leaves(&["AIzaSy...", "AIza{x:35}"]),
    token(
        "google-oauth",
        &["ya29.", "GOCSPX-"],
        r"(?:ya29\.[A-Za-z0-9_.-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})",
    )
    .max(CREDENTIAL)
    .takes(&["ya29.{w:120}", "GOCSPX-{w:28}"])
    .leaves(&["ya29.{x:32}", "GOCSPX-your-client-secret"]),
    token("google-refresh-token", &["1//0"], r"1//0[A-Za-z0-9_-]{36,}")
        .takes(&["1//0{w:60}"])
        .leaves(&["1//0{x:44}", "1//0.5"]),
    token("google-auth-code", &["4/0A"], r"4/0A[A-Za-z0-9_-]{40,}")
        .takes(&["4/0A{w:70}"])
        .leaves(&["4/0A...", "4/0AX"]),
    token("google-hmac-key", &["GOOG"], r"GOOG[A-Z0-9]{20,}(?-u:\b)")
        .check(Check::Random)
        .takes(&["GOOG1E{Z:57}"])
        .leaves(&["GOOG_APPLICATION_DEFAULT", "GOOG1E{X:24}"]),
    token("firebase-key", &["APA91b"], r"APA91b[A-Za-z0-9_-]{80,}")
        .takes(&["AAAA{w:7}:[[APA91b{w:134}]]"])
        .leaves(&["APA91b...", "APA91b{x:86}"]),
    led(
        "azure-key",
        &["tKey=", "sKey=", "tkey=", "skey=", "TKEY=", "SKEY="],
        r"(?i)[ts]key=",
        r"[A-Za-z0-9+/%]{20,}={0,2}",
    )
    .after(&["accoun", "sharedacces"])
    .check(Check::Token)
    .takes(&[
        concat!(
            "DefaultEndpointsProtocol=https;AccountName=store1;AccountKey=[[{B:86}==]];Endpoi",
            "ntSuffix=core.windows.net"
        ),
        concat!(
            "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey",
            "=[[{B:43}=]]"
        ),
    ])
    .leaves(&["AccountName=store1;AccountKey=<key>;", "SharedAccessKey=${KEY}"]),
    // Whoever has a signed link has what it leads to, as long as it lasts.
    led("signature", &["ignature="], r"ignature=", r"[A-Za-z0-9%/+_~=-]{26,}")
        .after(&["amz-s", "goog-s", ", s", "&s", "?s"])
        .check(Check::Random)
        .takes(&[
            "https://b.s3.amazonaws.com/k?X-Amz-Expires=3600&X-Amz-Signature=[[{h:64}]]",
            "https://storage.googleapis.com/b/o?X-Goog-Expires=900&X-Goog-Signature=[[{h:256}]]",
        ])
        .leaves(&["X-Amz-Signature=<signature>", "signature=sha256"]),
    led("azure-signature", &["sig=", "sig%3D"], r"sig(?:=|%3D)", r"[A-Za-z0-9%/+_-]{36,}={0,2}")
        .check(Check::Random)
        .takes(&[concat!(
            "https://store1.blob.core.windows.net/c?sv=2022-11-02&se=2027-01-01&sr=c&sp=r&sig",
            "=[[{A:40}%2B{A:4}%3D]]"
        )])
        .leaves(&["?sv=2022-11-02&sig=<signature>", "sig=RSA-SHA256"]),
    odd("azure-client-secret", &["8Q~", "7Q~"], r"[78]Q~[A-Za-z0-9_~.-]{28,}")
        .takes(&["{A:3}[[8Q~{w:34}]]"])
        .leaves(&["8Q~short", "7Q~<secret>"]),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[opr]_v1_[A-Fa-f0-9]{40,}")
        .takes(&["dop_v1_{h:64}", "doo_v1_{h:64}"])
        .leaves(&["dop_v1_{x:64}", "dop_v1_{0:40}"]),
    token("heroku-key", &["HRKU-"], r"HRKU-[A-Za-z0-9_-]{32,}")
        .takes(&["HRKU-{u}", "HRKU-AA{w:58}"])
        .leaves(&["HRKU-xxxxxxxx-xxxx-xxxx-xxxx-{x:12}"]),
    token(
        "cloudflare-token",
        &["cfk_", "cfut_", "cfat_", "cfcs_"],
        r"cf(?:k|ut|at|cs)_[A-Za-z0-9_-]{36,}",
    )
    .takes(&["cfut_{A:48}", "cfk_{A:48}"])
    .leaves(&["cfut_{x:48}", "cfk_{A:6}"]),
    token("cloudflare-ca-key", &["v1.0-"], r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}")
        .takes(&["v1.0-{h:24}-{h:146}"])
        .leaves(&["v1.0-{h:7}", "v1.0-rc1"]),
    token(
        "fly-token",
        &["fo1_", "fm1r_", "fm1a_", "fm2_"],
        r"(?:fo1|fm1[ra]|fm2)_[A-Za-z0-9_+/=-]{36,}",
    )
    .max(CREDENTIAL)
    .takes(&["fo1_{w:43}", "fm2_{B:100}"])
    .leaves(&["fo1_{x:43}", "FlyV1 fm2_..."]),
    token("render-key", &["rnd_"], r"rnd_[A-Za-z0-9]{26,}")
        .takes(&["rnd_{A:32}"])
        .leaves(&["rnd_{x:32}", "rnd_seed"]),
    token(
        "netlify-token",
        &["nfp_", "nfc_", "nfo_", "nfb_", "nfu_"],
        r"nf[pcobu]_[A-Za-z0-9]{34,}",
    )
    .takes(&["nfp_{A:36}"])
    .leaves(&["nfp_{x:36}", "nfc_reader_mode"]),
    token(
        "vercel-token",
        &["vcp_", "vci_", "vca_", "vcr_", "vck_", "vercel_blob_rw_"],
        r"(?:vc[piark]|vercel_blob_rw)_[A-Za-z0-9_]{24,}",
    )
    .check(Check::Random)
    .takes(&["vcp_{A:56}", "vercel_blob_rw_{A:16}_{A:32}"])
    .leaves(&["vcp_{A:6}", "vercel_blob_rw_{x:28}", "vci_bridge_controller_reset_all"]),
    token(
        "supabase-key",
        &["sbp_", "sb_secret_"],
        r"(?:sbp_(?:[a-z0-9]{1,8}_)?[A-Fa-f0-9]{36,}|sb_secret_[A-Za-z0-9_-]{20,})",
    )
    .takes(&["sbp_{h:40}", "sb_secret_{w:31}", "sbp_v0_{h:40}"])
    .leaves(&["sbp_{x:40}", "sb_secret_your_key_here_0000000", "sb_publishable_{w:31}"]),
    token("planetscale-key", &["pscale_"], r"pscale_(?:tkn|pw|oauth|app)_[A-Za-z0-9_=.-]{28,}")
        .takes(&["pscale_tkn_{w:43}", "pscale_pw_{w:43}"])
        .leaves(&["pscale_pw_{x:43}", "pscale_api_url"]),
    token("neon-key", &["napi_"], r"napi_[A-Za-z0-9]{40,}").takes(&["napi_{z:64}"]).leaves(&[
        "napi_{A:8}",
        "napi_create_function",
        "napi_{x:48}",
    ]),
    token("neon-password", &["npg_"], r"npg_[A-Za-z0-9]{10,}")
        .run(14)
        .takes(&["psql -h ep-cool.example.neon.tech -W [[npg_{A:12}]]"])
        .leaves(&["npg_{x:12}", "npg_catalog_table"]),
    token("cockroach-key", &["CCDB1_"], r"CCDB1_[A-Za-z0-9]{16,}_[A-Za-z0-9]{32,}")
        .takes(&["CCDB1_{A:22}_{A:40}"])
        .leaves(&["CCDB1_{x:22}_{x:40}"]),
    token("mongodb-key", &["mdb_sa_sk_"], r"mdb_sa_sk_[A-Za-z0-9_-]{32,}")
        .takes(&["mdb_sa_sk_{w:40}"])
        .leaves(&["mdb_sa_sk_{x:40}", "mdb_sa_id_{h:24}"]),
    token(
        "databricks-token",
        &["dapi", "dkea", "dose"],
        r"d(?:api|kea|ose)[a-f0-9]{32}(?:-[0-9]{1,2})?(?-u:\b)",
    )
    .takes(&["dapi{h:32}", "dapi{h:32}-2"])
    .leaves(&["dapi{0:32}", "dapi{h:8}", "dose{a:12}"]),
    token("confluent-key", &["cflt"], r"cflt[A-Za-z0-9+/]{50,}")
        .takes(&["cflt{B:60}"])
        .leaves(&["cflt{A:8}", "cflt{x:60}"]),
    odd("terraform-token", &[".atlasv1."], r"\.atlasv1\.[A-Za-z0-9_=-]{40,}")
        .takes(&["{A:14}[[.atlasv1.{w:67}]]"])
        .leaves(&[".atlasv1.{x:56}"]),
    token("vault-token", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[A-Za-z0-9_-]{20,}")
        .takes(&["hvs.{w:24}", "hvs.CAESI{w:90}", "hvb.{w:130}"])
        .leaves(&["hvs.{x:24}", "hvs.{A:6}"]),
    token(
        "doppler-token",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{36,}",
    )
    .takes(&["dp.pt.{A:43}", "dp.st.dev.{A:43}"])
    .leaves(&["dp.st.dev.{x:40}", "dp.pt.{A:6}"]),
    token("onepassword-token", &["ops_eyJ"], r"ops_eyJ[A-Za-z0-9_=+/-]{80,}")
        .max(JWT)
        .takes(&["ops_eyJ{w:250}"])
        .leaves(&["ops_eyJ...", "ops_eyJ{x:86}"]),
    // The secret key of an account: a version and six groups, or the newer five.
    token(
        "onepassword-key",
        &["A3-"],
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}(?-u:\b)",
    )
    .takes(&["A3-{Z:6}-{Z:11}-{Z:5}-{Z:5}-{Z:5}", "A3-{Z:6}-{Z:6}-{Z:5}-{Z:5}-{Z:5}-{Z:5}"])
    .leaves(&["A3-{Z:6}-{Z:6}", "A3-XXXXXX-XXXXXX-XXXXX-XXXXX-XXXXX-XXXXX"]),
    token(
        "tailscale-key",
        &["tskey-"],
        r"tskey-(?:[a-z]+-)?[A-Za-z0-9]{6,}(?:CNTRL)?-?[A-Za-z0-9-]{12,}",
    )
    .takes(&["tskey-auth-{A:12}CNTRL-{A:32}", "tskey-api-{A:12}CNTRL-{A:32}"])
    .leaves(&["tskey-auth-{x:12}CNTRL-{x:32}", "tskey-auth-..."]),
    token("deno-token", &["ddp_", "ddo_", "ddw_"], r"dd[pow]_[A-Za-z0-9]{36,}")
        .takes(&["ddp_{A:36}"])
        .leaves(&["ddp_{x:36}", "ddp_{A:6}"]),
    token("defined-key", &["dnkey-"], r"dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}")
        .takes(&["dnkey-{z:26}-{z:52}"])
        .leaves(&["dnkey-<id>-<secret>", "dnkey-{a:8}"]),
    token("scalingo-token", &["tk-us-"], r"tk-us-[A-Za-z0-9_-]{48}")
        .takes(&["tk-us-{w:48}"])
        .leaves(&["tk-us-east-1", "tk-us-{A:12}"]),
    token("ngrok-token", &["1", "2", "3"], r"[123][A-Za-z0-9]{26}_[A-Za-z0-9]{20,21}(?-u:\b)")
        .check(Check::Random)
        .takes(&["2{A:26}_{A:20}"])
        .leaves(&["1{D:12}_{D:6}", "2{A:10}_{A:10}"]),
    token("ngrok-key", &["ak_2", "cr_2"], r"(?:ak|cr)_2[A-Za-z0-9]{25,}")
        .takes(&["ak_2{A:26}", "cr_2{A:26}"])
        .leaves(&["ak_2{A:6}", "cr_2024_annual_report"]),
    token("scaleway-key", &["SCW"], r"SCW[A-Z0-9]{17}(?-u:\b)")
        .takes(&["SCW{Z:17}"])
        .leaves(&["SCW{X:17}", "SCW_ACCESS_KEY=<your key>"]),
    token("alibaba-key", &["LTAI"], r"LTAI[A-Za-z0-9]{16,24}(?-u:\b)")
        .takes(&["LTAI{A:20}"])
        .leaves(&["LTAI{X:16}", "LTAI{A:6}"]),
    token("tencent-key", &["AKID"], r"AKID[A-Za-z0-9]{32}(?-u:\b)")
        .takes(&["AKID{A:32}"])
        .leaves(&["AKID{A:8}", "AKID{x:32}"]),
    token("yandex-key", &["AQVN", "y0_A"], r"(?:AQVN[A-Za-z0-9_-]{34,}|y0_A[A-Za-z0-9_-]{40,})")
        .takes(&["AQVN{w:35}"])
        .leaves(&["AQVN{x:39}", "y0_AgAAA..."]),
    token("openshift-token", &["sha256~"], r"sha256~[A-Za-z0-9_-]{40,}")
        .run(0)
        .takes(&["sha256~{w:43}"])
        .leaves(&["sha256~{x:43}", "sha256~{A:8}"]),
    led("kubernetes-bootstrap", &["oken "], r"oken ", r"[a-z0-9]{6}\.[a-z0-9]{16}(?-u:\b)")
        .after(&["--t"])
        .check(Check::Anything)
        .takes(&[
            "kubeadm join 10.0.0.1:6443 --token [[{z:6}.{z:16}]] --discovery-token-ca-cert-hash x",
        ])
        .leaves(&["--token <token>", "kubeadm join --token abcdef.0123 --config x"]),
    led("rancher-token", &["oken-"], r"oken-[a-z0-9]{5}:", r"[a-z0-9]{40,}")
        .after(&["t"])
        .takes(&["token-{z:5}:[[{z:54}]]"])
        .leaves(&["token-{z:5}: not found", "token-abcde:{x:54}"]),
    led("rancher-token", &["kubeconfig-"], r"kubeconfig-[a-z0-9.-]{7,48}:", r"[a-z0-9]{40,}")
        .edge(Edge::Word)
        .check(Check::Token)
        .takes(&["kubeconfig-user-{z:5}:[[{z:54}]]"])
        .leaves(&["kubeconfig-user-abcde:{x:54}", "kubeconfig-{a:6}.yaml"]),
    token("swarm-token", &["SWMTKN-1-"], r"SWMTKN-1-[a-z0-9]{40,}-[a-z0-9]{20,}")
        .takes(&["SWMTKN-1-{z:50}-{z:25}"])
        .leaves(&["SWMTKN-1-...", "docker swarm join --token SWMTKN-1-<token>"]),
    token("k3s-token", &["K10"], r"K10[0-9a-f]{48,}::[a-z0-9:.-]{1,40}:[A-Za-z0-9.]{16,}")
        .takes(&["K10{h:64}::server:{h:32}"])
        .leaves(&["K10<ca>::server:<token>", "K10{h:8}"]),
    token("akamai-token", &["akab-"], r"akab-[a-z0-9]{16}-[a-z0-9]{16}")
        .takes(&["akab-{z:16}-{z:16}"])
        .leaves(&["akab-{a:6}", "akab-{x:16}-{x:16}"]),
    token("aiven-password", &["AVNS_"], r"AVNS_[A-Za-z0-9_-]{14,}")
        .takes(&["AVNS_{w:19}"])
        .leaves(&["AVNS_{x:19}", "AVNS_{A:6}"]),
    token("elastic-key", &["essu_"], r"essu_[A-Za-z0-9+/=_-]{40,}")
        .takes(&["essu_{B:100}"])
        .leaves(&["essu_{x:44}"]),
    token("tinybird-token", &["p.eyJ"], r"p\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}")
        .takes(&["p.eyJ{w:70}.{w:43}"])
        .leaves(&["p.eyJ{A:8}", "p.eyJ{x:28}.{x:24}"]),
    token("materialize-key", &["mzp_"], r"mzp_[a-f0-9]{60,}")
        .takes(&["mzp_{h:64}"])
        .leaves(&["mzp_{0:64}"]),
    token("xata-key", &["xau_"], r"xau_[A-Za-z0-9]{30,}")
        .takes(&["xau_{A:32}"])
        .leaves(&["xau_{x:32}", "xau_{A:6}"]),
    token(
        "bitwarden-token",
        &["0."],
        r"0\.[0-9a-f]{8}-[0-9a-f-]{27}\.[A-Za-z0-9]{20,}:[A-Za-z0-9+/=]{20,}",
    )
    .takes(&["0.{u}.{A:30}:{B:22}=="])
    .leaves(&["0.{u}", "0.{D:8}"]),
    token("infisical-token", &["st."], r"st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}")
        .takes(&["st.{h:24}.{h:32}.{h:32}"])
        .leaves(&["st.{h:24}", "st.markdown"]),
    token("portainer-key", &["ptr_"], r"ptr_[A-Za-z0-9+/=]{40,}")
        .takes(&["ptr_{B:43}="])
        .leaves(&["ptr_{x:44}", "ptr_to_member_function"]),
    token("yandex-token", &["t1."], r"t1\.[A-Za-z0-9_-]{60,}={0,2}\.[A-Za-z0-9_-]{80,}={0,2}")
        .takes(&["t1.{w:100}.{w:86}"])
        .leaves(&["t1.{x:64}.x", "t1.micro"]),
    token("spaces-key", &["DO00", "DO80"], r"DO(?:00|801)[A-Z0-9]{15,17}(?-u:\b)")
        .check(Check::Random)
        .takes(&["DO00{Z:16}"])
        .leaves(&["DO00{X:16}", "DO00{D:4}"]),
    token("backblaze-key", &["K00"], r"K00[0-9][A-Za-z0-9+/]{27}(?-u:\b)")
        .check(Check::Random)
        .takes(&["K00{D:1}{A:27}"])
        .leaves(&["K00{D:4}", "K001{x:27}"]),
    token("exoscale-key", &["EXO"], r"EXO[0-9a-f]{24,}")
        .takes(&["EXO{h:24}"])
        .leaves(&["EXO{h:8}", "EXO{0:24}"]),
    token("upcloud-token", &["ucat_"], r"ucat_[A-Z0-9]{20,}")
        .takes(&["ucat_{Z:26}"])
        .leaves(&["ucat_{X:26}", "ucat_{U:6}"]),
    token("boundary-token", &["at_"], r"at_[A-Za-z0-9]{10}_[A-Za-z0-9]{60,}")
        .takes(&["at_{A:10}_{A:80}"])
        .leaves(&["at_{A:10}_{A:10}", "at_least_one_of_the_parts"]),
    token("appwrite-key", &["standard_"], r"standard_[0-9a-f]{200,}")
        .takes(&["standard_{h:256}"])
        .leaves(&["standard_{h:64}", "standard_deviation"]),
    token("netbird-token", &["nbp_"], r"nbp_[A-Za-z0-9]{34,}")
        .takes(&["nbp_{A:36}"])
        .leaves(&["nbp_{x:36}", "nbp_{A:6}"]),
    token("cloudflare-tunnel", &["eyJhIjoi"], r"eyJhIjoi[A-Za-z0-9+/_-]{80,}={0,2}")
        .takes(&["eyJhIjoi{A:180}"])
        .leaves(&["eyJhIjoi{A:8}", "eyJhIjoi..."]),
];
