//! Databases, content stores and data services.

use crate::redact::rule::{Filter, Rule, bare, within};

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::token("planetscale-password", "PlanetScale password", &["pscale_pw_"], open!(r"pscale_pw_[A-Za-z0-9_=.\-]{32,}"), &[bare("pscale_pw_{url:43}")]),
    Rule::token("planetscale-token", "PlanetScale token", &["pscale_tkn_", "pscale_oauth_"], open!(r"pscale_(?:tkn|oauth)_[A-Za-z0-9_=.\-]{32,}"), &[bare("pscale_tkn_{url:43}"), bare("pscale_oauth_{url:43}")]),
    Rule::token("supabase-access-token", "Supabase access token", &["sbp_"], open!("sbp_(?:v0_|oauth_)?[a-f0-9]{40}"), &[bare("sbp_{hex:40}")]),
    Rule::token("supabase-secret-key", "Supabase secret key", &["sb_secret_"], open!(r"sb_secret_[A-Za-z0-9_\-]{20,}"), &[bare("sb_secret_{url:22}_{alnum:8}")]),
    Rule::token("neon-key", "Neon API key", &["napi_"], open!("napi_[a-z0-9]{60,}"), &[bare("napi_{lownum:64}")]),
    Rule::token("neon-password", "Neon database password", &["npg_"], exact!("npg_[A-Za-z0-9]{12,16}"), &[bare("npg_{alnum:12}")]),
    Rule::token("aiven-token", "Aiven password", &["avns_"], open!(r"AVNS_[A-Za-z0-9_\-]{19}"), &[bare("AVNS_{url:19}")]),
    Rule::vendor("upstash-token", "Upstash REST token", &["upstash"], keyed!("upstash|kv_rest", r"[A-Za-z0-9_\-]{36,120}={0,2}"), &[within("UPSTASH_REDIS_REST_TOKEN=", "{alnum:54}==", "")]).filter(Filter::Mixed).entropy(3.7),
    Rule::vendor("mongodb-atlas-key", "MongoDB Atlas private key", &["atlas", "mongodb"], keyed!("mongodb(?:[ _]atlas)?|atlas", "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), &[within("MONGODB_ATLAS_PRIVATE_KEY=", "{uuid}", "")]),
    Rule::vendor("confluent-secret", "Confluent API secret", &["confluent"], keyed!("confluent", "[A-Za-z0-9+/]{64}"), &[within("CONFLUENT_API_SECRET=", "{b64:64}", "")]).entropy(3.7),
    Rule::token("confluent-token", "Confluent API secret, newer form", &["cflt"], exact!("cflt[A-Za-z0-9+/]{60}"), &[bare("cflt{b64:60}")]).filter(Filter::Mixed),
    Rule::keyed("elastic-key", "Elasticsearch API key", &["elastic", "apikey "], r#"\A(?i:elastic[\w \t.\-]{0,24}?api[_ ]?key["'`\\]{0,2}\s{0,3}[=:]\s{0,3}["'`\\]{0,2}|apikey\s{1,2})([A-Za-z0-9+/_\-]{40,120}={0,2})(?:[^A-Za-z0-9]|\z)"#, &[within("Authorization: ApiKey ", "{b64:58}==", ""), within("ELASTIC_API_KEY=", "{b64:58}==", "")]).entropy(3.7).filter(Filter::Mixed),
    Rule::token("elastic-cloud-key", "Elastic Cloud API key", &["essu_"], open!("essu_[A-Za-z0-9+/=_]{40,}"), &[bare("essu_{alnum:90}==")]),
    Rule::vendor("qdrant-key", "Qdrant, Weaviate or Meilisearch key", &["qdrant", "weaviate", "meili"], keyed!("qdrant|weaviate|meili(?:search)?", r"[A-Za-z0-9_\-]{32,64}"), &[within("QDRANT_API_KEY=", "{alnum:43}", ""), within("MEILI_MASTER_KEY=", "{alnum:43}", "")]).filter(Filter::Mixed).entropy(3.3),
    Rule::keyed("cloudinary-secret", "Cloudinary API secret", &["cloudinary"], r#"\A(?i:cloudinary)(?:://[0-9]{12,18}:([A-Za-z0-9_\-]{20,40})@|[\w \t.\-]{0,20}?(?i:secret)["'`\\]{0,2}\s{0,3}[=:]\s{0,3}["'`\\]{0,2}([A-Za-z0-9_\-]{27}))"#, &[within("cloudinary://123456789012345:", "{url:27}", "@shop"), within("CLOUDINARY_API_SECRET=", "{url:27}", "")]).entropy(3.3),
    Rule::token("contentful-token", "Contentful management token", &["cfpat-"], open!(r"CFPAT-[A-Za-z0-9_\-]{43}"), &[bare("CFPAT-{url:43}")]),
    Rule::vendor("contentful-delivery-key", "Contentful delivery key", &["contentful"], keyed!("contentful", r"[A-Za-z0-9_\-]{43}"), &[within("CONTENTFUL_ACCESS_TOKEN=", "{alnum:20}3{url:22}", "")]).filter(Filter::Mixed).entropy(3.7),
    Rule::vendor("sanity-token", "Sanity token", &["sanity"], keyed!("sanity", "sk[A-Za-z0-9]{60,}"), &[within("SANITY_API_TOKEN=", "sk{alnum:78}", "")]).entropy(3.5),
    Rule::vendor("storyblok-token", "Storyblok or Prismic token", &["storyblok", "prismic"], keyed!("storyblok|prismic", r"[A-Za-z0-9_\-]{22,26}(?:tt)?|MC5[A-Za-z0-9._\-]{40,}"), &[within("STORYBLOK_TOKEN=", "{alnum:11}3{alnum:10}tt", "")]).filter(Filter::Mixed).entropy(3.3),
    Rule::token("convex-key", "Convex deploy key", &["prod:", "dev:", "preview:", "project:"], open!(r"(?:prod|dev|preview|project):[a-z0-9:\-]{3,60}\|[A-Za-z0-9+/=]{60,}"), &[bare("prod:happy-otter-123|{b64:140}")]).filter(Filter::Mixed),
    Rule::token("dbt-token", "dbt Cloud token", &["dbtc_", "dbtu_"], open!(r"dbt[cu]_[A-Za-z0-9_\-]{30,}={0,2}"), &[bare("dbtc_{url:40}"), bare("dbtu_{url:40}")]),
    Rule::vendor("fivetran-secret", "Fivetran or Hightouch API secret", &["fivetran", "hightouch"], keyed!("fivetran|hightouch", "[A-Za-z0-9]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), &[within("FIVETRAN_API_SECRET=", "{alnum:32}", "")]).filter(Filter::Mixed),
    Rule::token("kaggle-token", "Kaggle API token", &["kgat_"], open!("KGAT_[a-f0-9]{32}"), &[bare("KGAT_{hex:32}")]),
    Rule::vendor("kaggle-key", "Kaggle API key", &["kaggle"], keyed!("kaggle", "[a-f0-9]{32}"), &[within("KAGGLE_KEY=", "{hex:32}", "")]),
    Rule::token("tinybird-token", "Tinybird token", &["p.eyj"], open!(r"p\.eyJ[A-Za-z0-9_\-]{30,}\.[A-Za-z0-9_\-]{20,}"), &[bare("p.eyJ{alnum:80}.{url:43}")]).filter(Filter::None),
    Rule::vendor("snowflake-password", "Snowflake password or token", &["snowflake"], keyed!("snowflake", r"eyJ[A-Za-z0-9_.\-]{60,}|[A-Za-z0-9!@#%^*_\-]{12,64}"), &[within("SNOWFLAKE_PASSWORD=", "{alnum:20}", "")]).filter(Filter::Mixed).entropy(3.3),
];
