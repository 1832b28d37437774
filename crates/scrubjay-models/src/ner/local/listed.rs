//! Words that are known by themselves, because the model, which was trained on news, is often wrong about them.
//!
//! Products are taken for people (“Jenkins failed again”), companies for people or for nothing, and names from outside
//! of its news are missed. The lists are written by hand. A word that is as often an everyday word, a place or a person
//! is on none of them: there the model decides.

use std::collections::HashSet;
use std::sync::LazyLock;

static PRODUCTS: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("products.txt").split_whitespace().collect());
static COMPANIES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("companies.txt").split_whitespace().collect());
static GIVEN_NAMES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("given_names.txt").split_whitespace().collect());

/// What a word is known as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// Software, or another product: no name that is looked for.
    Product,
    /// A company.
    Company,
    /// The given name of a person.
    GivenName,
}

/// What a word, given in lower case, is known as.
pub(super) fn known(word: &str) -> Option<Known> {
    if PRODUCTS.contains(word) {
        Some(Known::Product)
    } else if COMPANIES.contains(word) {
        Some(Known::Company)
    } else if GIVEN_NAMES.contains(word) {
        Some(Known::GivenName)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::everyday::is_never_a_name;
    use super::*;

    #[test]
    fn a_word_is_on_one_list() {
        for word in GIVEN_NAMES.iter().chain(&*COMPANIES).chain(&*PRODUCTS) {
            let lists = [&PRODUCTS, &COMPANIES, &GIVEN_NAMES].iter().filter(|list| list.contains(word)).count();
            assert_eq!(lists, 1, "{word}");
            assert!(word.chars().all(|one| !one.is_uppercase()), "{word}");
        }
        let never: Vec<&&str> = GIVEN_NAMES.iter().filter(|word| is_never_a_name(word)).collect();
        assert!(never.is_empty(), "{never:?}");
    }
}
