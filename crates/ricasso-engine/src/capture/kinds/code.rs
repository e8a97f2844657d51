//! Code hosting, builds and package registries.

use super::super::check::Check;
use super::{Row, odd, token};

pub(super) const ROWS: &[Row] = &[
    // Prefix, 30 characters, 6 of checksum; newer ones of apps hold a JWT.
    token(
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"gh[pousr]_[A-Za-z0-9_]{36,}(?:\.[A-Za-z0-9_-]+){0,2}",
    )
    .max(super::JWT),
    token("github-token", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{36,}"),
    token(
        "gitlab-token",
        &[
            "glpat-", "glrt-", "glrtr-", "gldt-", "glptt-", "glcbt-", "glimt-", "glagent-",
            "gloas-", "glft-", "glsoat-", "glffct-", "glwt-",
        ],
        r"gl(?:pat|rtr?|dt|ptt|cbt|imt|agent|oas|ft|soat|ffct|wt)-[A-Za-z0-9_=.-]{18,}",
    ),
    token("gitlab-token", &["GR1348941"], r"GR1348941[A-Za-z0-9_-]{18,}"),
    token("bitbucket-token", &["ATBB", "ATCTT3x"], r"AT(?:BB|CTT3x)[A-Za-z0-9_=.-]{24,}"),
    token("atlassian-token", &["ATATT3x"], r"ATATT3x[A-Za-z0-9_=.-]{40,}"),
    token(
        "sourcegraph-token",
        &["sgp_", "sgd_", "slk_"],
        r"(?:sg[pd]|slk)_(?:local_)?[A-Za-z0-9_]{32,}",
    ),
    token(
        "circleci-token",
        &["CCIPAT_", "CCIPRJ_"],
        r"CCIP(?:AT|RJ)_[A-Za-z0-9]{16,}_[A-Fa-f0-9]{32,}",
    ),
    token(
        "buildkite-token",
        &["bkua_", "bkpat_", "bkaj_", "bkct_", "bkat_"],
        r"bk(?:ua|pat|aj|ct|at)_[A-Za-z0-9_-]{32,}",
    ),
    token("sonar-token", &["sqp_", "squ_", "sqa_", "sqb_"], r"sq[puab]_[A-Za-z0-9]{32,}"),
    token(
        "jfrog-key",
        &["AKCp", "cmVmdGtuO"],
        r"(?:AKCp[A-Za-z0-9]{60,}|cmVmdGtuO[A-Za-z0-9]{40,})",
    ),
    token("docker-token", &["dckr_pat_", "dckr_oat_"], r"dckr_[po]at_[A-Za-z0-9_-]{24,}"),
    token("npm-token", &["npm_"], r"npm_[A-Za-z0-9]{34,}"),
    // A macaroon whose first field names the registry.
    token("pypi-token", &["pypi-"], r"pypi-[A-Za-z0-9_-]{40,}"),
    token("rubygems-key", &["rubygems_"], r"rubygems_[A-Za-z0-9]{40,}"),
    token("crates-token", &["cio"], r"cio[A-Za-z0-9]{32}(?-u:\b)").check(Check::Random),
    token("nuget-key", &["oy2"], r"oy2[a-z0-9]{43}(?-u:\b)").check(Check::Random),
    token("clojars-token", &["CLOJARS_"], r"CLOJARS_[A-Za-z0-9]{50,}"),
    token("packagist-token", &["packagist_"], r"packagist_(?:[a-z]{2,4}_)?[A-Fa-f0-9]{48,}"),
    token("pulumi-token", &["pul-"], r"pul-[A-Fa-f0-9]{40,}"),
    token("snyk-token", &["snyk_"], r"snyk_(?:uat|sat)[._][A-Za-z0-9._-]{24,}"),
    token("codeclimate-token", &["ccpat_"], r"ccpat_[A-Za-z0-9]{32,}"),
    token(
        "harness-token",
        &["pat.", "sat."],
        r"[ps]at\.[A-Za-z0-9_-]{20,24}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}",
    ),
    token("infracost-key", &["ico-"], r"ico-[A-Za-z0-9]{32}(?-u:\b)").check(Check::Random),
    token("settlemint-token", &["sm_pat_", "sm_aat_", "sm_sat_"], r"sm_[pas]at_[A-Za-z0-9]{16,}"),
    token("graphite-token", &["gtat_", "gtp_"], r"gt(?:at|p)_[A-Za-z0-9]{32,}"),
    token("github-token", &["v1."], r"v1\.[0-9a-f]{40}(?-u:\b)"),
    token("bitbucket-token", &["BBDC-"], r"BBDC-[A-Za-z0-9+/=_-]{40,}"),
    token("gitpod-token", &["gitpod_pat_"], r"gitpod_pat_[A-Za-z0-9_.-]{20,}"),
    token("codesandbox-token", &["csb_v1_"], r"csb_v1_[A-Za-z0-9_-]{30,}"),
    token("kaggle-token", &["KGAT_"], r"KGAT_[A-Fa-f0-9]{32,}"),
    token("socket-token", &["sktsec_"], r"sktsec_[A-Za-z0-9_-]{30,}"),
    token("dbt-token", &["dbtc_", "dbtu_", "dbts_"], r"dbt[cus]_[A-Za-z0-9_-]{30,}"),
    // YouTrack, Hub and Space: the user and the name in base64, then the secret.
    token(
        "jetbrains-token",
        &["perm-"],
        r"perm-[A-Za-z0-9+/=_-]{4,}\.[A-Za-z0-9+/=_-]{2,}\.[A-Za-z0-9]{20,}",
    ),
    odd(
        "jetbrains-token",
        &["perm:"],
        r"perm:[A-Za-z0-9+/=_-]{4,}\.[A-Za-z0-9+/=_-]{2,}\.[A-Za-z0-9]{20,}",
    ),
];
