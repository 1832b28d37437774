use std::collections::HashMap;

use proptest::prelude::*;

use super::rotation::spread;
use super::*;
use crate::error::IndexError;

/// Vectors in clusters around a common mean, as embeddings are.
fn vectors(dims: usize, count: usize, seed: u64) -> Vec<Vec<f32>> {
    let noise = |stream: u64, dimension: usize| {
        (spread(seed << 48 ^ stream << 16 ^ dimension as u64) >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count)
        .map(|number| {
            let cluster = 1 + number as u64 % 17;
            (0..dims)
                .map(|dimension| {
                    noise(0, dimension) + 0.6 * noise(cluster, dimension) + 0.5 * noise(100 + number as u64, dimension)
                })
                .collect()
        })
        .collect()
}

fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    (0..vectors[0].len()).map(|dimension| vectors.iter().map(|vector| vector[dimension]).sum()).collect()
}

/// Every owner has one vector, and each tenth has a second.
fn owner_of(number: usize) -> u32 {
    (number - number / 11) as u32 * 3
}

fn section_of(vectors: &[Vec<f32>], centre: Option<&[f32]>) -> Vec<u8> {
    let mut builder = match centre {
        Some(centre) => VectorSectionBuilder::with_centre(centre).unwrap(),
        None => VectorSectionBuilder::new(vectors[0].len()).unwrap(),
    };
    for (number, vector) in vectors.iter().enumerate() {
        builder.push(owner_of(number), quantize(vector).unwrap().as_ref()).unwrap();
    }
    builder.finish().unwrap()
}

fn open(bytes: Vec<u8>) -> VectorSection {
    VectorSection::open(Bytes::from(bytes)).unwrap()
}

fn exact_cosine(left: &[f32], right: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
    (dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()) as f32
}

#[test]
fn what_was_pushed_is_read_back() {
    for dims in [4, 12, 100, 384, MAX_DIMS] {
        let vectors = vectors(dims, 70, 1);
        let section = open(section_of(&vectors, None));
        assert_eq!((section.len(), section.dims(), section.is_empty()), (70, dims, false));
        for (number, vector) in vectors.iter().enumerate() {
            let number_of = number as u32;
            assert_eq!(section.quantized(number_of).unwrap().to_quantized(), quantize(vector).unwrap());
            assert_eq!(section.owner(number_of).unwrap(), owner_of(number));
            assert!(section.vectors_of(owner_of(number)).unwrap().contains(&number_of));
        }
        assert_eq!(section.vectors_of(owner_of(10)).unwrap(), 10..12);
        assert!(section.vectors_of(1).unwrap().is_empty());
        assert!(section.vectors_of(u32::MAX).unwrap().is_empty());
        assert!(matches!(section.owner(70), Err(IndexError::Invalid(_))));
        assert!(matches!(section.quantized(70), Err(IndexError::Invalid(_))));
    }
}

#[test]
fn an_empty_section_finds_nothing() {
    let section = open(VectorSectionBuilder::new(8).unwrap().finish().unwrap());
    let query = VectorQuery::new(&[1.0; 8]).unwrap();
    assert!(section.is_empty());
    assert!(section.scan(&query, &mut |_| true, 10).unwrap().is_empty());
    assert!(section.scan_in_two(&query, &|_| true, 10).unwrap().is_empty());
    assert!(section.vectors_of(0).unwrap().is_empty());
}

#[test]
fn cosines_are_close_and_estimates_are_not_far() {
    let all = vectors(384, 500, 2);
    let centre = mean(&all);
    for (centre, tolerance) in [(None, 0.2), (Some(centre.as_slice()), 0.13)] {
        let section = open(section_of(&all, centre));
        for vector in [&all[3], &vectors(384, 1, 9)[0]] {
            let query = VectorQuery::new(&vector.iter().map(|value| value * 1e30).collect::<Vec<_>>()).unwrap();
            let candidates = section.scan(&query, &mut |_| true, 500).unwrap();
            let cosines = section.rescore(&query, &candidates).unwrap();
            assert_eq!(candidates.len(), 500);
            for (candidate, cosine) in candidates.iter().zip(cosines) {
                let exact = exact_cosine(&all[candidate.vector as usize], vector);
                assert_eq!(section.cosine(&query, candidate.vector).unwrap(), cosine);
                assert!((cosine - exact).abs() < 2e-3, "{cosine} {exact}");
                assert!((candidate.estimate - exact).abs() < tolerance, "{candidate:?} {exact}");
            }
        }
    }
}

