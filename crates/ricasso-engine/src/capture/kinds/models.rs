//! Language models and what is built around them.

use super::super::check::Check;
use super::{Row, token};

pub(super) const ROWS: &[Row] = &[
    token("anthropic-key", &["sk-ant-"], r"sk-ant-[A-Za-z0-9_-]{24,}"),
    token("openrouter-key", &["sk-or-v1-"], r"sk-or-v1-[A-Za-z0-9]{32,}"),
    token("langfuse-key", &["sk-lf-"], r"sk-lf-[A-Za-z0-9-]{32,}"),
    token("openai-key", &["sk-helicone-"], r"sk-helicone-[a-z0-9]{7}(?:-[a-z0-9]{7}){3,}"),
    token(
        "openai-key",
        &["sk-"],
        concat!(
            r"sk-(?:(?:proj|svcacct|admin|service|None)-[A-Za-z0-9_-]{20,}",
            // Many others have taken over these two letters, some with a name of their own.
            r"|[A-Za-z0-9_-]{20,}|[a-z]{2,8}-[A-Za-z0-9+/=]{20,})",
        ),
    )
    .check(Check::Random),
    token("openai-session", &["sess-"], r"sess-[A-Za-z0-9]{36,}"),
    token("huggingface-token", &["hf_", "api_org_"], r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    token("replicate-token", &["r8_"], r"r8_[A-Za-z0-9]{34,}"),
    token("groq-key", &["gsk_"], r"gsk_[A-Za-z0-9]{40,}"),
    token("perplexity-key", &["pplx-"], r"pplx-[A-Za-z0-9]{32,}"),
    token("xai-key", &["xai-"], r"xai-[A-Za-z0-9]{40,}"),
    token("together-key", &["tgp_v1_"], r"tgp_v1_[A-Za-z0-9_-]{32,}"),
    token("fireworks-key", &["fw_"], r"fw_[A-Za-z0-9]{22,}").check(Check::Random),
    token("cerebras-key", &["csk-"], r"csk-[A-Za-z0-9]{36,}"),
    token("langsmith-key", &["lsv2_", "ls__"], r"(?:lsv2_(?:pt|sk)_|ls__)[A-Za-z0-9_]{32,}"),
    token("pinecone-key", &["pcsk_"], r"pcsk_[A-Za-z0-9_]{40,}"),
    token("elevenlabs-key", &["sk_"], r"sk_[a-f0-9]{40,}"),
    token("nvidia-key", &["nvapi-"], r"nvapi-[A-Za-z0-9_-]{40,}"),
    token("voyage-key", &["pa-"], r"pa-[A-Za-z0-9_-]{40,}").check(Check::Random),
    token("tavily-key", &["tvly-"], r"tvly-[A-Za-z0-9-]{24,}"),
    token("jina-key", &["jina_"], r"jina_[A-Za-z0-9_-]{40,}"),
    token("wandb-key", &["wandb_v1_"], r"wandb_v1_[A-Za-z0-9_]{40,}"),
    token("firecrawl-key", &["fc-"], r"fc-[a-f0-9]{32}(?-u:\b)"),
    token("e2b-key", &["e2b_"], r"e2b_[a-f0-9]{36,}"),
    token("cursor-key", &["key_"], r"key_[a-f0-9]{60,}"),
    token("google-ai-key", &["AQ.A"], r"AQ\.A[A-Za-z0-9_-]{40,}"),
    token("apify-token", &["apify_"], r"apify_(?:api|proxy)_[A-Za-z0-9]{30,}"),
    token("brave-key", &["BSA"], r"BSA[A-Za-z0-9_-]{24,}").check(Check::Random),
    token("runpod-key", &["rpa_"], r"rpa_[A-Za-z0-9]{36,}"),
    token("anyscale-key", &["esecret_", "aph0_"], r"(?:esecret|aph0)_[A-Za-z0-9_-]{20,}")
        .check(Check::Random),
    token("modal-token", &["ak-", "as-"], r"a[ks]-[A-Za-z0-9]{22}(?-u:\b)").check(Check::Random),
    token("context7-key", &["ctx7sk-"], r"ctx7sk-[A-Za-z0-9-]{30,}"),
    token("mem0-key", &["m0-"], r"m0-[A-Za-z0-9]{36,}"),
    token("llamacloud-key", &["llx-"], r"llx-[A-Za-z0-9]{40,}"),
    token("cartesia-key", &["sk_car_"], r"sk_car_[A-Za-z0-9_-]{20,}"),
    token("chroma-key", &["ck-"], r"ck-[A-Za-z0-9]{40,}").check(Check::Random),
    token("upstage-key", &["up_"], r"up_[A-Za-z0-9]{28,}").check(Check::Random),
    token("browserbase-key", &["bb_live_"], r"bb_live_[A-Za-z0-9_-]{20,}"),
    token("luma-key", &["luma-"], r"luma-[0-9a-f]{8}-[0-9a-f-]{27,}"),
    token("promptlayer-key", &["pl_"], r"pl_[a-f0-9]{32}(?-u:\b)"),
];
