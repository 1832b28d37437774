use std::collections::BTreeMap;

use proptest::prelude::*;

use super::cursor::count_in;
use super::layout::Footer;
use super::list::Entry;
use super::spelling::LENGTHS;
use super::*;
use crate::bitmap::Bitmap;
use crate::centres::Centres;
use crate::error::{IndexError, Result};
use crate::item::{Columns, Item};
use crate::numbers::Words;
use crate::vector::{Bytes, VectorQuery, quantize};

/// An item whose terms are in every document, in every other, in every tenth and so on.
fn item(key: u64) -> Item {
    let steps = [1u64, 2, 10, 17, 40, 300, 701];
    let mut terms: Vec<(u64, u32)> = steps
        .iter()
        .filter(|step| key.is_multiple_of(**step))
        .map(|step| (step.wrapping_mul(0x9E37_79B9_7F4A_7C15), 1 + (key % 7) as u32))
        .collect();
    terms.push((key.wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1, 1));
    let words = format!("word-{}\nanother-{}", key % 13, key % 3);
    terms.extend(words.lines().map(|word| (xxhash_rust::xxh3::xxh3_64(word.as_bytes()), 1)));
    let columns = Columns { sequence: key % 5, event_time: (key % 11) as i64, ..Columns::default() };
    let vector = quantize(&[key as f32, 1.0, -2.0, 3.5, 0.5, -1.0, 2.0, 4.0]).unwrap();
    Item {
        key,
        columns,
        terms,
        words,
        length: 5 + (key % 9) as u32,
        vectors: vec![(1, vec![vector.clone()]), (2, vec![vector])],
    }
}

fn bytes_of(items: Vec<Item>) -> Vec<u8> {
    build(items, &Centres::default()).unwrap().write(Vec::new()).unwrap().0
}

/// Reads everything there is in a segment, in a form that can be compared.
fn everything(segment: &Segment) -> Result<Vec<u64>> {
    let mut seen = vec![segment.documents() as u64, segment.total_length()];
    segment.for_each_word(&LENGTHS, &mut |word| seen.extend(word.iter().map(|byte| u64::from(*byte))))?;
    for position in 0..segment.terms() {
        let (hash, entry) = segment.term_at(position)?;
        seen.push(hash);
        if segment.entry(hash)? != Some(entry) {
            return Err(IndexError::Damaged("a term is not found".to_owned()));
        }
        let list = segment.list(entry)?;
        let bound = list.bound(segment.lengths()?);
        seen.extend([u64::from(bound.max_frequency), u64::from(bound.min_length)]);
        let mut probe = Probe::new(list.clone());
        let mut postings = Vec::new();
        Scan::new(list).visit(u32::MAX, |document, frequency| postings.push((document, frequency)))?;
        for (document, frequency) in postings {
            seen.extend([u64::from(document), u64::from(frequency), u64::from(probe.frequency(document)?)]);
        }
    }
    for ordinal in 0..segment.documents() as u32 {
        let row = segment.row(ordinal)?;
        seen.extend([
            row.key,
            row.columns.sequence,
            row.columns.event_time as u64,
            u64::from(segment.length(ordinal)?),
        ]);
        let sequence = segment.sequence(row.columns.sequence)?;
        seen.extend([u64::from(sequence.start), u64::from(sequence.end)]);
        if let Some(position) = segment.sequence_position(ordinal)? {
            seen.push(u64::from(segment.sequence_document(position)?));
        }
    }
    let query = VectorQuery::new(&[1.0, 2.0, 3.0, -4.0, 5.0, 6.0, 7.0, 8.0]).unwrap();
    for generation in [1, 2] {
        let section = segment.vectors(generation).ok_or_else(|| IndexError::Damaged("no vectors".to_owned()))?;
        for candidate in section.scan(&query, &mut |_| true, 20)? {
            seen.extend([u64::from(candidate.owner), u64::from(candidate.estimate.to_bits())]);
        }
        for vector in 0..section.len() as u32 {
            seen.push(u64::from(section.cosine(&query, vector)?.to_bits()));
        }
    }
    Ok(seen)
}

#[test]
fn every_flipped_bit_is_found_in_every_section() {
    let bytes = bytes_of((0..1200).map(item).collect());
    let expected = everything(&Segment::open(Bytes::from(bytes.clone())).unwrap()).unwrap();
    let footer = Footer::read(&bytes).unwrap();
    let mut ranges: Vec<std::ops::Range<usize>> = footer.all_sections().collect();
    assert_eq!(ranges.len(), 14);
    let end = ranges.iter().map(|range| range.end).max().unwrap();
    ranges.extend([0..8, end..bytes.len(), bytes.len() - 48..bytes.len()]);
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        let step = (range.len() / 6).max(1);
        for (count, place) in range.clone().step_by(step).chain([range.end - 1]).enumerate() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << (count % 8);
            match Segment::open(Bytes::from(damaged)) {
                Err(IndexError::Damaged(_) | IndexError::Foreign(_)) => {}
                Err(error) => panic!("byte {place}: {error:?}"),
                Ok(segment) => {
                    assert!(segment.verify().is_err(), "byte {place} is not covered");
                    match everything(&segment) {
                        Ok(seen) => assert_eq!(seen, expected, "byte {place} changes an answer"),
                        Err(IndexError::Damaged(_)) => {}
                        Err(error) => panic!("byte {place}: {error:?}"),
                    }
                }
            }
        }
    }
}

