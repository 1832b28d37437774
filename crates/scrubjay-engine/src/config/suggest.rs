//! "Did you mean": the known name nearest to an unknown one.

/// Longer names are not typing errors, and comparing them would cost time quadratic in their length.
const LONGEST_CHARS: usize = 64;

/// The candidate that was probably meant, if one is near enough: the same last part under another section, or at
/// most a third of the characters wrong.
pub(super) fn nearest<'a>(unknown: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = unknown.chars().count();
    if length == 0 || length > LONGEST_CHARS {
        return None;
    }
    let given = unknown;
    let unknown = unknown.to_ascii_lowercase().replace('-', "_");
    let last_part = unknown.rsplit('.').next().unwrap_or_default();
    let distance = |candidate: &'a str| {
        let same_end = candidate.contains('.') && candidate.rsplit('.').next() == Some(last_part);
        let typos = strsim::damerau_levenshtein(&unknown, &candidate.to_ascii_lowercase());
        let near = typos <= (length / 3).max(1);
        (candidate != given && (near || same_end)).then_some((!near, typos, candidate))
    };
    candidates.filter_map(distance).min().map(|(_, _, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions() {
        let candidates = ["query", "query.max_results", "query.min_score", "memory.max_items", "store.path"];
        for (unknown, expected) in [
            ("query.max_result", Some("query.max_results")),
            ("query.maxresults", Some("query.max_results")),
            ("query.max-results", Some("query.max_results")),
            ("Query.Max_Results", Some("query.max_results")),
            ("max_results", Some("query.max_results")),
            ("search.max_results", Some("query.max_results")),
            ("qeury", Some("query")),
            ("stroe.path", Some("store.path")),
            ("nothing.alike", None),
            ("", None),
        ] {
            assert_eq!(nearest(unknown, candidates.into_iter()), expected, "{unknown}");
        }
        assert_eq!(nearest(&"q".repeat(100_000), candidates.into_iter()), None);
    }
}
