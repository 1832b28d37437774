//! Tells names and words from random characters.

/// Only words, joined by hyphens, underscores, dots, slashes or capitals, such as `user-login-v2` or `OAuthTokenKey`.
pub(super) fn is_made_of_words(value: &str) -> bool {
    let mut words: Vec<&str> = value.split(|c: char| WORD_JOINTS.contains(c)).flat_map(split_humps).collect();
    words.retain(|word| !word.is_empty());
    // Random characters break into pieces that are shorter than words are, and most of them end in a digit.
    let letters: usize = words.iter().map(|word| word.bytes().filter(u8::is_ascii_alphabetic).count()).sum();
    let numbered = words.iter().filter(|word| word.ends_with(|c: char| c.is_ascii_digit())).count();
    let unspeakable = words.iter().filter(|word| !word.bytes().any(is_vowel)).count();
    letters >= 3 * words.len()
        && 3 * numbered <= words.len() + 2
        && 4 * unspeakable <= words.len() + 3
        && words.iter().all(|word| is_word(word))
}

/// Letters and digits, or letters of both cases, that spell no words.
pub(super) fn is_mixed(value: &str) -> bool {
    let has_both_cases =
        value.bytes().any(|byte| byte.is_ascii_lowercase()) && value.bytes().any(|byte| byte.is_ascii_uppercase());
    (mixes_letters_and_digits(value) || has_both_cases) && !is_made_of_words(value)
}

pub(super) fn mixes_letters_and_digits(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_alphabetic()) && value.bytes().any(|byte| byte.is_ascii_digit())
}

pub(super) fn is_identifier(value: &str) -> bool {
    let starts = value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Cuts `parseHTTPRequest2Go` into `parse`, `HTTP`, `Request2` and `Go`.
fn split_humps(joined: &str) -> Vec<&str> {
    let bytes = joined.as_bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    for index in 1..bytes.len() {
        let (previous, current, next) = (bytes[index - 1], bytes[index], bytes.get(index + 1));
        let starts_hump = previous.is_ascii_lowercase() && current.is_ascii_uppercase();
        let ends_acronym =
            previous.is_ascii_uppercase() && current.is_ascii_uppercase() && next.is_some_and(u8::is_ascii_lowercase);
        let ends_number = previous.is_ascii_digit() && current.is_ascii_alphabetic();
        if (starts_hump || ends_acronym || ends_number) && joined.is_char_boundary(index) {
            parts.push(&joined[start..index]);
            start = index;
        }
    }
    parts.push(&joined[start..]);
    parts
}

/// Letters that can be spoken, then at most four digits; or a short number.
fn is_word(word: &str) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = word.len() - letters.len();
    if letters.is_empty() {
        return digits <= 4;
    }
    if digits > 4 || !letters.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    let vowels = letters.bytes().filter(|byte| is_vowel(*byte)).count();
    let one_case = letters[1..].bytes().all(|byte| byte.is_ascii_lowercase())
        || letters.bytes().all(|byte| byte.is_ascii_uppercase());
    let consonants = letters.as_bytes().split(|byte| is_vowel(*byte)).map(<[u8]>::len).max();
    let is_spoken = vowels * 6 >= letters.len() && consonants.is_some_and(|longest| longest <= 5);
    one_case && (letters.len() <= 3 && digits <= 2 || is_spoken)
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// What joins the words of a name.
const WORD_JOINTS: &str = "_-./:+@,=&#~!*";
