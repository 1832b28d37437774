//! Ids as people read and write them.
//!
//! A UUIDv7 begins with its time, so ids of one afternoon begin alike; their
//! last characters are random. The short form of an id is therefore its prefix
//! and its last eight characters: `fact_2b7e91c4`. The beginning of the short
//! form names the same thing as long as nothing else has it, and so does the
//! beginning or a longer end of the full id. Whether it does is for whoever
//! holds the ids to say; see [`Abbreviation::names`].

use uuid::Uuid;

use crate::memory::Kind;

/// How many of the last characters the short form has.
pub const SHORT_DIGITS: usize = 8;

/// Without a prefix, fewer characters are more likely a word.
const LEAST_DIGITS: usize = 4;

const UUID_DIGITS: usize = 32;

/// What an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdKind {
    /// A memory, of one kind if that is known.
    Memory(Option<Kind>),
    /// An entity.
    Entity,
    /// A job.
    Job,
    /// A run of changes.
    Run,
    /// An indexed file.
    Document,
    /// A write that waits for an answer.
    Confirmation,
    /// What an agent was handed.
    Receipt,
}

impl IdKind {
    /// The kind that a prefix stands for.
    #[must_use]
    pub fn of_prefix(prefix: &str) -> Option<Self> {
        if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.id_prefix() == prefix) {
            return Some(Self::Memory(Some(kind)));
        }
        let others = [Self::Entity, Self::Job, Self::Run, Self::Document, Self::Confirmation, Self::Receipt];
        others.into_iter().find(|kind| kind.prefix() == Some(prefix))
    }

    /// Its prefix; none for a memory of unknown kind.
    #[must_use]
    pub fn prefix(self) -> Option<&'static str> {
        Some(match self {
            Self::Memory(kind) => kind?.id_prefix(),
            Self::Entity => "ent",
            Self::Job => "job",
            Self::Run => "run",
            Self::Document => "doc",
            Self::Confirmation => "conf",
            Self::Receipt => "rec",
        })
    }

    /// What people call it.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Memory(_) => "memory",
            Self::Entity => "entity",
            Self::Job => "job",
            Self::Run => "run",
            Self::Document => "document",
            Self::Confirmation => "confirmation",
            Self::Receipt => "receipt",
        }
    }
}

/// Part of an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abbreviation {
    digits: String,
}

impl Abbreviation {
    /// The part that a text is: at least four hexadecimal digits, with or without hyphens. None for anything else, and
    /// for a whole id.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        Self::of_at_least(LEAST_DIGITS, text)
    }

    fn of_at_least(least: usize, text: &str) -> Option<Self> {
        let digits: String = text.chars().filter(|c| *c != '-').map(|c| c.to_ascii_lowercase()).collect();
        let is_hex = digits.chars().all(|c| c.is_ascii_hexdigit());
        (is_hex && (least..UUID_DIGITS).contains(&digits.len())).then_some(Self { digits })
    }

    /// A prefix and a part behind it, of any length, as in `fact_2b7e`.
    #[must_use]
    pub fn with_prefix(text: &str) -> Option<(IdKind, Self)> {
        let (prefix, rest) = text.split_once('_')?;
        Some((IdKind::of_prefix(prefix)?, Self::of_at_least(1, rest)?))
    }

    /// Whether it names this id: the id begins with it, its short form begins
    /// with it, or, if it is longer than that, the id ends with it.
    #[must_use]
    pub fn names(&self, uuid: Uuid) -> bool {
        let whole = uuid.simple().to_string();
        let tail = &whole[UUID_DIGITS - SHORT_DIGITS..];
        whole.starts_with(&self.digits) || tail.starts_with(&self.digits) || self.is_long_end_of(&whole)
    }

    /// The first and the last id that begin with it.
    #[must_use]
    pub fn leading(&self) -> (Uuid, Uuid) {
        (
            Uuid::from_u128(filled(&self.digits, UUID_DIGITS, '0')),
            Uuid::from_u128(filled(&self.digits, UUID_DIGITS, 'f')),
        )
    }

    /// The first and the last four bytes in which an id can end that it names.
    #[must_use]
    pub fn trailing(&self) -> ([u8; 4], [u8; 4]) {
        let end = &self.digits[self.digits.len().saturating_sub(SHORT_DIGITS)..];
        let bytes = |filler| {
            let number = u32::try_from(filled(end, SHORT_DIGITS, filler)).unwrap_or_default();
            number.to_be_bytes()
        };
        (bytes('0'), bytes('f'))
    }

    fn is_long_end_of(&self, whole: &str) -> bool {
        self.digits.len() > SHORT_DIGITS && whole.ends_with(&self.digits)
    }
}