#[test]
fn the_closest_are_among_the_candidates() {
    let all = vectors(384, 3000, 3);
    let centre = mean(&all);
    for centre in [None, Some(centre.as_slice())] {
        let section = open(section_of(&all, centre));
        let mut found = 0;
        for query_vector in &vectors(384, 40, 4) {
            // A question is near one of the texts.
            let query_vector: Vec<f32> =
                query_vector.iter().zip(&all[found % 100]).map(|(query, near)| query + near).collect();
            let query = VectorQuery::new(&query_vector).unwrap();
            let mut exact: Vec<(f32, u32)> =
                (0_u32..).zip(&all).map(|(number, vector)| (exact_cosine(vector, &query_vector), number)).collect();
            exact.sort_by(|left, right| right.0.total_cmp(&left.0));
            let candidates = section.scan(&query, &mut |_| true, 300).unwrap();
            found += exact[..10].iter().filter(|(_, number)| candidates.iter().any(|c| c.vector == *number)).count();
        }
        assert!(found >= 396, "{found} of 400");
    }
}

#[test]
fn candidates_do_not_depend_on_the_section_or_the_threads() {
    let all = vectors(100, 400, 5);
    let centre = mean(&all);
    let whole = open(section_of(&all, Some(&centre)));
    let query = VectorQuery::new(&vectors(100, 1, 6)[0]).unwrap();
    let estimates: HashMap<u32, f32> =
        whole.scan(&query, &mut |_| true, 400).unwrap().iter().map(|c| (c.vector, c.estimate)).collect();
    let part = open(section_of(&all[37..120], Some(&centre)));
    for candidate in part.scan(&query, &mut |_| true, 400).unwrap() {
        assert_eq!(estimates[&(candidate.vector + 37)], candidate.estimate);
    }
    for (limit, divisor) in [(1, 2), (31, 2), (32, 1), (33, 2), (200, 2), (300, 1), (1000, 1)] {
        let admit = |owner: u32| owner.is_multiple_of(divisor);
        let alone = whole.scan(&query, &mut |owner| admit(owner), limit).unwrap();
        assert_eq!(alone, whole.scan_in_two(&query, &admit, limit).unwrap());
        let mut parts = Vec::new();
        for range in [0..45, 45..46, 46..301, 301..u32::MAX] {
            parts.extend(whole.scan_range(&query, range, &mut |owner| admit(owner), limit).unwrap());
        }
        parts.sort_by(|left, right| right.estimate.total_cmp(&left.estimate).then(left.vector.cmp(&right.vector)));
        parts.truncate(limit);
        assert_eq!(alone, parts);
    }
}

#[test]
fn the_list_is_the_best_of_those_admitted() {
    let all = vectors(32, 1000, 7);
    let section = open(section_of(&all, None));
    let query = VectorQuery::new(&all[5]).unwrap();
    let everything = section.scan(&query, &mut |_| true, usize::MAX).unwrap();
    assert_eq!(everything.len(), 1000);
    let in_order = |pair: &[Candidate]| {
        pair[0].estimate > pair[1].estimate || pair[0].estimate == pair[1].estimate && pair[0].vector < pair[1].vector
    };
    assert!(everything.windows(2).all(in_order));
    for (divisor, limit) in [(1, 10), (2, 1), (10, 7), (10, 300), (5000, 10)] {
        let mut asked = 0;
        let mut admit = |owner: u32| {
            asked += 1;
            owner.is_multiple_of(divisor)
        };
        let found = section.scan(&query, &mut admit, limit).unwrap();
        let expected: Vec<Candidate> = everything
            .iter()
            .filter(|candidate| candidate.owner.is_multiple_of(divisor))
            .take(limit)
            .copied()
            .collect();
        assert_eq!(found, expected, "every {divisor}, {limit}");
        assert!(divisor > 1 || asked < 300, "{asked} of 1000 were asked about for {limit}");
    }
    assert!(section.scan(&query, &mut |_| true, 0).unwrap().is_empty());
}

#[test]
fn equal_vectors_come_in_order() {
    let section = open(section_of(&vec![vec![0.5, 0.1, -0.2, 0.9]; 100], None));
    let query = VectorQuery::new(&[1.0, 0.0, 0.0, 1.0]).unwrap();
    let numbers: Vec<u32> = section.scan(&query, &mut |_| true, 40).unwrap().iter().map(|c| c.vector).collect();
    assert_eq!(numbers, (0..40).collect::<Vec<_>>());
}

#[test]
fn a_vector_that_is_the_centre_is_estimated_too() {
    let all = vectors(64, 3, 8);
    let section = open(section_of(&all, Some(&all[1])));
    let query = VectorQuery::new(&all[1]).unwrap();
    let best = section.scan(&query, &mut |_| true, 1).unwrap()[0];
    assert_eq!(best.vector, 1);
    assert!((best.estimate - 1.0).abs() < 0.02, "{best:?}");
}

