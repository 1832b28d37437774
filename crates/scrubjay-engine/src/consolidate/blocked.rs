//! Values that a person deleted or corrected do not come back.
//!
//! A purge leaves a hash, which the store checks. A fact that was forgotten, corrected or undone is still there, ended:
//! a candidate that says the same, or nearly the same drawn from the same turns, is left out. Only when somebody says
//! it again after the deletion is it news.

use scrubjay_core::lexical;
use scrubjay_core::memory::{EndedBy, Memory};
use scrubjay_core::scope::Scope;
use scrubjay_core::text::TextHash;

use super::compare::differ_in_value;
use crate::search::facts_like_ended;
use crate::{Ctx, Result};

/// The share of common words from which two readings of the same turns are one value.
const SAME_TURNS: f64 = 0.5;

/// Why a candidate must not be kept, if so. `said` are the turns it rests on.
pub(super) async fn blocked(ctx: &Ctx, scope: &Scope, content: &str, said: &[&Memory]) -> Result<Option<String>> {
    let store = ctx.store().await?;
    if store.is_purged(scope, TextHash::of_value(content)).await? {
        return Ok(Some("this was purged".to_owned()));
    }
    let close = ctx.config().settings.dedup.jaccard;
    let words = lexical::content_terms(content);
    for ended in facts_like_ended(ctx, scope, content, super::known::COMPARED).await? {
        let Some(end) = ended.ended.filter(|end| matches!(end.by, EndedBy::Forgotten | EndedBy::Corrected)) else {
            continue;
        };
        let same_turns = ended.source_ids.iter().any(|id| said.iter().any(|turn| turn.id == *id));
        // Said again after it was deleted.
        if !same_turns && said.iter().any(|turn| turn.created_at > end.at) {
            continue;
        }
        let likeness = lexical::jaccard(&lexical::content_terms(&ended.content), &words);
        let same = lexical::near_duplicate(&ended.content, content)
            || (likeness >= close && !differ_in_value(&ended.content, content))
            || (same_turns && likeness >= SAME_TURNS);
        if same {
            return Ok(Some(format!("{} was {}", ended.id, end.by.name())));
        }
    }
    Ok(None)
}
