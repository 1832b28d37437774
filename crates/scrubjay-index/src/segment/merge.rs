//! Making one segment out of several, without going back to the store.

use super::cursor::Scan;
use super::read::Segment;
use super::spelling::{LENGTHS, Spelling};
use super::write::{Parts, Terms};
use crate::centres::Centres;
use crate::error::{IndexError, Result};
use crate::vector::VectorSectionBuilder;

/// Marks a document that is left out.
const LEFT_OUT: u32 = u32::MAX;

/// A segment to merge, with what is to be kept of it.
pub(crate) struct Source<'a> {
    pub(crate) segment: &'a Segment,
    pub(crate) keep: &'a dyn Fn(u32) -> bool,
}

/// The parts of a segment with the kept documents of all sources. Vectors are kept of the generations that
/// `keep_generation` names.
pub(crate) fn merge(sources: &[Source<'_>], keep_generation: &dyn Fn(u64) -> bool, centres: &Centres) -> Result<Parts> {
    let (order, places) = order_by_key(sources)?;
    let mut parts = Parts::default();
    for (source, ordinal) in &order {
        parts.rows.push(sources[*source].segment.row(*ordinal)?);
        parts.lengths.push(sources[*source].segment.length(*ordinal)?);
    }
    parts.terms = merge_terms(sources, &places, &parts.lengths)?;
    parts.spelling = merge_spelling(sources)?;
    parts.vectors = merge_vectors(sources, &order, keep_generation, centres)?;
    Ok(parts)
}

/// The kept documents by key, and for each source the new ordinal of each old one.
type Order = (Vec<(usize, u32)>, Vec<Vec<u32>>);

fn order_by_key(sources: &[Source<'_>]) -> Result<Order> {
    let mut keyed = Vec::with_capacity(sources.iter().map(|source| source.segment.documents()).sum());
    for (index, source) in sources.iter().enumerate() {
        for ordinal in 0..source.segment.documents() as u32 {
            if (source.keep)(ordinal) {
                keyed.push((source.segment.row(ordinal)?.key, index, ordinal));
            }
        }
    }
    // Sources mostly follow one another, which a stable sort makes use of.
    keyed.sort();
    if keyed.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(IndexError::Damaged("two segments hold the same document".to_owned()));
    }
    let mut places: Vec<Vec<u32>> = sources.iter().map(|source| vec![LEFT_OUT; source.segment.documents()]).collect();
    for (place, (_, source, ordinal)) in keyed.iter().enumerate() {
        places[*source][*ordinal as usize] = place as u32;
    }
    Ok((keyed.into_iter().map(|(_, source, ordinal)| (source, ordinal)).collect(), places))
}

fn merge_terms(sources: &[Source<'_>], places: &[Vec<u32>], lengths: &[u32]) -> Result<Terms> {
    let mut terms = Terms::default();
    let mut positions = vec![0; sources.len()];
    let mut heads = Vec::with_capacity(sources.len());
    for source in sources {
        heads.push(if source.segment.terms() > 0 { Some(source.segment.term_at(0)?) } else { None });
    }
    let mut postings: Vec<(u32, u32)> = Vec::new();
    let (mut documents, mut frequencies) = (Vec::new(), Vec::new());
    while let Some(hash) = heads.iter().flatten().map(|head| head.0).min() {
        postings.clear();
        for (index, source) in sources.iter().enumerate() {
            let Some((head, entry)) = heads[index] else { continue };
            if head != hash {
                continue;
            }
            let places = &places[index];
            Scan::new(source.segment.list(entry)?).visit(u32::MAX, |document, frequency| {
                if let Some(place) = places.get(document as usize).filter(|place| **place != LEFT_OUT) {
                    postings.push((*place, frequency));
                }
            })?;
            positions[index] += 1;
            heads[index] = if positions[index] < source.segment.terms() {
                Some(source.segment.term_at(positions[index])?).filter(|next| next.0 > hash)
            } else {
                None
            };
            if heads[index].is_none() && positions[index] < source.segment.terms() {
                return Err(IndexError::Damaged("the terms of a segment are out of order".to_owned()));
            }
        }
        if postings.is_empty() {
            continue;
        }
        if !postings.is_sorted_by_key(|posting| posting.0) {
            postings.sort_unstable_by_key(|posting| posting.0);
        }
        documents.clear();
        documents.extend(postings.iter().map(|posting| posting.0));
        frequencies.clear();
        frequencies.extend(postings.iter().map(|posting| posting.1));
        terms.add(hash, &documents, &frequencies, lengths)?;
    }
    Ok(terms)
}

// The words of all sources. Those that only documents had which are left out are not written, because their terms are
// gone.
fn merge_spelling(sources: &[Source<'_>]) -> Result<Spelling> {
    let mut spelling = Spelling::default();
    for source in sources {
        source.segment.for_each_word(&LENGTHS, &mut |word| {
            if let Ok(word) = std::str::from_utf8(word) {
                spelling.add(word);
            }
        })?;
    }
    Ok(spelling)
}

fn merge_vectors(
    sources: &[Source<'_>],
    order: &[(usize, u32)],
    keep_generation: &dyn Fn(u64) -> bool,
    centres: &Centres,
) -> Result<Vec<(u64, Vec<u8>)>> {
    let mut generations: Vec<u64> =
        sources.iter().flat_map(|source| source.segment.generations()).map(|entry| entry.0).collect();
    generations.sort_unstable();
    generations.dedup();
    let mut merged = Vec::new();
    for generation in generations.into_iter().filter(|generation| keep_generation(*generation)) {
        let sections: Vec<_> = sources.iter().map(|source| source.segment.vectors(generation)).collect();
        let mut builder: Option<VectorSectionBuilder> = None;
        for (place, (source, ordinal)) in order.iter().enumerate() {
            let Some(section) = sections[*source] else { continue };
            for vector in section.vectors_of(*ordinal)? {
                let builder = match &mut builder {
                    Some(builder) => builder,
                    None => builder.insert(centres.builder(generation, section.dims())?),
                };
                builder.push(place as u32, section.quantized(vector)?)?;
            }
        }
        if let Some(builder) = builder {
            merged.push((generation, builder.finish()?));
        }
    }
    Ok(merged)
}
