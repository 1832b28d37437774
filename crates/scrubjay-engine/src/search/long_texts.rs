//! Long texts are scored piece by piece.
//!
//! A text of ten thousand lines holds the words of nearly every question somewhere. What counts is the passage that
//! holds most of them together: its words and its length take the place of the whole text's.

use std::collections::BTreeMap;

use scrubjay_store::item::ItemKey;

use super::candidates::CandidateSet;
use super::passage::PassageTerms;
use super::query::Query;
use crate::index::LONG;
use crate::{Ctx, Result};

/// Long texts that are read for a question, and how much of them together, in bytes.
const TEXTS: usize = 12;
const BYTES: usize = 6 << 20;

/// The length of a long text that was not read, in terms: by it, hardly any word counts.
const UNREAD_TERMS: u32 = 8192;

/// Narrows the long texts among the candidates to their best passages. Those that hold most of the question come first;
/// what is not read counts as the long text it is.
///
/// # Errors
/// When the store fails.
pub(super) async fn narrow_long_texts(ctx: &Ctx, query: &Query, set: &mut CandidateSet) -> Result<()> {
    let is_long = |place: &usize| set.candidates[*place].row.columns.flags & LONG != 0;
    let mut long: Vec<usize> = (0..set.candidates.len()).filter(is_long).collect();
    if long.is_empty() {
        return Ok(());
    }
    long.sort_by(|a, b| set.lexical.coverage(*b).total_cmp(&set.lexical.coverage(*a)).then(a.cmp(b)));
    let keys = long.iter().take(TEXTS).map(|place| ItemKey::from_number(set.candidates[*place].row.key)).collect();
    let items = ctx.store().await?.items(ctx.view(), keys).await?;
    let items: BTreeMap<u64, _> = items.into_iter().map(|(key, item)| (key.number(), item)).collect();
    let wanted = PassageTerms::of(query);
    let mut left = BYTES;
    for place in long {
        let item = items.get(&set.candidates[place].row.key).filter(|item| item.text().len() <= left);
        match item {
            Some(item) => {
                left -= item.text().len();
                let passage = wanted.passage(item.text());
                set.lexical.narrow(place, &passage.counts, passage.length);
            }
            None => set.lexical.lengthen(place, UNREAD_TERMS),
        }
    }
    Ok(())
}
