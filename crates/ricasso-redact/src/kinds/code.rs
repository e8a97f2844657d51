//! Code hosting, builds and package registries.

use super::{Row, odd, token};
use crate::check::Check;

pub(super) const ROWS: &[Row] = &[
    // Prefix, 30 characters, 6 of checksum; newer ones of apps hold a JWT.
    token(
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"gh[pousr]_[A-Za-z0-9_]{36,}(?:\.[A-Za-z0-9_-]+){0,2}",
    )
    .max(super::JWT)
    .takes(&["ghp_{A:36}", "gho_{A:36}", "ghu_{A:36}", "ghs_{A:36}", "ghr_{A:76}"])
    .leaves(&["ghp_{x:36}", "ghp_{A:9}", "ghs_installation_token"]),
    token("github-token", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{36,}")
        .takes(&["github_pat_{A:22}_{A:59}"])
        .leaves(&["github_pat_your_token_here", "github_pat_{A:8}"]),
    token(
        "gitlab-token",
        &[
            "glpat-", "glrt-", "glrtr-", "gldt-", "glptt-", "glcbt-", "glimt-", "glagent-",
            "gloas-", "glft-", "glsoat-", "glffct-", "glwt-",
        ],
        r"gl(?:pat|rtr?|dt|ptt|cbt|imt|agent|oas|ft|soat|ffct|wt)-[A-Za-z0-9_=.-]{18,}",
    )
    .takes(&[
        "glpat-{w:20}",
        "glptt-{h:40}",
        "gldt-{w:20}",
        "glrt-{w:20}",
        "glcbt-{h:2}_{w:20}",
        "glagent-{w:50}",
        "glpat-{w:27}.01.{z:9}",
        "glrt-t1_{w:20}",
        "glpat-{w:44}.01.12{z:7}",
    ])
    .leaves(&["glpat-your-access-token-here", "glrt-{A:6}"]),
    token("gitlab-token", &["GR1348941"], r"GR1348941[A-Za-z0-9_-]{18,}")
        .takes(&["GR1348941{w:20}"])
        .leaves(&["GR1348941 starts a registration token"]),
    token("bitbucket-token", &["ATBB", "ATCTT3x"], r"AT(?:BB|CTT3x)[A-Za-z0-9_=.-]{24,}")
        .takes(&["ATBB{A:32}", "ATCTT3xFfGN0{w:170}"])
        .leaves(&["ATBB{x:32}", "ATBB{A:6}"]),
    token("atlassian-token", &["ATATT3x"], r"ATATT3x[A-Za-z0-9_=.-]{40,}")
        .takes(&["ATATT3xFfGF0{w:180}={H:8}"])
        .leaves(&["ATATT3{x:47}"]),
    token(
        "sourcegraph-token",
        &["sgp_", "sgd_", "slk_"],
        r"(?:sg[pd]|slk)_(?:local_)?[A-Za-z0-9_]{32,}",
    )
    .takes(&["sgp_{h:40}", "sgp_local_{h:40}", "sgp_{h:16}_{h:40}"])
    .leaves(&["sgp_{x:40}", "sgd_download_and_verify"]),
    token(
        "circleci-token",
        &["CCIPAT_", "CCIPRJ_"],
        r"CCIP(?:AT|RJ)_[A-Za-z0-9]{16,}_[A-Fa-f0-9]{32,}",
    )
    .takes(&["CCIPAT_{5:22}_{h:40}"])
    .leaves(&["CCIPAT_your_token_here", "CCIPAT_<id>_<secret>"]),
    token(
        "buildkite-token",
        &["bkua_", "bkpat_", "bkaj_", "bkct_", "bkat_"],
        r"bk(?:ua|pat|aj|ct|at)_[A-Za-z0-9_-]{32,}",
    )
    .takes(&["bkua_{z:40}"])
    .leaves(&["bkua_{x:40}"]),
    token("sonar-token", &["sqp_", "squ_", "sqa_", "sqb_"], r"sq[puab]_[A-Za-z0-9]{32,}")
        .takes(&["sqp_{h:40}", "squ_{h:40}"])
        .leaves(&["sqp_<project-token>", "squ_{h:8}"]),
    token(
        "jfrog-key",
        &["AKCp", "cmVmdGtuO"],
        r"(?:AKCp[A-Za-z0-9]{60,}|cmVmdGtuO[A-Za-z0-9]{40,})",
    )
    .takes(&["AKCp{A:69}", "cmVmdGtuO{A:54}"])
    .leaves(&["AKCp8 and a reference token", "AKCp{A:20}"]),
    token("docker-token", &["dckr_pat_", "dckr_oat_"], r"dckr_[po]at_[A-Za-z0-9_-]{24,}")
        .takes(&["dckr_pat_{w:27}", "dckr_oat_{w:32}"])
        .leaves(&["dckr_pat_{x:27}", "dckr_pat_${DOCKER_TOKEN}"]),
    token("npm-token", &["npm_"], r"npm_[A-Za-z0-9]{34,}")
        .takes(&["npm_{A:36}"])
        .leaves(&["npm_config_registry=https://registry.npmjs.org", "npm_{x:36}"]),
    // A macaroon whose first field names the registry.
    token("pypi-token", &["pypi-"], r"pypi-[A-Za-z0-9_-]{40,}")
        .takes(&["pypi-AgEIcHlwaS5vcmc{w:130}"])
        .leaves(&["pypi-attestations 0.0.27", "pypi-{x:44}"]),
    token("rubygems-key", &["rubygems_"], r"rubygems_[A-Za-z0-9]{40,}")
        .takes(&["rubygems_{h:48}"])
        .leaves(&["rubygems_version: 3.5.22", "rubygems_mfa_required = true"]),
    token("crates-token", &["cio"], r"cio[A-Za-z0-9]{32}(?-u:\b)")
        .check(Check::Random)
        .takes(&["cio{A:32}"])
        .leaves(&["cio{a:9}", "ciotat_harbour_{a:6}"]),
    token("nuget-key", &["oy2"], r"oy2[a-z0-9]{43}(?-u:\b)")
        .check(Check::Random)
        .takes(&["oy2{z:43}"])
        .leaves(&["oy2{z:9}", "oy2{x:43}"]),
    token("clojars-token", &["CLOJARS_"], r"CLOJARS_[A-Za-z0-9]{50,}")
        .takes(&["CLOJARS_{z:60}"])
        .leaves(&["CLOJARS_USERNAME=bob", "CLOJARS_{x:60}"]),
    token("packagist-token", &["packagist_"], r"packagist_(?:[a-z]{2,4}_)?[A-Fa-f0-9]{48,}")
        .takes(&["packagist_uut_{h:68}"])
        .leaves(&["packagist_uut_<token>", "packagist_{h:12}"]),
    token("pulumi-token", &["pul-"], r"pul-[A-Fa-f0-9]{40,}")
        .takes(&["pul-{h:40}"])
        .leaves(&["pul-request-{D:4}", "pul-{0:40}"]),
    token("snyk-token", &["snyk_"], r"snyk_(?:uat|sat)[._][A-Za-z0-9._-]{24,}")
        .takes(&["snyk_uat.{h:8}.{w:44}"])
        .leaves(&["snyk_uat.<id>.<token>", "snyk_test_results.json"]),
    token("codeclimate-token", &["ccpat_"], r"ccpat_[A-Za-z0-9]{32,}")
        .takes(&["ccpat_{h:64}"])
        .leaves(&["ccpat_your_token_here", "ccpat_{A:8}"]),
    token(
        "harness-token",
        &["pat.", "sat."],
        r"[ps]at\.[A-Za-z0-9_-]{20,24}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}",
    )
    .takes(&["pat.{w:22}.{h:24}.{A:20}"])
    .leaves(&["pat.account.token.secret", "sat.{a:6}.{a:6}"]),
    token("infracost-key", &["ico-"], r"ico-[A-Za-z0-9]{32}(?-u:\b)")
        .check(Check::Random)
        .takes(&["ico-{A:32}"])
        .leaves(&["ico-{x:32}", "ico-arrow-left-{a:4}"]),
    token("settlemint-token", &["sm_pat_", "sm_aat_", "sm_sat_"], r"sm_[pas]at_[A-Za-z0-9]{16,}")
        .takes(&["sm_pat_{A:16}"])
        .leaves(&["sm_pat_{x:16}", "sm_pat_{A:4}"]),
    token("graphite-token", &["gtat_", "gtp_"], r"gt(?:at|p)_[A-Za-z0-9]{32,}")
        .takes(&["gtat_{A:40}"])
        .leaves(&["gtp_echo_request", "gtat_{x:40}"]),
    token("github-token", &["v1."], r"v1\.[0-9a-f]{40}(?-u:\b)")
        .takes(&["v1.{h:40}"])
        .leaves(&["v1.{h:7}", "v1.0.0-{h:40}"]),
    token("bitbucket-token", &["BBDC-"], r"BBDC-[A-Za-z0-9+/=_-]{40,}")
        .takes(&["BBDC-{B:44}"])
        .leaves(&["BBDC-<token>", "BBDC-{D:5}"]),
    token("gitpod-token", &["gitpod_pat_"], r"gitpod_pat_[A-Za-z0-9_.-]{20,}")
        .takes(&["gitpod_pat_{w:40}"])
        .leaves(&["gitpod_pat_<token>", "gitpod_workspace_url"]),
    token("codesandbox-token", &["csb_v1_"], r"csb_v1_[A-Za-z0-9_-]{30,}")
        .takes(&["csb_v1_{w:43}"])
        .leaves(&["csb_v1_devbox", "csb_v1_{x:32}"]),
    token("kaggle-token", &["KGAT_"], r"KGAT_[A-Fa-f0-9]{32,}")
        .takes(&["KGAT_{h:32}"])
        .leaves(&["KGAT_{h:6}", "KGAT_{x:32}"]),
    token("socket-token", &["sktsec_"], r"sktsec_[A-Za-z0-9_-]{30,}")
        .takes(&["sktsec_{w:44}_api"])
        .leaves(&["sktsec_<token>_api", "sktsec_{x:36}_api"]),
    token("dbt-token", &["dbtc_", "dbtu_", "dbts_"], r"dbt[cus]_[A-Za-z0-9_-]{30,}")
        .takes(&["dbtc_{w:40}"])
        .leaves(&["dbtc_{x:40}", "dbtu_<token>"]),
    // YouTrack, Hub and Space: the user and the name in base64, then the secret.
    token(
        "jetbrains-token",
        &["perm-"],
        r"perm-[A-Za-z0-9+/=_-]{4,}\.[A-Za-z0-9+/=_-]{2,}\.[A-Za-z0-9]{20,}",
    )
    .takes(&["perm-{B:12}=.{B:16}.{A:30}"])
    .leaves(&["perm-group.name.role", "perm-check.v2.run"]),
    odd(
        "jetbrains-token",
        &["perm:"],
        r"perm:[A-Za-z0-9+/=_-]{4,}\.[A-Za-z0-9+/=_-]{2,}\.[A-Za-z0-9]{20,}",
    )
    .takes(&["hub: [[perm:{A:8}.{A:8}.{A:30}]]"])
    .leaves(&["perm:read.all.users", "perm:rw.{a:4}.{a:6}"]),
];
