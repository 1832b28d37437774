//! What may stand directly before a token, judged by its prefix.
//!
//! People glue tokens to names: `KEY_ghp_…`, `tokenghp_…`. A prefix such as `ghp_` is found there, too, because no word
//! ends in it. A prefix that ends ordinary words (`sk-` in `task-`, `key_`, `live_`) counts only after an underscore.

use super::rule::LeftEdge;

/// The left edge of a token that begins with one of these keywords. The least distinctive of them decides.
pub(super) const fn left_edge(keywords: &[&str]) -> LeftEdge {
    let mut edge = LeftEdge::Any;
    let mut index = 0;
    while index < keywords.len() {
        edge = match (left_edge_of(keywords[index]), edge) {
            (LeftEdge::Joined, _) | (_, LeftEdge::Joined) => LeftEdge::Joined,
            (LeftEdge::Identifier, _) | (_, LeftEdge::Identifier) => LeftEdge::Identifier,
            _ => LeftEdge::Any,
        };
        index += 1;
    }
    edge
}

const fn left_edge_of(keyword: &str) -> LeftEdge {
    if keyword.len() < 4 || is_ordinary(keyword) {
        LeftEdge::Joined
    } else if keyword.len() >= 6 || has_mark(keyword) {
        LeftEdge::Any
    } else {
        // Four or five letters, such as `akia`, turn up inside encoded text.
        LeftEdge::Identifier
    }
}

const fn has_mark(keyword: &str) -> bool {
    let bytes = keyword.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        if !bytes[index].is_ascii_alphanumeric() {
            return true;
        }
        index += 1;
    }
    false
}

const fn is_ordinary(keyword: &str) -> bool {
    let mut index = 0;
    while index < ORDINARY.len() {
        if is_equal(ORDINARY[index].as_bytes(), keyword.as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

const fn is_equal(left: &[u8], right: &[u8]) -> bool {
    let mut index = 0;
    while index < left.len() && index < right.len() && left[index] == right[index] {
        index += 1;
    }
    index == left.len() && index == right.len()
}

/// Prefixes that ordinary words and names end in.
const ORDINARY: &[&str] = &[
    "live_", "test_", "sandbox_", "web_", "app_", "key_", "key-", "api-", "sdk-", "mob-", "sess-", "token-", "secret_",
    "pat.", "sat.", "act.", "perm:", "perm-", "ico-", "user:", "oauth:", "prod:", "dev:", "preview:", "project:",
    "1//0",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_decides_what_it_may_be_glued_to() {
        let check = |keywords: &[&str], edge| assert_eq!(left_edge(keywords), edge, "{keywords:?}");
        check(&["ghp_"], LeftEdge::Any);
        check(&["sk-ant-"], LeftEdge::Any);
        check(&["akia", "asia"], LeftEdge::Identifier);
        check(&["sk-"], LeftEdge::Joined);
        check(&["sk_live_", "live_"], LeftEdge::Joined);
        check(&["glrt-", "akia"], LeftEdge::Identifier);
    }
}
