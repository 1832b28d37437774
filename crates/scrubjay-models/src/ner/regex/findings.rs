//! Where the shapes put what they find, and how they look around.

use std::ops::Range;

use scrubjay_core::entity::EntityType;
use scrubjay_core::lexical::is_dense;

use super::provider::PROVIDER;
use crate::ner::mention::Mention;
use crate::ner::provider::MAX_MENTIONS;

/// The mentions found so far. Each shape may add [`MAX_MENTIONS`], so that none crowds out another.
pub(super) struct Findings<'text> {
    text: &'text str,
    mentions: Vec<Mention>,
    room: usize,
}

impl<'text> Findings<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        Self { text, mentions: Vec::new(), room: MAX_MENTIONS }
    }

    /// Called first by every shape.
    pub(super) fn make_room(&mut self) {
        self.room = MAX_MENTIONS;
    }

    pub(super) fn is_full(&self) -> bool {
        self.room == 0
    }

    pub(super) fn add(&mut self, span: Range<usize>, name: String, entity_type: EntityType, confidence: f32) {
        if let Some(text) = self.text.get(span.clone())
            && !text.is_empty()
            && !name.is_empty()
            && self.room > 0
        {
            self.room -= 1;
            self.mentions.push(Mention {
                start: span.start,
                end: span.end,
                text: text.to_owned(),
                name,
                entity_type,
                confidence,
                provider: PROVIDER,
            });
        }
    }

    pub(super) fn into_mentions(self) -> Vec<Mention> {
        self.mentions
    }
}

pub(super) fn character_before(text: &str, place: usize) -> Option<char> {
    text.get(..place).and_then(|left| left.chars().next_back())
}

pub(super) fn character_after(text: &str, place: usize) -> Option<char> {
    text.get(place..).and_then(|right| right.chars().next())
}

/// A letter or digit of a script that writes words apart. Between any other characters a shape may begin or end, even
/// without a space, as in `请看https://example.org`.
pub(super) fn is_spaced_letter(character: char) -> bool {
    character.is_alphanumeric() && !is_dense(character)
}

/// How far the characters of `accepted` reach to the left of `place`, at most `limit_bytes`.
pub(super) fn reach_left(text: &str, place: usize, limit_bytes: usize, accepted: impl Fn(char) -> bool) -> usize {
    let mut start = place;
    for character in text.get(..place).unwrap_or_default().chars().rev() {
        if !accepted(character) || place - start + character.len_utf8() > limit_bytes {
            break;
        }
        start -= character.len_utf8();
    }
    start
}

/// How far the characters of `accepted` reach to the right of `place`, at most `limit_bytes`.
pub(super) fn reach_right(text: &str, place: usize, limit_bytes: usize, accepted: impl Fn(char) -> bool) -> usize {
    let mut end = place;
    for character in text.get(place..).unwrap_or_default().chars() {
        if !accepted(character) || end - place + character.len_utf8() > limit_bytes {
            break;
        }
        end += character.len_utf8();
    }
    end
}
