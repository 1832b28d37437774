//! Puts the groups of rules into one table.

use super::{chat, cloud, code, columns, commerce, data, general, keys, mail, models, operations, spoken, urls};
use crate::redact::rule::Rule;

/// Every rule, the most specific first.
pub fn rules() -> &'static [Rule] {
    RULES
}

const GROUPS: &[&[Rule]] = &[
    keys::RULES,
    cloud::RULES,
    code::RULES,
    models::RULES,
    chat::RULES,
    commerce::RULES,
    mail::RULES,
    operations::RULES,
    data::RULES,
    urls::RULES,
    general::RULES,
    spoken::RULES,
    columns::RULES,
];

pub(in crate::redact) const RULES: &[Rule; COUNT] = &table();

/// How many rules there are.
pub(in crate::redact) const COUNT: usize = count();

const fn count() -> usize {
    let mut total = 0;
    let mut group = 0;
    while group < GROUPS.len() {
        total += GROUPS[group].len();
        group += 1;
    }
    total
}

const fn table() -> [Rule; COUNT] {
    let mut table = [GROUPS[0][0]; COUNT];
    let mut filled = 0;
    let mut group = 0;
    while group < GROUPS.len() {
        let mut index = 0;
        while index < GROUPS[group].len() {
            table[filled] = GROUPS[group][index];
            filled += 1;
            index += 1;
        }
        group += 1;
    }
    table
}
