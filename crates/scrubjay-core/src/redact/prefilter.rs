//! Finds the keywords of all rules in one pass over the text.
//!
//! The table is computed when the crate is compiled, because a process that lives for one command would otherwise spend
//! more time on building a search automaton than on searching: an Aho-Corasick automaton for these keywords takes 1.4 ms
//! to build and reads 60 to 110 MB/s, this table takes nothing and reads at least twice as fast.

use super::rules::{COUNT, RULES};

/// Calls `found(start, rule)` for every keyword in the text, in order of `start`.
pub(super) fn find_keywords(text: &str, mut found: impl FnMut(usize, usize)) {
    let bytes = text.as_bytes();
    let [first, second, rest @ ..] = bytes else { return };
    let mut trio = class(*first) << 6 | class(*second);
    for (start, third) in rest.iter().enumerate() {
        trio = (trio << 6 | class(*third)) & TRIO_MASK;
        if may_begin(trio) {
            compare(bytes, start, trio, &mut found);
        }
    }
    // The last two characters have no third.
    trio = trio << 6 & TRIO_MASK;
    if may_begin(trio) {
        compare(bytes, rest.len(), trio, &mut found);
    }
}

fn class(byte: u8) -> usize {
    usize::from(CLASSES[usize::from(byte)])
}

fn may_begin(trio: usize) -> bool {
    TABLE.starts[trio >> 6] & 1 << (trio & 63) != 0
}

fn compare(bytes: &[u8], start: usize, trio: usize, found: &mut impl FnMut(usize, usize)) {
    if bytes.get(start + 3).is_some_and(|fourth| TABLE.fourths[trio >> 6] & 1 << class(*fourth) == 0) {
        return;
    }
    for entry in bucket(trio >> 6) {
        if usize::from(entry.third) != trio & 63 && entry.third != ANY {
            continue;
        }
        let place = bytes.get(start..start + entry.keyword.len());
        if place.is_some_and(|place| place.eq_ignore_ascii_case(entry.keyword.as_bytes())) {
            found(start, usize::from(entry.rule));
        }
    }
}

/// The keywords that begin with two characters of these classes.
fn bucket(duo: usize) -> &'static [Entry] {
    &TABLE.entries[usize::from(TABLE.bucket_starts[duo])..usize::from(TABLE.bucket_starts[duo + 1])]
}

#[derive(Clone, Copy)]
struct Entry {
    keyword: &'static str,
    rule: u16,
    /// The class of the third character, which is cheaper to compare than the keyword.
    third: u8,
}

/// The third class of a keyword that has only two characters.
const ANY: u8 = u8::MAX;

struct Table {
    /// A bit for each three classes with which a keyword begins: the first two choose the word, the third the bit.
    starts: [u64; DUOS],
    /// A bit for each class that is fourth in a keyword with these first two; all bits where one is shorter than that.
    /// It spares the comparison with each of them in words such as `these` and `class`.
    fourths: [u64; DUOS],
    /// Where in `entries` the keywords begin that start with two classes; the next number is where they end.
    bucket_starts: [u16; DUOS + 1],
    entries: [Entry; KEYWORDS],
}

/// Two classes of six bits.
const DUOS: usize = 1 << 12;
const TRIO_MASK: usize = (1 << 18) - 1;

/// Bytes that are equal for the search: letters without case, and all bytes with which no keyword begins.
static CLASSES: [u8; 256] = classes();

static TABLE: Table = table();

const KEYWORDS: usize = {
    let mut total = 0;
    let mut rule = 0;
    while rule < COUNT {
        total += RULES[rule].keywords.len();
        rule += 1;
    }
    total
};

/// Numbers the bytes that stand among the first three of any keyword, so that those of other scripts are told apart,
/// too. A byte for which no number of six bits is left shares class 0 with the rest, which is slower, not wrong.
const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut next = 1;
    let mut rule = 0;
    while rule < COUNT {
        let mut index = 0;
        while index < RULES[rule].keywords.len() {
            let keyword = RULES[rule].keywords[index].as_bytes();
            let mut place = 0;
            while place < 3 && place < keyword.len() {
                let byte = keyword[place];
                if classes[byte as usize] == 0 && next < 64 {
                    classes[byte as usize] = next;
                    classes[byte.to_ascii_uppercase() as usize] = next;
                    next += 1;
                }
                place += 1;
            }
            index += 1;
        }
        rule += 1;
    }
    classes
}

const fn duo_of(keyword: &str, classes: &[u8; 256]) -> usize {
    let bytes = keyword.as_bytes();
    (classes[bytes[0] as usize] as usize) << 6 | classes[bytes[1] as usize] as usize
}

/// Sorts the keywords into buckets by counting.
const fn table() -> Table {
    let classes = classes();
    let mut starts = [0; DUOS];
    let mut fourths = [0; DUOS];
    let mut bucket_starts = [0; DUOS + 1];
    let mut entries = [Entry { keyword: "", rule: 0, third: 0 }; KEYWORDS];
    let mut rule = 0;
    while rule < COUNT {
        let mut index = 0;
        while index < RULES[rule].keywords.len() {
            let keyword = RULES[rule].keywords[index];
            let duo = duo_of(keyword, &classes);
            // A keyword of two characters begins here whatever the third one is.
            starts[duo] |= match keyword.as_bytes() {
                [_, _, third, ..] => 1 << classes[*third as usize],
                _ => u64::MAX,
            };
            fourths[duo] |= match keyword.as_bytes() {
                [_, _, _, fourth, ..] => 1 << classes[*fourth as usize],
                _ => u64::MAX,
            };
            bucket_starts[duo + 1] += 1;
            index += 1;
        }
        rule += 1;
    }
    let mut duo = 0;
    while duo < DUOS {
        bucket_starts[duo + 1] += bucket_starts[duo];
        duo += 1;
    }
    let mut filled = [0_u16; DUOS];
    rule = 0;
    while rule < COUNT {
        let mut index = 0;
        while index < RULES[rule].keywords.len() {
            let keyword = RULES[rule].keywords[index];
            let duo = duo_of(keyword, &classes);
            let third = match keyword.as_bytes() {
                [_, _, third, ..] => classes[*third as usize],
                _ => ANY,
            };
            entries[(bucket_starts[duo] + filled[duo]) as usize] = Entry { keyword, rule: rule as u16, third };
            filled[duo] += 1;
            index += 1;
        }
        rule += 1;
    }
    Table { starts, fourths, bucket_starts, entries }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise text in another script would be compared with keywords at nearly every byte.
    #[test]
    fn every_byte_that_begins_a_keyword_has_a_class() {
        for keyword in RULES.iter().flat_map(|rule| rule.keywords) {
            let begin = keyword.bytes().take(3);
            assert!(begin.clone().all(|byte| class(byte) != 0), "{keyword}");
            assert!(begin.zip(keyword.to_ascii_uppercase().bytes()).all(|(low, high)| class(low) == class(high)));
        }
    }

    #[test]
    fn every_keyword_is_found_wherever_it_stands() {
        for (index, rule) in RULES.iter().enumerate() {
            for keyword in rule.keywords {
                for text in
                    [(*keyword).to_owned(), format!("ä{}", keyword.to_ascii_uppercase()), format!("{keyword}x. ")]
                {
                    let mut is_found = false;
                    find_keywords(&text, |_, rule| is_found |= rule == index);
                    assert!(is_found, "{} by {keyword:?} in {text:?}", rule.id);
                }
            }
        }
    }
}
