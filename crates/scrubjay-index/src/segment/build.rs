//! Making a segment from items.

use super::spelling::Spelling;
use super::write::{Parts, Terms};
use crate::centres::Centres;
use crate::error::{IndexError, Result};
use crate::item::{Item, MAX_SEGMENT_DOCUMENTS, Row};
use crate::vector::VectorSectionBuilder;

/// The parts of a segment with these items. Of several items with the same key the last one counts.
pub(crate) fn build(mut items: Vec<Item>, centres: &Centres) -> Result<Parts> {
    items.sort_by_key(|item| item.key);
    items.reverse();
    items.dedup_by_key(|item| item.key);
    items.reverse();
    if items.len() > MAX_SEGMENT_DOCUMENTS {
        return Err(IndexError::Invalid(format!("{} documents are too many for one segment", items.len())));
    }
    let rows = items.iter().map(|item| Row { key: item.key, columns: item.columns }).collect();
    let lengths: Vec<u32> = items.iter().map(|item| item.length).collect();
    let terms = build_terms(&items, &lengths)?;
    let vectors = build_vectors(&items, centres)?;
    let mut spelling = Spelling::default();
    items.iter().flat_map(|item| item.words.lines()).for_each(|word| spelling.add(word));
    Ok(Parts { rows, lengths, terms, spelling, vectors })
}

fn build_terms(items: &[Item], lengths: &[u32]) -> Result<Terms> {
    let mut postings: Vec<(u64, u32, u32)> = Vec::with_capacity(items.iter().map(|item| item.terms.len()).sum());
    for (ordinal, item) in items.iter().enumerate() {
        postings.extend(item.terms.iter().filter(|term| term.1 > 0).map(|term| (term.0, ordinal as u32, term.1)));
    }
    postings.sort_unstable_by_key(|posting| (posting.0, posting.1));
    let mut terms = Terms::default();
    let (mut documents, mut frequencies) = (Vec::new(), Vec::new());
    for group in postings.chunk_by(|one, other| one.0 == other.0) {
        documents.clear();
        frequencies.clear();
        for same in group.chunk_by(|one, other| one.1 == other.1) {
            documents.push(same[0].1);
            frequencies.push(same.iter().fold(0u32, |sum, posting| sum.saturating_add(posting.2)));
        }
        terms.add(group[0].0, &documents, &frequencies, lengths)?;
    }
    Ok(terms)
}

fn build_vectors(items: &[Item], centres: &Centres) -> Result<Vec<(u64, Vec<u8>)>> {
    let mut generations: Vec<u64> =
        items.iter().flat_map(|item| &item.vectors).filter(|entry| !entry.1.is_empty()).map(|entry| entry.0).collect();
    generations.sort_unstable();
    generations.dedup();
    let mut sections = Vec::with_capacity(generations.len());
    for generation in generations {
        let mut section: Option<VectorSectionBuilder> = None;
        for (ordinal, item) in items.iter().enumerate() {
            for vector in item.vectors.iter().filter(|entry| entry.0 == generation).flat_map(|entry| &entry.1) {
                let builder = match &mut section {
                    Some(builder) => builder,
                    None => section.insert(centres.builder(generation, vector.values.len())?),
                };
                builder.push(ordinal as u32, vector.as_ref())?;
            }
        }
        if let Some(builder) = section {
            sections.push((generation, builder.finish()?));
        }
    }
    Ok(sections)
}
