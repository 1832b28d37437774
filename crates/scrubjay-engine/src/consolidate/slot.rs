//! What a short statement gives the value of: subject, relation and value.
//!
//! Two statements that fill the same slot with different values cannot both hold: “Standup is at 9:30” and “Standup is at
//! 9:45”. Only plain statements have a slot; whatever is said in another way is left to what else tells of a change.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use regex::Regex;
use scrubjay_core::lexical::{self, Figure};

/// The longest statement that is looked at, in characters.
const LONGEST: usize = 140;

/// A slot with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Slot {
    relation: &'static str,
    subject: BTreeSet<String>,
    value: BTreeSet<String>,
}

/// Whether two statements give the same slot different values.
pub(crate) fn contradict(one: &str, other: &str) -> bool {
    Slot::of(one).zip(Slot::of(other)).is_some_and(|(one, other)| one.is_contradicted_by(&other))
        || Figure::of(one).zip(Figure::of(other)).is_some_and(|(one, other)| one.is_changed_by(&other))
}

impl Slot {
    /// The slot that a statement fills, if it is a plain one.
    fn of(text: &str) -> Option<Self> {
        let text = text.trim().trim_end_matches(['.', '!', ' ']);
        let text = text.strip_prefix("Correction: ").unwrap_or(text);
        if text.chars().count() > LONGEST || text.contains(['?', '\n']) {
            return None;
        }
        patterns().iter().find_map(|(relation, pattern)| {
            let found = pattern.captures(text)?;
            let (subject, value) = (found.name("subject")?.as_str(), found.name("value")?.as_str());
            let slot = Self { relation, subject: content_terms(subject), value: value_terms(value) };
            let is_value = *relation != "is" || is_named(value);
            (is_value && !slot.subject.is_empty() && !slot.value.is_empty()).then_some(slot)
        })
    }

    /// Whether another statement gives the same slot another value.
    fn is_contradicted_by(&self, other: &Self) -> bool {
        self.relation == other.relation
            && self.subject == other.subject
            && !self.value.is_subset(&other.value)
            && !other.value.is_subset(&self.value)
    }
}

// An adjective is no value: a gateway can be slow and be Adyen.
fn is_named(value: &str) -> bool {
    let mut words = value.split_whitespace().filter(|word| !lexical::is_stop_word(&word.to_lowercase()));
    words.next().is_some_and(|word| {
        let first = word.trim_start_matches(['`', '"', '“']).chars().next();
        first.is_some_and(|first| first.is_uppercase() || first.is_numeric()) || word.starts_with('`')
    })
}

/// Words that say that something holds from now on, which are no part of what it is about.
const CHANGING: [&str; 18] = [
    "now",
    "currently",
    "moved",
    "new",
    "actually",
    "jetzt",
    "nun",
    "neu",
    "ahora",
    "nuevo",
    "nueva",
    "maintenant",
    "nouveau",
    "désormais",
    "changed",
    "instead",
    "correction",
    "today",
];

fn content_terms(text: &str) -> BTreeSet<String> {
    let is_content = |term: &String| !lexical::is_stop_word(term) && !CHANGING.contains(&term.as_str());
    lexical::terms(text).into_iter().filter(is_content).collect()
}

// “9:30” is one value, and another one than “9:45”.
fn value_terms(text: &str) -> BTreeSet<String> {
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words = text.split_whitespace().map(plain);
    words
        .filter(|word| !word.is_empty() && !lexical::is_stop_word(word) && !CHANGING.contains(&word.as_str()))
        .collect()
}

