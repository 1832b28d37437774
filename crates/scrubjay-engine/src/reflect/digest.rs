//! A week without a model: the weightiest facts, by type.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::memory::{Confidence, Memory};
use scrubjay_core::snippet::one_line;
use scrubjay_core::time::Timestamp;

/// The types that a digest tells about, in this order, and what they are called.
const SECTIONS: [(&str, &str); 7] = [
    ("decision", "Decisions"),
    ("convention", "Conventions"),
    ("preference", "Preferences"),
    ("failure", "Failures and fixes"),
    ("milestone", "Milestones"),
    ("project", "Projects"),
    ("pattern", "Patterns"),
];

/// How many facts of each type, and how long each may be.
const PER_SECTION: usize = 5;
const CHARS: usize = 160;

/// The weightiest facts of some days, by type, most important first. What was superseded is left out.
#[must_use]
pub fn digest(facts: &[Memory], since: Timestamp, until: Timestamp) -> String {
    let standing: Vec<&Memory> = facts.iter().filter(|fact| fact.confidence > Confidence::SUPERSEDED).collect();
    let sessions: BTreeSet<&str> = standing.iter().filter_map(|fact| fact.session_id.as_deref()).collect();
    let mut sections: BTreeMap<usize, Vec<&Memory>> = BTreeMap::new();
    for fact in &standing {
        let place = SECTIONS.iter().position(|(name, _)| *name == fact.memory_type.as_str());
        sections.entry(place.unwrap_or(SECTIONS.len())).or_default().push(fact);
    }
    let conversations = match sessions.len() {
        0 => String::new(),
        1 => " from one conversation".to_owned(),
        count => format!(" from {count} conversations"),
    };
    let counted = if standing.len() == 1 { "1 new fact".to_owned() } else { format!("{} new facts", standing.len()) };
    let mut lines = vec![format!("{} to {}: {counted}{conversations}.", since.date(), until.date())];
    for (place, mut facts) in sections {
        facts.sort_by(|a, b| b.importance.value().total_cmp(&a.importance.value()).then(a.id.cmp(&b.id)));
        let title = SECTIONS.get(place).map_or("Also", |(_, title)| title);
        let shown = facts.iter().take(PER_SECTION).map(|fact| one_line(&fact.content, CHARS));
        let more = match facts.len().saturating_sub(PER_SECTION) {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        lines.push(format!("{title}: {}{more}", shown.collect::<Vec<_>>().join(" · ")));
    }
    lines.join("\n")
}