#[test]
fn mistakes_of_a_caller_are_refused() {
    let section = open(section_of(&vectors(8, 3, 1), None));
    let query = VectorQuery::new(&[1.0; 12]).unwrap();
    assert!(matches!(section.scan(&query, &mut |_| true, 1), Err(IndexError::Invalid(_))));
    assert!(matches!(section.cosine(&query, 0), Err(IndexError::Invalid(_))));
    for vector in [&[][..], &[1.0; 6], &[0.0; 8], &[f32::NAN; 8], &[f32::INFINITY; 8]] {
        assert!(matches!(VectorQuery::new(vector), Err(IndexError::Invalid(_))), "{vector:?}");
        assert!(VectorSectionBuilder::with_centre(vector).is_err());
    }
    assert!(VectorSectionBuilder::new(0).is_err());
    let mut builder = VectorSectionBuilder::new(8).unwrap();
    let vector = quantize(&[1.0; 8]).unwrap();
    builder.push(7, vector.as_ref()).unwrap();
    builder.push(7, vector.as_ref()).unwrap();
    assert!(builder.push(6, vector.as_ref()).is_err());
    assert!(builder.push(8, quantize(&[1.0; 12]).unwrap().as_ref()).is_err());
    assert_eq!(builder.len(), 2);
}

/// Asks everything that can be asked; damage must be reported and nothing else.
fn ask_everything(bytes: Vec<u8>, query: &VectorQuery) -> Result<Vec<String>, IndexError> {
    let section = VectorSection::open(Bytes::from(bytes))?;
    let candidates = section.scan(query, &mut |_| true, 20)?;
    let mut answers = vec![format!("{candidates:?}"), format!("{:?}", section.rescore(query, &candidates)?)];
    for number in 0..section.len() as u32 {
        let owner = section.owner(number)?;
        answers.push(format!("{owner} {:?} {:?}", section.quantized(number)?, section.vectors_of(owner)?));
    }
    Ok(answers)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn damage_is_reported(position in any::<prop::sample::Index>(), flip in 1_u8.., with_centre in any::<bool>()) {
        let vectors = vectors(36, 40, 10);
        let bytes = section_of(&vectors, with_centre.then_some(&vectors[0]));
        let query = VectorQuery::new(&vectors[7]).unwrap();
        let sound = ask_everything(bytes.clone(), &query).unwrap();
        let mut damaged = bytes;
        let position = position.index(damaged.len());
        damaged[position] ^= flip;
        match ask_everything(damaged, &query) {
            // Bytes that only fill up to a multiple of 64 mean nothing.
            Ok(answers) => prop_assert_eq!(answers, sound),
            Err(error) => prop_assert!(matches!(error, IndexError::Damaged(_)), "{}", error),
        }
    }

    #[test]
    fn a_short_section_is_reported(length in any::<prop::sample::Index>()) {
        let vectors = vectors(36, 40, 10);
        let mut bytes = section_of(&vectors, None);
        bytes.truncate(length.index(bytes.len()));
        let is_damaged = matches!(VectorSection::open(Bytes::from(bytes)), Err(IndexError::Damaged(_)));
        prop_assert!(is_damaged);
    }

    #[test]
    fn any_bytes_with_a_sound_header_are_safe(rest in proptest::collection::vec(any::<u8>(), 0..9000)) {
        let vectors = vectors(36, 40, 10);
        let mut bytes = section_of(&vectors, None);
        let length = (bytes.len() - 64).min(rest.len());
        bytes[64..64 + length].copy_from_slice(&rest[..length]);
        let query = VectorQuery::new(&vectors[7]).unwrap();
        if length > 0 {
            prop_assert!(matches!(ask_everything(bytes, &query), Err(IndexError::Damaged(_))));
        }
    }
}

#[test]
fn rows_in_each_others_place_are_reported() {
    let vectors = vectors(32, 2, 11);
    let bytes = section_of(&vectors, None);
    let row = 8 + 32;
    let rows = bytes.len() - 2 * row;
    let mut swapped = bytes.clone();
    swapped[rows..rows + row].copy_from_slice(&bytes[rows + row..]);
    swapped[rows + row..].copy_from_slice(&bytes[rows..rows + row]);
    assert!(matches!(open(swapped).quantized(0), Err(IndexError::Damaged(_))));
    let mut zeros = bytes;
    zeros[rows..].fill(0);
    assert!(matches!(open(zeros).quantized(0), Err(IndexError::Damaged(_))));
}

#[test]
fn a_section_of_another_version_is_foreign() {
    let mut bytes = section_of(&vectors(8, 1, 1), None);
    bytes[8] = 99;
    let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..56]);
    bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
    assert!(matches!(VectorSection::open(Bytes::from(bytes)), Err(IndexError::Foreign(_))));
}

#[test]
fn the_same_vectors_give_the_same_bytes() {
    let vectors = vectors(48, 50, 12);
    let bytes = section_of(&vectors, Some(&vectors[0]));
    assert_eq!(bytes, section_of(&vectors, Some(&vectors[0])));
    // The format holds sign bits that follow from floating point: a change to the
    // rotation or the layout must come with another version number.
    assert_eq!(xxhash_rust::xxh3::xxh3_64(&bytes), 11_155_543_812_449_174_150);
}
