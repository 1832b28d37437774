//! The table of rules, one file for each kind of vendor.
//!
//! To add a rule, add an entry to the file of its kind, with keywords, a pattern and an example; the tests make fresh
//! values from the example and demand that they disappear. A rule that stands earlier gives its name where two rules
//! find the same text, so the general shapes come last. What a rule never does: contain a value that could be live.
//!
//! Patterns are written with five macros, which spell out what is common to all:
//! `open!` a token that ends where its alphabet ends, `exact!` a token of fixed length that must end there,
//! `keyed!` a value after a vendor's name and a word such as `key`, `header!` a value after one exact name,
//! `assigned!` a value after any name and an operator.

use super::rule::Rule;

/// A token that reaches as far as its alphabet.
macro_rules! open {
    ($body:expr) => {
        concat!(r"\A(", $body, ")")
    };
}

/// A token of known length, with no letter, digit or underscore after it.
macro_rules! exact {
    ($body:expr) => {
        concat!(r"\A(", $body, r")(?:[^A-Za-z0-9_]|\z)")
    };
}

/// A value of known shape after a vendor's name and a word that announces a credential: `HEROKU_API_KEY=…`,
/// `"herokuToken": "…"`, `my Heroku API key is …`.
macro_rules! keyed {
    ($vendor:expr, $value:expr) => {
        concat!(
            r"\A(?i:",
            $vendor,
            r")[\w \t.\-]{0,32}?(?i:key|token|secret|auth|pass|pat|api|credential|access)[\w \t.\-]{0,16}?",
            r#"(?:["'`\\\])]{0,3}\s{0,6}(?:=>|:=|->|[=:,(>]|is\b|was\b)\s{0,6}|["'`]?\s{1,6})["'`\\(<]{0,4}"#,
            "(",
            $value,
            r")(?:[^A-Za-z0-9_+/=]|\z)"
        )
    };
}

/// A value of known shape directly after one name, as in a header, a query or a configuration line.
macro_rules! header {
    ($name:expr, $value:expr) => {
        concat!(
            r"\A(?i:",
            $name,
            r#")["'`\\]{0,2}\s{0,4}[=:,]\s{0,4}["'`\\]{0,2}("#,
            $value,
            r")(?:[^A-Za-z0-9_+/=]|\z)"
        )
    };
}

/// A value after a name and an operator of any language or configuration format. The groups are the forms of the
/// value: in double quotes, in double quotes that are themselves escaped, in single quotes, in backticks, unquoted.
macro_rules! assigned {
    ($name:expr) => {
        concat!(
            r"\A(?i:",
            $name,
            r#")(?:\\?["'`])?\]?"#,
            // The operator, with a type annotation before it where a language has one; or an argument; or `value:` in a
            // list of names and values.
            r#"(?:\*{0,2}[ \t]{0,24}(?::[ \t]{0,2}[&'A-Za-z][\w&'<>\[\]. |]{0,30}?[ \t]{0,2}=|===?|:=|=>|=|:)\*{0,2}[ \t]{0,24}"#,
            r#"|\([ \t]{0,2}|,?\s{1,40}\\?["']?(?i:value)\\?["']?[ \t]{0,3}[:=][ \t]{0,3}|\\?["']?,[ \t]{0,3})"#,
            // A wrapper around the literal: `String::from("…")`, `new Secret('…')`. Any other call computes something.
            r#"(?:(?:new[ ][\w.]{1,40}|Some|String::from|Secret(?:String|Str)?(?:::new|::from)?|Buffer\.from|Zeroizing::new|Cow::from)\([ ]?)?"#,
            r#"(?:[bBrRfFuU@]{0,2}(?:"((?:[^"\\\n]|\\[^\n])+)"|'((?:[^'\\\n]|\\[^\n])+)')"#,
            r#"|\\"((?:[^"\\\n]|\\[^"\n])+)\\""#,
            r"|`([^`\n]+)`",
            r#"|([^\s"'`\\<>]+))"#
        )
    };
}

mod chat;
mod cloud;
mod code;
mod commerce;
mod data;
mod general;
mod keys;
mod mail;
mod models;
mod operations;
mod urls;

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
];

pub(super) const RULES: &[Rule; COUNT] = &table();

/// How many rules there are.
pub(super) const COUNT: usize = count();

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