#[test]
fn every_cut_is_found() {
    let bytes = bytes_of((0..300).map(item).collect());
    let step = bytes.len() / 150;
    for length in (0..bytes.len()).step_by(step).chain(bytes.len() - 60..bytes.len()) {
        assert!(Segment::open(Bytes::from(bytes[..length].to_vec())).is_err(), "cut to {length}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(Segment::open(Bytes::from(longer)).is_err());
}

/// Even bytes that carry right checksums, made by somebody who means harm, give errors and no panic.
#[test]
fn forged_sections_do_not_panic() {
    let bytes = bytes_of((0..1200).map(item).collect());
    let own = |bytes: Vec<u8>| Segment::unchecked(Bytes::from(bytes));
    let footer = Footer::read(&bytes).unwrap();
    for range in footer.all_sections().filter(|range| !range.is_empty()) {
        for place in range.clone().step_by((range.len() / 40).max(1)) {
            for value in [0, 0x7f, 0x80, 0xff] {
                let mut forged = bytes.clone();
                forged[place] = value;
                if let Ok(segment) = own(forged) {
                    drop(everything(&segment));
                }
            }
        }
    }
}

#[test]
fn an_empty_segment_is_a_segment() {
    let segment = Segment::open(Bytes::from(bytes_of(Vec::new()))).unwrap();
    assert_eq!(segment.documents(), 0);
    assert_eq!(segment.find(1).unwrap(), None);
    assert_eq!(segment.entry(1).unwrap(), None);
    assert!(segment.sequence(1).unwrap().is_empty());
    assert!(segment.row(0).is_err() && segment.length(0).is_err());
}

#[test]
fn a_merge_equals_a_segment_that_was_built_at_once() {
    let keep = |ordinal: u32| ordinal % 10 != 3;
    let segments: Vec<Segment> = [0, 1, 2]
        .map(|rest| Segment::open(Bytes::from(bytes_of((0..2400).filter(|key| key % 3 == rest).map(item).collect()))))
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let sources: Vec<Source<'_>> = segments.iter().map(|segment| Source { segment, keep: &keep }).collect();
    let merged = merge(&sources, &|generation| generation == 1, &Centres::default()).unwrap();
    let mut kept: Vec<Item> = (0..2400).filter(|key| key / 3 % 10 != 3).map(item).collect();
    kept.iter_mut().for_each(|item| item.vectors.truncate(1));
    assert!(merged.write(Vec::new()).unwrap().0 == bytes_of(kept));
    let twice = [Source { segment: &segments[0], keep: &keep }, Source { segment: &segments[0], keep: &keep }];
    assert!(merge(&twice, &|_| true, &Centres::default()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn lists_survive_writing(
        total in 1usize..6000,
        share in 1u64..60,
        seed in any::<u64>(),
        largest in prop_oneof![Just(1u32), Just(9), Just(u32::MAX)],
        deleted in proptest::collection::vec(0u32..6000, 0..100),
    ) {
        let mut dice = seed;
        let mut roll = |limit: u64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) % limit
        };
        let mut postings = BTreeMap::new();
        for document in 0..total as u32 {
            if roll(share) == 0 {
                postings.insert(document, 1 + roll(u64::from(largest)) as u32);
            }
        }
        prop_assume!(!postings.is_empty());
        let lengths: Vec<u32> = (0..total).map(|_| roll(50) as u32).collect();
        let (documents, frequencies): (Vec<u32>, Vec<u32>) = postings.iter().unzip();
        let mut bytes = vec![0xaa; 3];
        let entry = super::list::write_list(&documents, &frequencies, &lengths, &mut bytes).unwrap();
        prop_assert_eq!(Entry::decode(entry.encode()), entry);
        prop_assert_eq!(entry.documents() as usize, documents.len());
        let peek = |at: usize| Ok(Words::new(&bytes[at..]).get(0).unwrap());
        let extent = entry.extent(peek).unwrap();
        let list = List::open(entry, &bytes[extent.start..extent.end.min(bytes.len())], total).unwrap();
        prop_assert_eq!(list.documents(), documents.len());
        let length_bytes: Vec<u8> = lengths.iter().flat_map(|length| length.to_le_bytes()).collect();
        let bound = list.bound(Words::new(&length_bytes));
        prop_assert_eq!(bound.max_frequency, *frequencies.iter().max().unwrap());
        prop_assert_eq!(bound.min_length, documents.iter().map(|at| lengths[*at as usize]).min().unwrap());
        // In steps of any size, the scan gives everything once.
        let mut scan = Scan::new(list.clone());
        let mut seen = Vec::new();
        let mut end = 0;
        while let Some(next) = scan.next_document().unwrap() {
            prop_assert!(seen.iter().all(|(document, _)| *document < next.max(end)));
            end = (end.max(next) + 1 + roll(700) as u32).min(total as u32);
            scan.visit(end, |document, frequency| seen.push((document, frequency))).unwrap();
            prop_assert!(seen.iter().all(|(document, _)| *document < end));
        }
        prop_assert_eq!(seen, postings.clone().into_iter().collect::<Vec<_>>());
        // Look-ups find the same, forwards, and wherever they jump.
        let mut probe = Probe::new(list.clone());
        for document in (0..total as u32).step_by(1 + roll(9) as usize) {
            prop_assert_eq!(probe.frequency(document).unwrap(), postings.get(&document).copied().unwrap_or(0));
        }
        for _ in 0..200 {
            let document = roll(total as u64) as u32;
            prop_assert_eq!(probe.frequency(document).unwrap(), postings.get(&document).copied().unwrap_or(0));
        }
        let deleted: Bitmap = deleted.into_iter().filter(|document| (*document as usize) < total).collect();
        let expected = deleted.iter().filter(|document| postings.contains_key(document)).count();
        prop_assert_eq!(count_in(&list, &deleted).unwrap() as usize, expected);
    }
}
