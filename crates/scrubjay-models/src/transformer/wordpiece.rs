//! WordPiece as `tokenizer.json` describes it.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use unicode_normalization::char::decompose_canonical;

use scrubjay_core::character::{is_ideograph, is_left_out, is_mark_without_width, is_punctuation};

/// A larger file is no tokenizer of this kind.
const LARGEST_BYTES: u64 = 64 << 20;

/// A tokenizer.
pub(super) struct WordPiece {
    vocabulary: HashMap<String, u32>,
    continuation: String,
    longest_word_chars: usize,
    unknown: u32,
    begin: u32,
    end: u32,
    normalizer: Normalizer,
}

#[derive(Deserialize)]
struct TokenizerFile {
    normalizer: Option<Normalizer>,
    pre_tokenizer: Option<Kind>,
    model: Model,
}

#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize, Clone)]
struct Normalizer {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default = "yes")]
    clean_text: bool,
    #[serde(default = "yes")]
    handle_chinese_chars: bool,
    #[serde(default)]
    strip_accents: Option<bool>,
    #[serde(default = "yes")]
    lowercase: bool,
}

#[derive(Deserialize)]
struct Model {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    vocab: serde_json::Value,
    #[serde(default)]
    unk_token: Option<String>,
    #[serde(default)]
    continuing_subword_prefix: Option<String>,
    #[serde(default)]
    max_input_chars_per_word: Option<usize>,
}

fn yes() -> bool {
    true
}

impl WordPiece {
    /// Reads `tokenizer.json`.
    pub(super) fn read(path: &Path, vocabulary_size: usize) -> Result<Self, String> {
        let size = std::fs::metadata(path).map_err(|error| format!("tokenizer.json cannot be read ({error})"))?.len();
        if size > LARGEST_BYTES {
            return Err("tokenizer.json is too large".to_owned());
        }
        let text = std::fs::read(path).map_err(|error| format!("tokenizer.json cannot be read ({error})"))?;
        Self::parse(&text, vocabulary_size)
    }

    fn parse(text: &[u8], vocabulary_size: usize) -> Result<Self, String> {
        let file: TokenizerFile =
            serde_json::from_slice(text).map_err(|error| format!("tokenizer.json is not understood ({error})"))?;
        if file.model.kind.as_deref().is_some_and(|kind| kind != "WordPiece") {
            let kind = file.model.kind.unwrap_or_default();
            return Err(format!("its tokenizer is {kind}, and only WordPiece can be run"));
        }
        if let Some(kind) = file.pre_tokenizer.filter(|kind| kind.kind != "BertPreTokenizer") {
            return Err(format!("its tokenizer splits words by {}, which cannot be run", kind.kind));
        }
        let normalizer = file.normalizer.ok_or("its tokenizer has no normalizer")?;
        if normalizer.kind != "BertNormalizer" {
            return Err(format!("its tokenizer normalizes by {}, which cannot be run", normalizer.kind));
        }
        let vocabulary: HashMap<String, u32> =
            serde_json::from_value(file.model.vocab).map_err(|_| "the vocabulary is not that of WordPiece")?;
        if vocabulary.values().any(|id| *id as usize >= vocabulary_size) {
            return Err("the vocabulary is larger than the model's".to_owned());
        }
        let id = |token: &str| vocabulary.get(token).copied().ok_or_else(|| format!("the vocabulary has no {token}"));
        let unknown = id(file.model.unk_token.as_deref().unwrap_or("[UNK]"))?;
        let (begin, end) = (id("[CLS]")?, id("[SEP]")?);
        Ok(Self {
            continuation: file.model.continuing_subword_prefix.unwrap_or_else(|| "##".to_owned()),
            longest_word_chars: file.model.max_input_chars_per_word.unwrap_or(100),
            unknown,
            begin,
            end,
            normalizer,
            vocabulary,
        })
    }

    /// The tokens of a text with those that begin and end it, `max_tokens` at most.
    pub(super) fn tokens(&self, text: &str, max_tokens: usize) -> Vec<u32> {
        let room = max_tokens.saturating_sub(2);
        let mut tokens = vec![self.begin];
        let mut word = String::new();
        for character in text.chars() {
            if tokens.len() > room {
                break;
            }
            self.add(character, &mut word, &mut tokens);
        }
        self.finish(&mut word, &mut tokens);
        tokens.truncate(room + 1);
        tokens.push(self.end);
        tokens
    }

