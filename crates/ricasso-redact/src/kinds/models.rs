//! Language models and what is built around them.

use super::{Row, token};
use crate::check::Check;

pub(super) const ROWS: &[Row] = &[
    token("anthropic-key", &["sk-ant-"], r"sk-ant-[A-Za-z0-9_-]{24,}")
        .takes(&[
            "sk-ant-api03-{w:93}AA",
            "sk-ant-admin01-{w:93}AA",
            "sk-ant-oat01-{w:86}",
            "sk-ant-ort01-{w:95}AA",
        ])
        .leaves(&["sk-ant-...", "sk-ant-api03-{x:28}", "sk-ant-{A:6}"]),
    token("openrouter-key", &["sk-or-v1-"], r"sk-or-v1-[A-Za-z0-9]{32,}")
        .takes(&["sk-or-v1-{h:64}"])
        .leaves(&["sk-or-v1-{x:32}", "sk-or-v1-..."]),
    token("langfuse-key", &["sk-lf-"], r"sk-lf-[A-Za-z0-9-]{32,}")
        .takes(&["sk-lf-{u}"])
        .leaves(&["sk-lf-...", "sk-lf-xxxxxxxx-xxxx-xxxx-xxxx-{x:12}"]),
    token("openai-key", &["sk-helicone-"], r"sk-helicone-[a-z0-9]{7}(?:-[a-z0-9]{7}){3,}")
        .takes(&["sk-helicone-{z:7}-{z:7}-{z:7}-{z:7}"])
        .leaves(&["sk-helicone-...", "sk-helicone-proxy"]),
    token(
        "openai-key",
        &["sk-"],
        concat!(
            r"sk-(?:(?:proj|svcacct|admin|service|None)-[A-Za-z0-9_-]{20,}",
            // Many others have taken over these two letters, some with a name of their own.
            r"|[A-Za-z0-9_-]{20,}|[a-z]{2,8}-[A-Za-z0-9+/=]{20,})",
        ),
    )
    .check(Check::Random)
    .takes(&[
        "sk-{A:48}",
        "sk-proj-{w:120}",
        "sk-proj-{A:48}",
        "sk-svcacct-{w:100}",
        "sk-admin-{w:100}",
        "sk-{A:20}T3BlbkFJ{A:20}",
        "sk-{h:32}",
        "sk-{w:22}",
    ])
    .leaves(&[
        "sk-{x:40}",
        "sk-toggleable__label-arrow",
        "sk-{A:8}",
        "sk-ssh-ed25519-cert-v01@openssh.com",
    ]),
    token("openai-session", &["sess-"], r"sess-[A-Za-z0-9]{36,}")
        .takes(&["sess-{A:40}"])
        .leaves(&["sess-{A:8}", "sess-{x:40}"]),
    token("huggingface-token", &["hf_", "api_org_"], r"(?:hf|api_org)_[A-Za-z0-9]{30,}")
        .takes(&["hf_{A:34}", "api_org_{A:34}"])
        .leaves(&["hf_hub_download", "hf_{x:34}"]),
    token("replicate-token", &["r8_"], r"r8_[A-Za-z0-9]{34,}")
        .takes(&["r8_{A:37}"])
        .leaves(&["r8_{x:37}", "r8_unorm"]),
    token("groq-key", &["gsk_"], r"gsk_[A-Za-z0-9]{40,}")
        .takes(&["gsk_{A:52}"])
        .leaves(&["gsk_your_key_here", "gsk_renderer_new"]),
    token("perplexity-key", &["pplx-"], r"pplx-[A-Za-z0-9]{32,}")
        .takes(&["pplx-{A:48}"])
        .leaves(&["pplx-your-api-key-here-{0:15}", "pplx-70b-online"]),
    token("xai-key", &["xai-"], r"xai-[A-Za-z0-9]{40,}")
        .takes(&["xai-{A:80}"])
        .leaves(&["xai-sdk-python", "xai-{x:48}"]),
    token("together-key", &["tgp_v1_"], r"tgp_v1_[A-Za-z0-9_-]{32,}")
        .takes(&["tgp_v1_{w:43}"])
        .leaves(&["tgp_v1_{x:43}"]),
    token("fireworks-key", &["fw_"], r"fw_[A-Za-z0-9]{22,}")
        .check(Check::Random)
        .takes(&["fw_{A:24}"])
        .leaves(&["fw_update_firmware_from_the_image", "fw_{x:24}"]),
    token("cerebras-key", &["csk-"], r"csk-[A-Za-z0-9]{36,}")
        .takes(&["csk-{z:48}"])
        .leaves(&["csk-{x:48}", "csk-{a:6}"]),
    token("langsmith-key", &["lsv2_", "ls__"], r"(?:lsv2_(?:pt|sk)_|ls__)[A-Za-z0-9_]{32,}")
        .takes(&["lsv2_pt_{h:32}_{h:10}", "ls__{h:32}"])
        .leaves(&["lsv2_pt_{x:32}_xxxxxxxxxx", "ls__recursive"]),
    token("pinecone-key", &["pcsk_"], r"pcsk_[A-Za-z0-9_]{40,}")
        .takes(&["pcsk_{A:6}_{A:63}"])
        .leaves(&["pcsk_xxxxxx_{x:44}"]),
    token("elevenlabs-key", &["sk_"], r"sk_[a-f0-9]{40,}")
        .takes(&["sk_{h:48}"])
        .leaves(&["sk_{h:12}", "sk_buff_head_init"]),
    token("nvidia-key", &["nvapi-"], r"nvapi-[A-Za-z0-9_-]{40,}")
        .takes(&["nvapi-{w:64}"])
        .leaves(&["nvapi-{x:52}", "nvapi-{A:6}"]),
    token("voyage-key", &["pa-"], r"pa-[A-Za-z0-9_-]{40,}")
        .check(Check::Random)
        .takes(&["pa-{w:43}"])
        .leaves(&["pa-{a:8}-{a:9}", "pa-{x:43}"]),
    token("tavily-key", &["tvly-"], r"tvly-[A-Za-z0-9-]{24,}")
        .takes(&["tvly-{A:32}", "tvly-dev-{A:32}"])
        .leaves(&["tvly-YOUR_API_KEY", "tvly-{x:32}"]),
    token("jina-key", &["jina_"], r"jina_[A-Za-z0-9_-]{40,}")
        .takes(&["jina_{h:32}{A:28}"])
        .leaves(&["jina_embeddings_v3", "jina_{x:48}"]),
    token("wandb-key", &["wandb_v1_"], r"wandb_v1_[A-Za-z0-9_]{40,}")
        .takes(&["wandb_v1_{A:40}_{A:32}"])
        .leaves(&["wandb_v1_{x:48}", "wandb_v1_run"]),
    token("firecrawl-key", &["fc-"], r"fc-[a-f0-9]{32}(?-u:\b)")
        .takes(&["fc-{h:32}"])
        .leaves(&["fc-{x:32}", "fc-{h:40}"]),
    token("e2b-key", &["e2b_"], r"e2b_[a-f0-9]{36,}")
        .takes(&["e2b_{h:40}"])
        .leaves(&["e2b_{0:40}", "e2b_sandbox_id"]),
    token("cursor-key", &["key_"], r"key_[a-f0-9]{60,}")
        .takes(&["key_{h:64}"])
        .leaves(&["key_{h:8}", "key_up_event"]),
    token("google-ai-key", &["AQ.A"], r"AQ\.A[A-Za-z0-9_-]{40,}")
        .takes(&["AQ.Ab8{w:50}"])
        .leaves(&["AQ.Abcd", "AQ.A{x:48}"]),
    token("apify-token", &["apify_"], r"apify_(?:api|proxy)_[A-Za-z0-9]{30,}")
        .takes(&["apify_api_{A:36}"])
        .leaves(&["apify_api_{x:36}", "apify_proxy_groups"]),
    token("brave-key", &["BSA"], r"BSA[A-Za-z0-9_-]{24,}")
        .check(Check::Random)
        .takes(&["BSA{w:28}"])
        .leaves(&["BSA_SEARCH_RESULT_COUNT_MAXIMUM", "BSA{x:28}"]),
    token("runpod-key", &["rpa_"], r"rpa_[A-Za-z0-9]{36,}")
        .takes(&["rpa_{Z:40}{z:6}"])
        .leaves(&["rpa_{x:42}", "rpa_workflow_run"]),
    token("anyscale-key", &["esecret_", "aph0_"], r"(?:esecret|aph0)_[A-Za-z0-9_-]{20,}")
        .check(Check::Random)
        .takes(&["esecret_{z:26}"])
        .leaves(&["esecret_your_key_here_please", "aph0_{A:6}"]),
    token("modal-token", &["ak-", "as-"], r"a[ks]-[A-Za-z0-9]{22}(?-u:\b)")
        .check(Check::Random)
        .takes(&["ak-{A:22}", "as-{A:22}"])
        .leaves(&["as-of-2026-11-16", "ak-{A:8}", "as-{x:22}"]),
    token("context7-key", &["ctx7sk-"], r"ctx7sk-[A-Za-z0-9-]{30,}")
        .takes(&["ctx7sk-{u}"])
        .leaves(&["ctx7sk-xxxxxxxx-xxxx-xxxx-xxxx-{x:12}", "ctx7sk-{A:6}"]),
    token("mem0-key", &["m0-"], r"m0-[A-Za-z0-9]{36,}")
        .takes(&["m0-{A:40}"])
        .leaves(&["m0-{A:8}", "m0-{x:40}"]),
    token("llamacloud-key", &["llx-"], r"llx-[A-Za-z0-9]{40,}")
        .takes(&["llx-{A:48}"])
        .leaves(&["llx-{x:48}", "llx-{A:4}"]),
    token("cartesia-key", &["sk_car_"], r"sk_car_[A-Za-z0-9_-]{20,}")
        .takes(&["sk_car_{w:22}"])
        .leaves(&["sk_car_<key>", "sk_car_{x:26}"]),
    token("chroma-key", &["ck-"], r"ck-[A-Za-z0-9]{40,}")
        .check(Check::Random)
        .takes(&["ck-{A:44}"])
        .leaves(&["ck-{x:48}", "ck-editor__editable"]),
    token("upstage-key", &["up_"], r"up_[A-Za-z0-9]{28,}")
        .check(Check::Random)
        .takes(&["up_{A:29}"])
        .leaves(&["up_{a:5}_{a:7}_{a:9}_{a:8}", "up_to_date"]),
    token("browserbase-key", &["bb_live_"], r"bb_live_[A-Za-z0-9_-]{20,}")
        .takes(&["bb_live_{w:27}"])
        .leaves(&["bb_live_your_key_here_00000000", "bb_live_{A:6}"]),
    token("luma-key", &["luma-"], r"luma-[0-9a-f]{8}-[0-9a-f-]{27,}")
        .takes(&["luma-{u}-{u}"])
        .leaves(&["luma-<id>-<secret>", "luma-ai-video"]),
    token("promptlayer-key", &["pl_"], r"pl_[a-f0-9]{32}(?-u:\b)")
        .takes(&["pl_{h:32}"])
        .leaves(&["pl_{h:8}", "pl_{x:32}"]),
];
