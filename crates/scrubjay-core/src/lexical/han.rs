//! Traditional Chinese characters and their simplified forms.

/// Pairs of a traditional character and its simplified form, by code point. Every character has three bytes.
const PAIRS: &str = include_str!("../../han/simplified.txt");

const CHARACTER_BYTES: usize = 3;
const PAIR_BYTES: usize = 2 * CHARACTER_BYTES;

/// The simplified form of a Chinese character, or the character itself.
pub(super) fn simplified(character: char) -> char {
    if !matches!(character as u32, 0x3400..=0x9FFF) {
        return character;
    }
    let pairs = PAIRS.as_bytes().as_chunks::<PAIR_BYTES>().0;
    let mut bytes = [0; CHARACTER_BYTES];
    character.encode_utf8(&mut bytes);
    // The order of bytes in UTF-8 is that of code points.
    let found = pairs.binary_search_by(|pair| pair[..CHARACTER_BYTES].cmp(&bytes[..])).ok();
    let form = found.and_then(|place| PAIRS.get(place * PAIR_BYTES + CHARACTER_BYTES..)?.chars().next());
    form.unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traditional_characters_become_simplified_ones() {
        for (from, to) in
            [('機', '机'), ('數', '数'), ('資', '资'), ('庫', '库'), ('后', '后'), ('あ', 'あ'), ('a', 'a')]
        {
            assert_eq!(simplified(from), to);
        }
    }

    #[test]
    fn the_table_is_sorted_and_ends_where_it_leads() {
        let (pairs, rest) = PAIRS.as_bytes().as_chunks::<PAIR_BYTES>();
        assert!(rest.is_empty() && pairs.len() > 2000);
        assert!(pairs.is_sorted_by(|one, other| one[..CHARACTER_BYTES] < other[..CHARACTER_BYTES]));
        assert_eq!(PAIRS.chars().count(), 2 * pairs.len());
        for target in PAIRS.chars().skip(1).step_by(2) {
            assert_eq!(simplified(target), target);
        }
    }
}