    fn add(&self, character: char, word: &mut String, tokens: &mut Vec<u32>) {
        if self.normalizer.clean_text && (is_left_out(character) || character == '\0') {
            return;
        }
        if self.normalizer.handle_chinese_chars && is_ideograph(character) {
            self.finish(word, tokens);
            word.push(character);
            self.finish(word, tokens);
            return;
        }
        let strip = self.normalizer.strip_accents.unwrap_or(self.normalizer.lowercase);
        let mut plain = Vec::with_capacity(2);
        if strip {
            decompose_canonical(character, |part| {
                if !is_mark_without_width(part) {
                    plain.push(part);
                }
            });
        } else {
            plain.push(character);
        }
        for part in plain {
            if self.normalizer.lowercase {
                for lower in part.to_lowercase() {
                    self.add_plain(lower, word, tokens);
                }
            } else {
                self.add_plain(part, word, tokens);
            }
        }
    }

    fn add_plain(&self, character: char, word: &mut String, tokens: &mut Vec<u32>) {
        if character.is_whitespace() {
            self.finish(word, tokens);
        } else if is_punctuation(character) {
            self.finish(word, tokens);
            word.push(character);
            self.finish(word, tokens);
        } else {
            word.push(character);
        }
    }

    // The longest pieces there are, from the left; the whole word is unknown if some part of it is no piece.
    fn finish(&self, word: &mut String, tokens: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        let before = tokens.len();
        if word.chars().count() > self.longest_word_chars || !self.pieces(word, tokens) {
            tokens.truncate(before);
            tokens.push(self.unknown);
        }
        word.clear();
    }

    fn pieces(&self, word: &str, tokens: &mut Vec<u32>) -> bool {
        let mut start = 0;
        let mut candidate = String::new();
        while start < word.len() {
            let rest = &word[start..];
            let mut ends = rest.char_indices().map(|(place, character)| place + character.len_utf8()).rev();
            let found = ends.find_map(|end| {
                candidate.clear();
                if start > 0 {
                    candidate.push_str(&self.continuation);
                }
                candidate.push_str(&rest[..end]);
                self.vocabulary.get(&candidate).map(|id| (end, *id))
            });
            let Some((end, id)) = found else { return false };
            tokens.push(id);
            start += end;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokenizer(normalizer: &str) -> Result<WordPiece, String> {
        let words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "cafe", "Cafe", "中", "!", "x"];
        let vocabulary: serde_json::Map<String, serde_json::Value> =
            words.iter().enumerate().map(|(id, word)| ((*word).to_owned(), id.into())).collect();
        let model = serde_json::json!({"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocabulary});
        let text =
            format!(r#"{{"normalizer":{normalizer},"pre_tokenizer":{{"type":"BertPreTokenizer"}},"model":{model}}}"#);
        WordPiece::parse(text.as_bytes(), words.len())
    }

    #[test]
    fn words_become_pieces() {
        let tokenizer = tokenizer(r#"{"type":"BertNormalizer","lowercase":true,"strip_accents":null}"#).unwrap();
        for (text, expected) in [
            ("", vec![2, 3]),
            ("Unaffable", vec![2, 4, 5, 6, 3]),
            ("CAFÉ!", vec![2, 7, 10, 3]),
            ("x中x\u{200b}", vec![2, 11, 9, 11, 3]),
            ("nothing known", vec![2, 1, 1, 3]),
            ("[SEP]", vec![2, 1, 1, 1, 3]),
        ] {
            assert_eq!(tokenizer.tokens(text, 64), expected, "{text}");
        }
        assert_eq!(tokenizer.tokens("x x x x x x", 5), [2, 11, 11, 11, 3]);
        assert_eq!(tokenizer.tokens(&"y".repeat(101), 64), [2, 1, 3]);
    }

    #[test]
    fn case_is_kept_where_it_counts_and_other_tokenizers_are_refused() {
        let cased = tokenizer(r#"{"type":"BertNormalizer","lowercase":false}"#).unwrap();
        assert_eq!(cased.tokens("Cafe cafe Café", 64), [2, 8, 7, 1, 3]);
        assert!(tokenizer(r#"{"type":"NFC"}"#).is_err());
        assert!(WordPiece::parse(br#"{"model":{"type":"BPE","vocab":{}}}"#, 1).is_err_and(|why| why.contains("BPE")));
        assert!(WordPiece::parse(b"{", 1).is_err());
    }
}