fn patterns() -> &'static [(&'static str, Regex)] {
    static PATTERNS: OnceLock<Vec<(&'static str, Regex)>> = OnceLock::new();
    // A test compiles them; one that could not be compiled would be left out.
    PATTERNS.get_or_init(|| {
        SLOTS.iter().filter_map(|(relation, pattern)| Some((*relation, Regex::new(pattern).ok()?))).collect()
    })
}

const SLOTS: [(&str, &str); 8] = [
    (
        "day",
        r"(?i)^(?P<subject>.{2,60}?) (?:is|are|happens?|takes? place|meets?|ist|sind|es|est)(?: now)? (?:always )?(?:on|every|each|am|jeden|los|cada|le|chaque) (?P<value>(?:mon|tues|wednes|thurs|fri|satur|sun)day|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)s?$",
    ),
    ("owner", r"(?i)^(?P<subject>.{2,60}?) (?:is|are) (?:now )?(?:owned|maintained|run) by (?P<value>.{2,40})$"),
    (
        "owner",
        r"(?i)^(?P<value>.{2,40}?) (?:now )?(?:owns?|maintains?|(?:is|are) responsible for|looks? after) (?P<subject>.{2,60})$",
    ),
    (
        "use",
        r"(?i)^(?:we|the team|this project|the project)(?:'re| are| will|'ll| now| currently)*(?: decided to)? (?:use|using|go with|going with|run|test with) (?P<value>.{2,40}?) (?:for|as) (?P<subject>.{2,60})$",
    ),
    (
        "use",
        r"(?i)^(?P<subject>(?:the|our) .{2,50}?) (?:now )?(?:uses?|will use|is using|is built with|is written in) (?P<value>[\w.+#-]+(?: [\d.]+)?)$",
    ),
    (
        "place",
        r"(?i)^(?P<subject>.{2,60}?) (?:(?:is|are|runs?|lives?|listens?|starts?|sits?|(?:is|was|has|have) (?:been )?moved|moved|is hosted|is deployed|ist|läuft|liegt|está|corre|vive|est|tourne)(?: now| jetzt| ahora| maintenant)?) (?:at|on|in|to|under|auf|unter|in|en|sur|dans) (?:(?:the |el |le |dem )?(?:port|puerto|version) )?(?P<value>[`\w.:/-]*\d[`\w.:/-]*(?: (?:am|pm|uhr))?)$",
    ),
    (
        "is",
        r"^(?i:(?P<subject>.{2,60}?) (?:is|are|will be|ist|sind|es|son|est|sont)(?: now| jetzt| ahora| maintenant)?(?: called| named)?) (?P<value>(?:(?:the|a|an|der|die|das|el|la|le) )?\S+(?: \S+){0,2})$",
    ),
    (
        "is",
        r"(?i)^(?:the )?(?P<subject>(?:port|version|host|url|region|time zone|domain|bucket|branch)(?: (?:of|for) .{2,40}?)?) (?:is|changed to|is now) (?P<value>\S+)$",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(patterns().len(), SLOTS.len());
    }

    #[test]
    fn another_value_of_the_same_contradicts() {
        for (one, other, expected) in [
            ("Standup is at 9:30", "Standup is at 9:45", true),
            ("The staging db is on port 5433", "the staging db moved to port 5434", true),
            ("The payment gateway is Adyen.", "The payment gateway is now Mollie", true),
            ("The platform team owns the gateway", "The infra team owns the gateway", true),
            ("We use jest for unit tests", "We use vitest for unit tests", true),
            ("The billing service uses MySQL", "the billing service will use MariaDB", true),
            ("La base de pruebas está en el puerto 5433", "la base de pruebas está ahora en 5434", true),
            ("We have 3 replicas in production now", "By now we have 5 replicas in production", true),
            ("The retro is on Tuesday", "The retro is on Wednesday", true),
            ("The retro is every Tuesday", "The retro is on Tuesdays", false),
            ("Standup is at 9:30", "standup is at 9:30.", false),
            ("Standup is at 9:30", "The retro is at 9:45", false),
            ("The gateway is slow", "The gateway is Adyen", false),
            ("We use redis", "We use postgres", false),
            ("The payment gateway is Adyen", "The payment gateway is Adyen Europe", false),
            ("Task 3 is done", "Task 4 is done", false),
        ] {
            assert_eq!(contradict(one, other), expected, "{one} / {other}: {:?} {:?}", Slot::of(one), Slot::of(other));
        }
    }
}
