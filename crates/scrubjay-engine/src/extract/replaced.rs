//! What a sentence says is over.

use std::sync::OnceLock;

use regex::Regex;

use crate::{EngineError, Result};

/// The part of a sentence that names what no longer holds: “MariaDB instead of PostgreSQL” says that of PostgreSQL.
///
/// # Errors
/// When a pattern is wrong.
pub(super) fn replaced_part(sentence: &str) -> Result<Option<String>> {
    static PATTERNS: OnceLock<std::result::Result<Vec<Regex>, regex::Error>> = OnceLock::new();
    let patterns = PATTERNS.get_or_init(|| SAID_TO_BE_OVER.iter().map(|pattern| Regex::new(pattern)).collect());
    let patterns =
        patterns.as_ref().map_err(|error| EngineError::defect(format!("a pattern of changes is wrong: {error}")))?;
    let found = patterns.iter().find_map(|pattern| pattern.captures(sentence)?.name("old").map(|old| old.as_str()));
    let old = found.map(|old| old.trim().trim_matches(['`', '"', '\'']).to_lowercase());
    Ok(old.filter(|old| !old.is_empty() && !REFERRING.contains(&old.as_str())))
}

/// Words that name nothing by themselves.
const REFERRING: [&str; 12] =
    ["it", "this", "that", "them", "these", "those", "das", "es", "ça", "eso", "esto", "the old one"];

const SAID_TO_BE_OVER: [&str; 6] = [
    r"(?i)\b(?:instead of|rather than|in place of|anstelle von|anstatt|statt|au lieu d[e']|à la place d[e']|en lugar de|en vez de)\s*(?P<old>[^,.;:()—–]{2,40}?)(?: (?:because|since|as|so|for|and|weil|parce|porque)\b.*)?(?:[,.;:()—–]|$)",
    r"(?i)\b(?:switched|migrated|moved|converted|changed|renamed|umgestellt|migré|migramos|cambiamos)\b(?: \S+){0,4}? (?:from|von|d[eu]) (?P<old>[^,.;:()]{2,40}?) (?:to|auf|zu|à|vers|a) ",
    r"(?i)\b(?:renamed|replaced|replace|ersetzt|remplacé|reemplazamos) (?P<old>[^,.;:()]{2,40}?) (?:to|with|by|durch|par|por|con) ",
    r"(?i)\b(?:no longer|not any ?more|nicht mehr|ne .{2,20} plus|ya no)(?: (?:use|uses|using|need|needs|run|runs|support|supports|usamos|utilisons))? (?P<old>[^,.;:()]{2,40}?)(?:[,.;:()]|$)",
    r"(?i)\b(?:dropped|removed|got rid of|drop|ditch(?:ed)?) (?:the )?(?P<old>[^,.;:()]{2,30}?)(?: (?:from|because|since|entirely|altogether|completely|and)\b.*)?(?:[,.;:()]|$)",
    r"(?i)\b(?:replaces|ersetzt|remplace|reemplaza a?) (?:the )?(?P<old>[^,.;:()]{2,40}?)(?:[,.;:()]|$)",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_names_what_it_ends() {
        for (sentence, expected) in [
            ("Correction: the billing service will use MariaDB instead of PostgreSQL", Some("postgresql")),
            ("We switched everything from Redis to Valkey.", Some("redis")),
            ("I replaced `moment` with date-fns everywhere", Some("moment")),
            ("we no longer use Jenkins", Some("jenkins")),
            ("Wir nehmen pnpm statt npm", Some("npm")),
            ("vamos con vitest en lugar de jest, es más rápido", Some("jest")),
            ("The Redis cache was removed", None),
            ("use that instead of this", None),
            ("The gateway is Adyen", None),
        ] {
            assert_eq!(replaced_part(sentence).unwrap().as_deref(), expected, "{sentence}");
        }
    }
}
