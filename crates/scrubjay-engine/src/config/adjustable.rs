//! Settings that may be changed from afar, by whoever is signed in as the owner.
//!
//! They only tune: thresholds, budgets, sizes and switches. What decides where data lies or goes, which program or service
//! is asked, with which key, who is let in, or what is kept out of the store is changed at the terminal alone, so that a
//! stolen cookie cannot change it.

use super::rule::Rule;
use super::schema::{Key, schema};
use super::value::ValueType;

/// Sections and single settings. Whoever adds a section decides here whether it is safe.
const ADJUSTABLE: &[&str] = &[
    "enabled",
    "sources",
    "query",
    "chunking",
    "sync",
    "spend",
    "cache",
    "jobs",
    "dedup",
    "memory",
    "context",
    "inject",
    "tiers",
    "confirmations",
    "entities.strategy",
    "extract",
    "maintain",
    "hooks",
];

/// Whether the setting of this key may be changed from afar.
pub fn is_adjustable(key: &str) -> bool {
    schema().key(key).is_some_and(is_safe)
}

pub(super) fn is_safe(key: &Key) -> bool {
    let is_listed = ADJUSTABLE
        .iter()
        .any(|part| key.name.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')));
    // Free text may be a path, a program or an address; a word of a list is not.
    let is_closed = match key.value_type {
        ValueType::Boolean | ValueType::Integer | ValueType::Number => true,
        ValueType::Text | ValueType::List => matches!(key.rule, Rule::Word(_) | Rule::Words(_) | Rule::SomeWords(_)),
        ValueType::Url | ValueType::Secret => false,
    };
    is_listed && is_closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tunes_can_be_changed_and_what_leads_elsewhere_cannot() {
        for key in
            ["inject.min_score", "query.rerank", "hooks.inject", "spend.daily_cap_usd", "inject.sources", "enabled"]
        {
            assert!(is_adjustable(key), "{key}");
        }
        for key in [
            "store.path",
            "store.url",
            "capture.redact",
            "embedding.provider",
            "embedding.url",
            "embedding.path",
            "embedding.server",
            "chat.provider",
            "chat.command.program",
            "keys.openai",
            "network.ca_file",
            "daemon.port",
            "backup.keep",
            "extract.prompts",
            "maintain.backup",
            "entities.accurate",
            "spend.prices",
            "nothing",
        ] {
            assert!(!is_adjustable(key), "{key}");
        }
    }

    #[test]
    fn every_part_of_the_list_is_a_setting_or_a_section() {
        for part in ADJUSTABLE {
            assert!(schema().key(part).is_some() || schema().is_section(part), "{part}");
        }
    }
}
