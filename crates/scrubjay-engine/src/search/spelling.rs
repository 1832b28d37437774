//! Words that are spelt like a word of the question that nothing here holds.
//!
//! Only the words of the visible scopes are looked at (`Snapshot::for_each_word`), so that nothing of another project
//! shows. One edit is an inserted, missing, other or swapped letter.

use std::collections::BTreeMap;

use scrubjay_core::lexical;
use scrubjay_index::Snapshot;

use crate::Result;

/// The shortest word that is looked at, and the shortest that may differ in two letters.
const SHORTEST: usize = 5;
const SHORTEST_TWO: usize = 8;

/// A word is part of a longer one if that has so many letters more.
const LEAST_REST: usize = 4;

/// The most neighbours of a word.
const NEIGHBOURS: usize = 3;

/// A word of the texts here that a word of the question may stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Neighbour {
    /// As a term.
    pub(super) term: String,
    /// How it is like the other.
    pub(super) likeness: Likeness,
}

/// How a word is like another; what comes first is likelier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// One letter differs.
    OneEdit,
    /// It begins or ends with the other, as compounds do.
    Compound,
    /// Two letters differ.
    TwoEdits,
}

/// Finds the words here that are most like a word of the question, as it is written and as a term.
///
/// # Errors
/// When the index is damaged.
pub(super) fn neighbours(snapshot: &Snapshot, written: &str, term: &str) -> Result<Vec<Neighbour>> {
    let letters: Vec<char> = term.chars().collect();
    if written.chars().count() < SHORTEST {
        return Ok(Vec::new());
    }
    let mut found: BTreeMap<String, Likeness> = BTreeMap::new();
    // An edit in an ending changes the stem by more than one letter, so that the word is mended before it is stemmed.
    for mended in one_edit(written) {
        if let [term] = &lexical::terms(&mended)[..] {
            found.insert(term.clone(), Likeness::OneEdit);
        }
    }
    scan(snapshot, &letters, &mut found)?;
    found.remove(term);
    let hashes: Vec<u64> = found.keys().map(|term| lexical::term_hash(term)).collect();
    let frequencies = snapshot.statistics(&snapshot.shards(), &hashes)?.document_frequencies;
    let mut found: Vec<(Likeness, u64, String)> = found
        .into_iter()
        .zip(frequencies)
        .filter(|((term, _), frequency)| *frequency > 0 && !lexical::is_stop_word(term))
        .map(|((term, likeness), frequency)| (likeness, frequency, term))
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
    let best = found.first().map(|(likeness, ..)| *likeness);
    found.retain(|(likeness, ..)| Some(*likeness) == best);
    found.truncate(NEIGHBOURS);
    Ok(found.into_iter().map(|(likeness, _, term)| Neighbour { term, likeness }).collect())
}

fn scan(snapshot: &Snapshot, letters: &[char], found: &mut BTreeMap<String, Likeness>) -> Result<()> {
    let (Some(first), Some(widest)) = (letters.first(), letters.iter().map(|letter| letter.len_utf8()).max()) else {
        return Ok(());
    };
    let term: String = letters.iter().collect();
    let most = if letters.len() >= SHORTEST_TWO { 2 } else { 1 };
    let own_mask = letter_mask(term.as_bytes());
    let reach = most * widest;
    // A compound may be longer than anything that is merely misspelt.
    let lengths = term.len().saturating_sub(reach)..=usize::MAX;
    let mut other: Vec<char> = Vec::new();
    snapshot.for_each_word(&snapshot.shards(), lengths, &mut |bytes| {
        if bytes.len() > term.len() + reach {
            let is_part = bytes.starts_with(term.as_bytes()) || bytes.ends_with(term.as_bytes());
            if is_part
                && letters.len() >= SHORTEST
                && bytes.len() >= term.len() + LEAST_REST
                && let Ok(word) = std::str::from_utf8(bytes)
            {
                found.entry(word.to_owned()).or_insert(Likeness::Compound);
            }
            return;
        }
        // Each edit changes at most two of the letters that are there.
        let differing = (letter_mask(bytes) ^ own_mask).count_ones() as usize;
        if differing > 2 * most * widest {
            return;
        }
        let Ok(word) = std::str::from_utf8(bytes) else { return };
        other.clear();
        other.extend(word.chars());
        let edits = distance(letters, &other, most);
        let likeness = match edits {
            Some(0 | 1) => Likeness::OneEdit,
            Some(_) if other.first() == Some(first) => Likeness::TwoEdits,
            _ => return,
        };
        let entry = found.entry(word.to_owned()).or_insert(likeness);
        *entry = (*entry).min(likeness);
    })?;
    Ok(())
}

