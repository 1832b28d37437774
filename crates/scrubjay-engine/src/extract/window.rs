//! Windows over a conversation.

use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Memory;
use scrubjay_ingest::chunk::count_tokens;

use super::classifier::Topic;
use super::speaker::{Cast, Speaker};

/// The longest part of one message that is looked at, in characters; what is longer was pasted.
const MESSAGE_CHARS: usize = 8000;

/// A part of a conversation that is looked at as a whole.
#[derive(Debug, Clone)]
pub struct Window {
    /// What stood before it, for understanding only.
    pub before: Vec<Memory>,
    /// What is new; only what may be learned from.
    pub new: Vec<Memory>,
    /// What a person says next after it, as far as that is known.
    pub reply: Option<Memory>,
    /// Who takes part in the conversation.
    pub cast: Cast,
    /// What the conversation is about.
    pub topic: Topic,
    /// The last episode it covers, whether that may be learned from or not.
    pub through: MemoryId,
}

impl Window {
    /// All messages in order, and whether each is new.
    pub fn messages(&self) -> impl Iterator<Item = (&Memory, bool)> {
        self.before.iter().map(|episode| (episode, false)).chain(self.new.iter().map(|episode| (episode, true)))
    }
}

/// Cuts episodes into windows of about so many tokens; each but the first begins with about `overlap` tokens of what
/// stood before it, and the first with what is left of `before`. A message is never cut in two.
#[must_use]
pub fn windows(before: &[Memory], episodes: &[Memory], tokens: usize, overlap: usize) -> Vec<Window> {
    let cast = Cast::of(before.iter().chain(episodes));
    let heard_in_all = before.iter().chain(episodes).filter(|episode| cast.speaker(episode).is_some());
    let topic = Topic::of(heard_in_all.map(|episode| episode.content.as_str()));
    let mut heard: Vec<Memory> =
        before.iter().filter(|episode| cast.speaker(episode).is_some()).map(shortened).collect();
    let mut windows = Vec::new();
    let mut new: Vec<Memory> = Vec::new();
    let mut size = 0;
    let mut through = None;
    for episode in episodes {
        if cast.speaker(episode).is_some() {
            let length = count_tokens(&episode.content);
            if size + length > tokens
                && let (false, Some(through)) = (new.is_empty(), through)
            {
                windows.push(finished(&mut heard, std::mem::take(&mut new), through, overlap, (cast, topic)));
                size = 0;
            }
            size += length;
            new.push(shortened(episode));
        }
        through = Some(episode.id);
    }
    if let Some(through) = through {
        windows.push(finished(&mut heard, new, through, overlap, (cast, topic)));
    }
    add_replies(&mut windows, episodes);
    windows
}

fn add_replies(windows: &mut [Window], episodes: &[Memory]) {
    for window in windows {
        let after = episodes.iter().skip_while(|episode| episode.id != window.through).skip(1);
        window.reply =
            after.filter(|episode| window.cast.speaker(episode) == Some(Speaker::Person)).map(shortened).next();
    }
}

fn finished(
    heard: &mut Vec<Memory>,
    new: Vec<Memory>,
    through: MemoryId,
    overlap: usize,
    (cast, topic): (Cast, Topic),
) -> Window {
    let mut before: Vec<Memory> = Vec::new();
    let mut size = 0;
    for episode in heard.iter().rev() {
        size += count_tokens(&episode.content);
        // The turn right before is often what is answered, however long it is.
        if size > overlap && !before.is_empty() {
            break;
        }
        before.push(episode.clone());
    }
    before.reverse();
    heard.extend(new.iter().cloned());
    Window { before, new, reply: None, cast, topic, through }
}

fn shortened(episode: &Memory) -> Memory {
    let mut episode = episode.clone();
    if let Some((end, _)) = episode.content.char_indices().nth(MESSAGE_CHARS) {
        episode.content.truncate(end);
    }
    episode
}
