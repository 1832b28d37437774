//! A part of a context that holds recalled text: a heading, and pieces between
//! marks.

use scrubjay_core::fence;
use scrubjay_ingest::Vocabulary;
use scrubjay_store::context::ReceiptItem;

use super::inject::entry;
use super::left_out::LeftOut;
use super::pack::{Packed, Room, pack};
use super::piece::{Piece, Rendered};

/// A part of a context before it is fitted.
#[derive(Debug, Clone, Default)]
pub struct Section {
    /// Its name.
    pub name: &'static str,
    /// What stands above it.
    pub heading: &'static str,
    /// What could be in it, best first.
    pub pieces: Vec<Piece>,
    /// What could not, and why.
    pub turned_away: Vec<LeftOut>,
    /// The most that one piece may take while others wait, as a share.
    pub per_piece: f64,
    /// Whether pieces are shown in the order of their times.
    pub by_time: bool,
}

/// A part of a context, fitted into a number of tokens.
#[derive(Debug, Clone, Default)]
pub struct FittedSection {
    /// Its text; empty if nothing is in it.
    pub content: String,
    /// Its exact number of tokens.
    pub tokens: usize,
    /// What is in it.
    pub items: Vec<ReceiptItem>,
    /// What is not.
    pub left_out: Vec<LeftOut>,
    /// Whether more room would help.
    pub hungry: bool,
    /// The tokens of the texts in it, without what stands around them.
    pub kept_tokens: usize,
    /// Which of its items are not whole.
    pub shortened: Vec<String>,
}

impl Section {
    /// The tokens of everything that could be in it.
    #[must_use]
    pub fn tokens(&self, vocabulary: Vocabulary) -> usize {
        let own: usize = self.pieces.iter().map(|piece| vocabulary.count(&piece.text)).sum();
        own + self.turned_away.iter().map(|left| left.tokens).sum::<usize>()
    }

    /// Fits it into `budget` tokens.
    #[must_use]
    pub fn fit(&self, budget: usize, slack: usize, vocabulary: Vocabulary, nonce: &str) -> FittedSection {
        let frame = vocabulary.count(&self.text("", nonce)) + 1;
        let tokens = budget.saturating_sub(frame);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a positive count")]
        let per_piece = ((tokens as f64 * self.per_piece) as usize).max(tokens.min(64));
        let mut packed = pack(&self.pieces, Room { tokens, per_piece, slack }, vocabulary);
        let hungry = !packed.left_out.is_empty() || packed.taken.iter().any(|(_, rendered)| rendered.cut);
        loop {
            let content = self.content(&packed, nonce);
            let tokens = vocabulary.count(&content);
            if tokens <= budget {
                return FittedSection {
                    items: self.items(&packed),
                    left_out: self.left_out(&packed, vocabulary),
                    kept_tokens: self.kept_tokens(&packed, vocabulary),
                    shortened: self.shortened(&packed),
                    content,
                    tokens,
                    hungry,
                };
            }
            // Lines add up; should they ever not, the last one goes.
            match packed.taken.pop() {
                Some((place, _)) => packed.left_out.push(place),
                None => {
                    return FittedSection {
                        left_out: self.left_out(&packed, vocabulary),
                        hungry,
                        ..FittedSection::default()
                    };
                }
            }
        }
    }

    fn content(&self, packed: &Packed, nonce: &str) -> String {
        if packed.taken.is_empty() {
            return String::new();
        }
        let mut taken: Vec<_> = packed.taken.iter().collect();
        if self.by_time {
            taken.sort_by_key(|(place, _)| time_of(&self.pieces[*place]));
        }
        let body: String = taken.into_iter().map(|(_, rendered)| rendered.text.as_str()).collect();
        self.text(body.trim_end(), nonce)
    }

    fn text(&self, body: &str, nonce: &str) -> String {
        format!("{}\n{}", self.heading, fence::wrap(body, nonce))
    }

    fn items(&self, packed: &Packed) -> Vec<ReceiptItem> {
        packed.taken.iter().map(|(place, rendered)| entry(&self.pieces[*place], self.name, rendered.tokens)).collect()
    }

    fn kept_tokens(&self, packed: &Packed, vocabulary: Vocabulary) -> usize {
        let kept = |(place, rendered): &(usize, Rendered)| {
            let piece = &self.pieces[*place];
            let whole = vocabulary.count(&piece.text);
            // Of a piece that was cut, what its line has without the label.
            if rendered.cut { rendered.tokens.saturating_sub(vocabulary.count(&piece.label)).min(whole) } else { whole }
        };
        packed.taken.iter().map(kept).sum()
    }

    fn shortened(&self, packed: &Packed) -> Vec<String> {
        let cut = packed.taken.iter().filter(|(_, rendered)| rendered.cut);
        cut.map(|(place, _)| self.pieces[*place].shown.to_string()).collect()
    }

    fn left_out(&self, packed: &Packed, vocabulary: Vocabulary) -> Vec<LeftOut> {
        let no_room = packed.left_out.iter().map(|place| {
            let piece = &self.pieces[*place];
            LeftOut::new(piece.shown.to_string(), self.name, "no room", vocabulary.count(&piece.text))
        });
        no_room.chain(self.turned_away.iter().cloned()).collect()
    }
}

fn time_of(piece: &Piece) -> (scrubjay_core::time::Timestamp, String) {
    let time = match &piece.item {
        scrubjay_store::item::Item::Memory(memory) => memory.event_time,
        scrubjay_store::item::Item::Chunk(chunk) => chunk.modified_at,
    };
    (time, piece.shown.to_string())
}