// A bit for each letter that is there.
fn letter_mask(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |mask, byte| mask | 1 << (byte & 63))
}

/// Every word that differs from this one by an edit.
fn one_edit(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.to_lowercase().chars().collect();
    let Some(alphabet) = alphabet_of(&letters) else { return Vec::new() };
    let with = |from: usize, until: usize, middle: &[char]| -> String {
        letters[..from].iter().chain(middle).chain(&letters[until..]).collect()
    };
    let mut words = Vec::with_capacity(letters.len() * 2 * alphabet.len());
    for place in 0..letters.len() {
        words.push(with(place, place + 1, &[]));
        if let Some(next) = letters.get(place + 1) {
            words.push(with(place, place + 2, &[*next, letters[place]]));
        }
        for letter in alphabet.iter().filter(|letter| **letter != letters[place]) {
            words.push(with(place, place + 1, &[*letter]));
        }
    }
    for place in 0..=letters.len() {
        words.extend(alphabet.iter().map(|letter| with(place, place, &[*letter])));
    }
    words
}

// The letters that may be inserted; none for scripts with too many.
fn alphabet_of(letters: &[char]) -> Option<Vec<char>> {
    let range = match letters.first()? {
        'a'..='z' | '\u{C0}'..='\u{24F}' => 'a'..='z',
        'α'..='ω' | 'ά'..='ώ' => 'α'..='ω',
        'а'..='я' | 'ё' => 'а'..='я',
        _ => return None,
    };
    letters.iter().all(|letter| letter.is_alphabetic()).then(|| range.collect())
}

/// How many edits lead from one word to the other, if no more than `most` do.
fn distance(one: &[char], other: &[char], most: usize) -> Option<usize> {
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let width = other.len() + 1;
    let mut before_last: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut now = vec![row + 1; width];
        for (column, other_letter) in other.iter().enumerate() {
            let replaced = last[column] + usize::from(letter != other_letter);
            now[column + 1] = replaced.min(last[column + 1] + 1).min(now[column] + 1);
            let is_swap = row > 0 && column > 0 && one[row - 1] == *other_letter && other[column - 1] == *letter;
            if is_swap {
                now[column + 1] = now[column + 1].min(before_last[column - 1] + 1);
            }
        }
        if now.iter().min().is_some_and(|least| *least > most) {
            return None;
        }
        (before_last, last) = (last, now);
    }
    last.last().copied().filter(|edits| *edits <= most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn letters(word: &str) -> Vec<char> {
        word.chars().collect()
    }

    #[test]
    fn edits_are_counted() {
        for (one, other, expected) in [
            ("postgres", "postgers", Some(1)),
            ("kubernetes", "kubrnets", Some(2)),
            ("kubernetes", "kubenretes", Some(1)),
            ("same", "same", Some(0)),
            ("abc", "xyz", None),
            ("short", "shortest", None),
        ] {
            assert_eq!(distance(&letters(one), &letters(other), 2), expected, "{one} {other}");
        }
    }

    #[test]
    fn an_edit_is_found_among_all_edits() {
        let edits = one_edit("router");
        for word in ["rooter", "ruoter", "roter", "routers", "mouter"] {
            assert!(edits.contains(&word.to_owned()), "{word}");
        }
        assert!(one_edit("привет").contains(&"превет".to_owned()));
        assert!(one_edit("数据库数据").is_empty() && one_edit("a2b4c").is_empty() && one_edit("").is_empty());
    }

    proptest! {
        #[test]
        fn distance_is_symmetric_and_sees_each_edit(word in "[a-d]{5,9}", place in 0_usize..5, letter in "[a-d]") {
            let mut other = word.clone();
            other.insert_str(place, &letter);
            prop_assert_eq!(distance(&letters(&word), &letters(&other), 2), Some(1));
            prop_assert_eq!(distance(&letters(&other), &letters(&word), 2), Some(1));
            other.remove(0);
            let there = distance(&letters(&word), &letters(&other), 2);
            prop_assert!(there.is_some() && there == distance(&letters(&other), &letters(&word), 2));
        }
    }
}
