//! Which cells of a table's column are secrets.

use std::ops::Range;

use super::judge::{entropy, is_given_password, is_spoken_password};
use super::placeholder::{is_location, is_masked, is_template, names_a_placeholder};
use super::words::{is_made_of_words, mixes_letters_and_digits};
use crate::redact::column::Column;
use crate::redact::rule::{Filter, Rule};

/// The cells to be replaced. A column headed `password` may as well say which methods are supported, so one of its
/// cells has to look like a password before all of them are taken for passwords.
pub(in crate::redact) fn secret_cells(rule: &Rule, text: &str, column: &Column) -> Vec<Range<usize>> {
    let cells = column.cells.iter();
    if rule.filter == Filter::Secret {
        return cells.filter(|cell| is_key(&text[(*cell).clone()])).cloned().collect();
    }
    if !column.is_account_list && !cells.clone().any(|cell| is_plainly_chosen(&text[cell.clone()])) {
        return Vec::new();
    }
    let is_password = |value: &str| is_given_password(value) && (column.is_account_list || !value.contains(' '));
    cells.filter(|cell| is_password(&text[(*cell).clone()])).cloned().collect()
}

fn is_plainly_chosen(value: &str) -> bool {
    let is_name = is_joined(value) && is_made_of_words(value);
    is_spoken_password(value) && !value.contains(' ') && !is_name
}

fn is_joined(value: &str) -> bool {
    value.contains(['-', '_', '.', '/', ':'])
}

/// A key or token: as random as it has to be at its length.
fn is_key(value: &str) -> bool {
    let least_bytes = if is_joined(value) { 16 } else { 8 };
    value.len() >= least_bytes
        && value.bytes().all(|byte| byte.is_ascii_graphic())
        && mixes_letters_and_digits(value)
        && !is_made_of_words(value)
        && !(is_masked(value) || names_a_placeholder(value) || is_template(value) || is_location(value))
        && entropy(value) >= if value.len() < 16 { 2.5 } else { 3.0 }
}
