//! What the last messages of a conversation ask for.

use std::borrow::Cow;

use scrubjay_core::filter::{Field, Filter, Operator, Scalar, Test};
use scrubjay_core::lexical;
use scrubjay_core::memory::Kind;
use scrubjay_store::query::ListQuery;

use crate::capture::clean;
use crate::{Ctx, Result};

/// The longest beginning and end of a message that are looked at, in characters:
/// a request stands before or after what is pasted into it.
const HEAD: usize = 400;
const TAIL: usize = 200;

/// The same of each message before the last one.
const BEFORE: usize = 200;

/// How much of a message is cleaned at each end to get at those, in bytes: a
/// prompt with a log of megabytes in it must not take longer.
const LOOKED_AT: usize = 128 << 10;

/// A message with fewer telling words is understood by those before it.
const TELLING: usize = 3;

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InjectionQuery {
    /// The last message.
    pub text: String,
    /// What was said before it, newest first.
    pub before: String,
}

impl InjectionQuery {
    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// From messages, oldest first.
    #[must_use]
    pub fn of(messages: &[String], redact: bool) -> Self {
        let mut cleaned: Vec<String> = messages.iter().map(|message| clean(&outer(message), redact).text).collect();
        cleaned.retain(|message| !message.is_empty());
        let Some(last) = cleaned.pop() else { return Self::default() };
        let before: Vec<String> = cleaned.iter().rev().map(|message| ends(message, BEFORE, 0)).collect();
        Self { text: ends(&last, HEAD, TAIL), before: before.join("\n") }
    }

    /// From the last messages and those that were kept of the conversation before them, oldest first; `count` of them
    /// at most.
    #[must_use]
    pub fn following(mut kept: Vec<String>, recent: Vec<String>, count: usize, redact: bool) -> Self {
        // The message at hand may have been captured already.
        kept.retain(|message| !recent.contains(message));
        kept.extend(recent);
        let from = kept.len().saturating_sub(count);
        Self::of(&kept[from..], redact)
    }

    /// Whether it says too little by itself.
    #[must_use]
    pub fn wants_more(&self) -> bool {
        let telling = lexical::terms(&self.text).iter().filter(|term| !lexical::is_stop_word(term)).count();
        self.before.is_empty() && telling < TELLING
    }
}

/// The last messages that were kept of a conversation, oldest first.
///
/// # Errors
/// When the store fails.
pub async fn last_messages(ctx: &Ctx, session_id: &str, count: usize) -> Result<Vec<String>> {
    let store = ctx.store().await?;
    let Some(session) = store.session(ctx.view(), session_id).await? else { return Ok(Vec::new()) };
    // The beginning keeps the search from going back through all conversations.
    #[expect(clippy::cast_precision_loss, reason = "a time in milliseconds has 41 bits")]
    let since = Test::Compare(Operator::GreaterOrEqual, Scalar::Number(session.first_seen.millis() as f64));
    let filter = Filter::default()
        .and_equal(Field::SessionId, session_id)
        .and_equal(Field::Kind, Kind::Episode.name())
        .and(Field::EventTime, since);
    let page = store.list(ctx.view(), ListQuery { filter, limit: count, ..ListQuery::default() }).await?;
    Ok(page.memories.into_iter().rev().map(|memory| memory.content).collect())
}

// Both ends of a message that is far longer than what is looked at.
fn outer(message: &str) -> Cow<'_, str> {
    if message.len() <= 2 * LOOKED_AT {
        return Cow::Borrowed(message);
    }
    let (head, tail) = (message.floor_char_boundary(LOOKED_AT), message.ceil_char_boundary(message.len() - LOOKED_AT));
    Cow::Owned(format!("{}\n{}", &message[..head], &message[tail..]))
}

fn ends(text: &str, head: usize, tail: usize) -> String {
    let length = text.chars().count();
    if length <= head + tail {
        return text.to_owned();
    }
    let first: String = text.chars().take(head).collect();
    let last: String = text.chars().skip(length - tail).collect();
    format!("{first}\n{last}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_message_is_the_question() {
        let messages = ["first", "second", "third"].map(str::to_owned);
        let asked = InjectionQuery::of(&messages, true);
        assert_eq!((asked.text.as_str(), asked.before.as_str()), ("third", "second\nfirst"));
        assert!(InjectionQuery::of(&["  ".to_owned()], true).is_empty());
        assert!(InjectionQuery::of(&["and why?".to_owned()], true).wants_more());
        assert!(!InjectionQuery::of(&["who owns the billing service now?".to_owned()], true).wants_more());
    }

    #[test]
    fn long_messages_are_looked_at_from_both_ends() {
        let long = format!("Please fix this: {} Use tabs.", "x".repeat(5000));
        let asked = InjectionQuery::of(&[long], true);
        assert!(asked.text.starts_with("Please fix this") && asked.text.ends_with("Use tabs."));
        assert!(asked.text.chars().count() <= HEAD + TAIL + 1);
        let huge = format!("Please fix this: {} Use tabs.", "ä".repeat(LOOKED_AT * 2));
        let asked = InjectionQuery::of(&[huge], true);
        assert!(asked.text.starts_with("Please fix this") && asked.text.ends_with("Use tabs."));
    }

    #[test]
    fn our_own_block_asks_for_nothing() {
        let own = scrubjay_core::fence::wrap("Ada owns billing", "012345678901234567");
        assert!(InjectionQuery::of(&[own], true).is_empty());
    }
}