/// The short form of an id; none if the text is none.
#[must_use]
pub fn short(text: &str) -> Option<String> {
    let (prefix, rest) = text.split_once('_')?;
    let uuid = Uuid::try_parse(rest).ok()?;
    let is_id = IdKind::of_prefix(prefix).is_some() && uuid.hyphenated().to_string() == rest;
    is_id.then(|| format!("{prefix}_{}", &rest[rest.len() - SHORT_DIGITS..]))
}

/// A text with every id in it in its short form.
#[must_use]
pub fn shortened(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut word = String::new();
    for character in text.chars() {
        if character.is_ascii_alphanumeric() || matches!(character, '_' | '-') {
            word.push(character);
            continue;
        }
        push_short(&mut shown, &word);
        word.clear();
        shown.push(character);
    }
    push_short(&mut shown, &word);
    shown
}

fn push_short(shown: &mut String, word: &str) {
    match short(word) {
        Some(id) => shown.push_str(&id),
        None => shown.push_str(word),
    }
}

// The digits as a number of `length` digits, the missing ones all the same.
fn filled(digits: &str, length: usize, filler: char) -> u128 {
    let missing = length.saturating_sub(digits.len());
    let whole: String = digits.chars().chain(std::iter::repeat_n(filler, missing)).collect();
    u128::from_str_radix(&whole, 16).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ID: &str = "0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55";

    #[test]
    fn the_short_form_is_the_end() {
        assert_eq!(short(&format!("fact_{ID}")).as_deref(), Some("fact_1c0b8e55"));
        assert_eq!(short(&format!("conf_{ID}")).as_deref(), Some("conf_1c0b8e55"));
        for other in [ID, "fact_1c0b8e55", "", "other_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55"] {
            assert_eq!(short(other), None, "{other}");
        }
        let text = format!("`fact_{ID}` replaces ep_{ID}; not x-{ID}");
        assert_eq!(shortened(&text), format!("`fact_1c0b8e55` replaces ep_1c0b8e55; not x-{ID}"));
    }

    #[test]
    fn parts_name_their_id() {
        let uuid: Uuid = ID.parse().unwrap();
        for part in ["1c0b8e55", "1c0b", "1C0B8E55", "0197", "0197a3c2-1b7e", "6d1c0b8e55", "9d3a-2f6d1c0b8e55"] {
            let part = Abbreviation::of(part).unwrap();
            assert!(part.names(uuid), "{part:?}");
            let (first, last) = part.trailing();
            let (low, high) = part.leading();
            let tail = &uuid.as_bytes()[12..];
            assert!((first.as_slice() <= tail && tail <= last.as_slice()) || (low <= uuid && uuid <= high), "{part:?}");
        }
        for part in ["8e55", "1c0c", "0198", "a3c2"] {
            assert!(!Abbreviation::of(part).unwrap().names(uuid), "{part}");
        }
        for text in ["", "1c0", "1c0g", ID, "1c0b_8e55"] {
            assert_eq!(Abbreviation::of(text), None, "{text}");
        }
        let found = Abbreviation::with_prefix("run_1c0b").map(|(kind, _)| kind);
        assert_eq!(found, Some(IdKind::Run));
        for text in ["run_1", "fact_1c0"] {
            let (_, part) = Abbreviation::with_prefix(text).unwrap();
            assert!(part.names(uuid), "{text}");
            let (first, last) = part.trailing();
            let tail = &uuid.as_bytes()[12..];
            assert!(first.as_slice() <= tail && tail <= last.as_slice(), "{text}");
        }
        assert_eq!(Abbreviation::with_prefix("run_"), None);
        assert_eq!(Abbreviation::with_prefix("nothing_1c0b"), None);
    }

    proptest! {
        #[test]
        fn an_id_is_named_by_its_short_form_and_lies_where_it_is_looked_for(number in any::<u128>(), length in 4usize..32) {
            let uuid = Uuid::from_u128(number);
            let whole = uuid.simple().to_string();
            for part in [&whole[..length], &whole[24..24 + length.min(8)], &whole[32 - length.max(8)..]] {
                let part = Abbreviation::of(part).unwrap();
                prop_assert!(part.names(uuid));
                let (first, last) = part.trailing();
                let (low, high) = part.leading();
                let tail = &uuid.as_bytes()[12..];
                prop_assert!(
                    (first.as_slice() <= tail && tail <= last.as_slice()) || (low <= uuid && uuid <= high)
                );
            }
        }

        #[test]
        fn any_text_is_a_part_or_not(text in "\\PC*") {
            let _ = (Abbreviation::of(&text), Abbreviation::with_prefix(&text), short(&text));
            prop_assert!(shortened(&text).len() <= text.len());
        }
    }
}
