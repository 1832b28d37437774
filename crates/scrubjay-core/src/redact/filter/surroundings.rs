//! What stands around a value that was assigned to a name, and whether that makes it code.

use std::ops::Range;

use super::words::is_identifier;

/// What stands around a value that was assigned to a name.
pub(super) struct MatchContext {
    pub(super) is_quoted: bool,
    /// The value is one of several in a list or a call. Without quotation marks it is a variable, then.
    is_argument: bool,
    /// `NAME=value` without spaces, the name in capitals: the form of an environment file, where every value is literal.
    pub(super) is_environment_line: bool,
    /// The value is the next in a list after a name: `("api_key", "…")`, if the name stands in quotation marks.
    pub(super) follows_comma: bool,
    follows_quoted_name: bool,
    /// The name is part of a longer one that names no secret: of a resource with colons, or of a public key.
    is_inside_path: bool,
    pub(super) next: Option<u8>,
    /// The next byte that is no white space.
    next_visible: Option<u8>,
}

impl MatchContext {
    pub(super) fn of(text: &str, match_start: usize, secret: Range<usize>) -> MatchContext {
        let before = &text.as_bytes()[match_start..secret.start];
        let quote = before.last().filter(|byte| matches!(byte, b'"' | b'\'' | b'`')).copied();
        let after = &text.as_bytes()[secret.end..text.len().min(secret.end + 128)];
        let head = &text.as_bytes()[..match_start];
        let is_public =
            head.get(head.len().saturating_sub(9)..).is_some_and(|end| end.eq_ignore_ascii_case(b"publickey"));
        let assignment = &before[..before.len() - usize::from(quote.is_some())];
        let name = assignment.trim_ascii_end();
        let is_argument = name.ends_with(b",") || name.ends_with(b"(");
        let follows_quoted_name = [&b"\","[..], b"',", b"`,"].iter().any(|end| name.ends_with(end));
        let is_environment_line = assignment.strip_suffix(b"=").is_some_and(|name| {
            name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
        });
        MatchContext {
            is_quoted: quote.is_some(),
            is_argument,
            is_environment_line,
            follows_comma: name.ends_with(b","),
            follows_quoted_name,
            is_inside_path: head.ends_with(b":") && assignment.ends_with(b":") || is_public,
            next: after.first().copied(),
            next_visible: after.trim_ascii_start().first().copied(),
        }
    }

    /// Whether the value only happens to stand after the name: in a list, or in a path.
    pub(super) fn is_unrelated(&self, value: &str) -> bool {
        self.follows_comma && (!self.follows_quoted_name || is_name(value)) || self.is_inside_path
    }

    /// Whether the value is an expression of source code rather than a literal.
    pub(super) fn is_expression(&self, value: &str) -> bool {
        if self.is_quoted {
            return false;
        }
        let ends_statement = matches!(self.next, Some(b';' | b',' | b')'));
        let is_variable = is_identifier(value) && (value.len() < 16 || value.contains('_'));
        self.is_argument
            || is_code(value)
            || is_number(value)
            || ends_statement && is_variable
            || matches!(self.next, Some(b'(' | b'[' | b'{' | b'<' | b'!'))
            || self.next_visible == Some(b'.') && self.next != Some(b'.')
    }
}

/// Source code rather than a literal, judged by the value alone.
pub(super) fn is_code(value: &str) -> bool {
    let starts_as_code = value
        .starts_with(['$', '&', '*', '(', '[', '{', '<', '>', '|', '\\', '@', '%', '-', '!', '.', ',', ':', '=', '?']);
    let has_code =
        ["::", "->", "=>", "()", "(", ")", "[", "]", "{", "}", "<", ">"].iter().any(|part| value.contains(part));
    let has_operator = ["?.", "||", "&&", "??", "==", "!="].iter().any(|operator| value.contains(operator));
    let is_path = |value: &str| value.contains('.') && value.split('.').all(is_identifier);
    let is_choice = value
        .split_once('?')
        .is_some_and(|(condition, rest)| is_path(condition) || is_identifier(condition) && rest.contains(':'));
    starts_as_code || has_code || has_operator || is_choice || is_path(value)
}

/// The name of a field rather than the value of one.
fn is_name(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    is_identifier(value)
        && (value.contains('_')
            || ["password", "passphrase", "passwd", "secret", "token"].iter().any(|end| lower.ends_with(end)))
}

/// A number as source code writes it, with or without a suffix for its type.
fn is_number(value: &str) -> bool {
    let suffixes = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64", "L", "UL",
    ];
    let number = suffixes.iter().find_map(|suffix| value.strip_suffix(suffix)).unwrap_or(value);
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.'));
    let hexadecimal = number.strip_prefix("0x").map(|digits| digits.trim_end_matches('_'));
    is_plain
        || hexadecimal.is_some_and(|digits| digits.len() <= 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
