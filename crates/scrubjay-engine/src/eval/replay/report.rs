//! What came of a replay.

use scrubjay_core::time::Timestamp;

/// What came of a replay.
#[derive(Debug, Clone, Default)]
pub struct Replay {
    /// The prompts, oldest first.
    pub prompts: Vec<ReplayedPrompt>,
    /// What replies made of what was really injected.
    pub injections: Injections,
    /// What the searches warned of, each once.
    pub warnings: Vec<String>,
}

/// A prompt and the block that it would have got.
#[derive(Debug, Clone)]
pub struct ReplayedPrompt {
    /// The episode.
    pub id: String,
    /// Where it was said.
    pub scope: String,
    /// The conversation.
    pub session_id: Option<String>,
    /// When.
    pub at: Timestamp,
    /// What was said.
    pub text: String,
    /// It asks for nothing that a memory could answer, such as “thanks”.
    pub asks_for_nothing: bool,
    /// The tokens of the block; 0 if there is none.
    pub tokens: usize,
    /// What is in it.
    pub items: Vec<ReplayedItem>,
}

/// One item of a block.
#[derive(Debug, Clone)]
pub struct ReplayedItem {
    /// The memory, or the document with its lines.
    pub id: String,
    /// How well it fits.
    pub relevance: f64,
    /// The beginning of its text in the block, in one line.
    pub beginning: String,
}

/// What replies made of what was really injected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Injections {
    /// How many blocks were handed over.
    pub receipts: usize,
    /// How many items of them a reply used.
    pub used: usize,
    /// How many it did not.
    pub unused: usize,
    /// How many no reply followed.
    pub without_reply: usize,
}

/// A replay in figures.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReplaySummary {
    /// How many prompts were looked at.
    pub prompts: usize,
    /// How many of them ask for nothing.
    pub asking_for_nothing: usize,
    /// How many got a block.
    pub with_block: usize,
    /// The median number of items of a block.
    pub median_items: Option<f64>,
    /// The median number of tokens of a block.
    pub median_tokens: Option<f64>,
}

impl Replay {
    /// It in figures.
    #[must_use]
    pub fn summary(&self) -> ReplaySummary {
        let blocks = || self.prompts.iter().filter(|prompt| !prompt.items.is_empty());
        ReplaySummary {
            prompts: self.prompts.len(),
            asking_for_nothing: self.prompts.iter().filter(|prompt| prompt.asks_for_nothing).count(),
            with_block: blocks().count(),
            median_items: median(blocks().map(|prompt| prompt.items.len()).collect()),
            median_tokens: median(blocks().map(|prompt| prompt.tokens).collect()),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of items and tokens")]
fn median(mut values: Vec<usize>) -> Option<f64> {
    values.sort_unstable();
    let upper = *values.get(values.len() / 2)?;
    let lower = if values.len() % 2 == 1 { upper } else { values[values.len() / 2 - 1] };
    Some((lower + upper) as f64 / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_stands_in_the_middle() {
        assert_eq!(median(Vec::new()), None);
        assert_eq!(median(vec![7]), Some(7.0));
        assert_eq!(median(vec![9, 1, 4]), Some(4.0));
        assert_eq!(median(vec![9, 1, 4, 5]), Some(4.5));
    }
}
