//! Hashes of text, for telling whether two texts are the same.

use std::fmt;

/// A 128-bit hash of a text.
///
/// 16 bytes are enough: a million texts collide with a chance of 10^-27, and a
/// hash is only compared within one scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextHash([u8; 16]);

impl TextHash {
    /// The same message: line ends and surrounding white space do not matter.
    #[must_use]
    pub fn of_message(text: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        for line in text.trim().lines() {
            hasher.update(line.trim_end().as_bytes());
            hasher.update(b"\n");
        }
        Self::finish(&hasher)
    }

    /// The same bytes, one by one.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(bytes);
        Self::finish(&hasher)
    }

    /// The same value: case, spacing and final punctuation do not matter either.
    #[must_use]
    pub fn of_value(text: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        let trimmed = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '!' | ';' | '。'));
        for word in trimmed.split_whitespace() {
            hasher.update(word.to_lowercase().as_bytes());
            hasher.update(b" ");
        }
        Self::finish(&hasher)
    }

    /// The bytes, for storing.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// From stored bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    fn finish(hasher: &blake3::Hasher) -> Self {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(bytes)
    }
}

impl fmt::Display for TextHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_differ_by_more_than_line_ends() {
        assert_eq!(TextHash::of_message("a\r\nb  \n"), TextHash::of_message(" a\nb"));
        assert_ne!(TextHash::of_message("a b"), TextHash::of_message("a\nb"));
        assert_ne!(TextHash::of_message("Yes"), TextHash::of_message("yes"));
    }

    #[test]
    fn values_differ_by_words() {
        assert_eq!(TextHash::of_value("Uses  Tabs."), TextHash::of_value("uses tabs"));
        assert_ne!(TextHash::of_value("uses tabs"), TextHash::of_value("uses tab"));
    }
}
