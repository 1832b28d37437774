//! Quoted phrases: texts that hold them word for word are found, whatever else is near.

use std::collections::BTreeSet;

use scrubjay_core::lexical;
use scrubjay_store::Store;
use scrubjay_store::item::ItemKey;

use crate::index::{ColumnFilter, Sight};
use crate::{Ctx, Result};

/// Phrases that a question has at most.
const PHRASES: usize = 4;

/// Texts that hold all words of a phrase and are read for the phrase itself, and texts that are found by one.
const READ: usize = 512;
const FOUND: usize = 32;

/// Texts that are read at a time.
const PAGE: usize = 64;

/// A quoted word that more texts hold says nothing about any of them, unless it is all that is asked.
const RARE: usize = 5;

/// The marks that quotes begin and end with.
const QUOTES: [(char, char); 7] =
    [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('『', '』'), ('`', '`')];

/// The keys of the texts that hold a phrase which the question quotes, or an emoji that is all it consists of.
///
/// # Errors
/// When the store fails or the index is damaged.
pub(super) async fn holding_phrases(
    ctx: &Ctx,
    store: &dyn Store,
    sight: &Sight,
    text: &str,
    filter: &ColumnFilter,
) -> Result<BTreeSet<u64>> {
    let mut keys = BTreeSet::new();
    let snapshot = &sight.snapshot;
    for phrase in phrases(text) {
        let parts = parts(&phrase);
        let hashes: Vec<u64> = parts.iter().map(|part| lexical::term_hash(part)).collect();
        let documents = snapshot.holding_all(&snapshot.shards(), &hashes, &filter.columns(), READ)?;
        let is_all = lexical::terms(text).iter().all(|term| parts.contains(term) || lexical::is_stop_word(term));
        if parts.len() == 1 && documents.len() > RARE && !is_all {
            continue;
        }
        let wanted = normalised(&phrase);
        for page in documents.chunks(PAGE) {
            let page: Vec<ItemKey> = page
                .iter()
                .map(|document| Ok(ItemKey::from_number(snapshot.row(*document)?.key)))
                .collect::<Result<_>>()?;
            let items = store.items(ctx.view(), page).await?;
            let holding = items.into_iter().filter(|(_, item)| normalised(item.text()).contains(&wanted));
            keys.extend(holding.map(|(key, _)| key.number()));
            if keys.len() >= FOUND {
                break;
            }
        }
    }
    Ok(keys)
}

fn phrases(text: &str) -> Vec<String> {
    let terms = lexical::terms(text);
    if !terms.is_empty() && terms.iter().all(|term| term.chars().all(lexical::is_emoji)) {
        let unique: BTreeSet<String> = terms.into_iter().collect();
        return unique.into_iter().take(PHRASES).collect();
    }
    let mut phrases: Vec<String> = Vec::new();
    for (open, close) in QUOTES {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(open)
            && let Some((phrase, after)) = after.split_once(close)
        {
            let says_something = lexical::terms(phrase).iter().any(|term| !lexical::is_stop_word(term));
            let is_long_enough = says_something || parts(phrase).len() > 2;
            if is_long_enough && !phrases.iter().any(|known| known == phrase) {
                phrases.push(phrase.to_owned());
            }
            rest = after;
        }
    }
    phrases.truncate(PHRASES);
    phrases
}

// The words of a phrase without what they are joined to: in a text they may be joined to something else.
fn parts(phrase: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut next = 0;
    lexical::for_each_term(phrase, |term, position| {
        if position >= next {
            next = position + 1;
            if !parts.iter().any(|part| part == term) {
                parts.push(term.to_owned());
            }
        }
    });
    parts
}

// In lower case, with single spaces. Variation selectors and skin tones do not count.
fn normalised(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let kept = word.chars().filter(|character| !matches!(*character as u32, 0xFE00..=0xFE0F | 0x1F3FB..=0x1F3FF));
        kept.flat_map(char::to_lowercase).map(|character| if character == '’' { '\'' } else { character }).collect()
    });
    words.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_stand_between_quotes() {
        for (text, expected) in [
            ("what did “the exact words” mean", vec!["the exact words"]),
            ("rename \"one thing\" to \"another thing\"", vec!["one thing", "another thing"]),
            ("run `npm run build` again", vec!["npm run build"]),
            ("«mot à mot» et „Wort für Wort“", vec!["Wort für Wort", "mot à mot"]),
            ("5\" and 6 feet", vec![]),
            ("\"the\" and \"\"", vec![]),
            ("🎉 🚀", vec!["🎉", "🚀"]),
            ("nothing quoted", vec![]),
        ] {
            assert_eq!(phrases(text), expected, "{text}");
        }
    }

    #[test]
    fn parts_are_what_any_text_with_the_phrase_has() {
        assert_eq!(parts("foo.bar baz"), ["foo", "bar", "baz"]);
        assert!(normalised("The  Exact\nWords 👍🏽").contains(&normalised("exact words 👍")));
    }
}
