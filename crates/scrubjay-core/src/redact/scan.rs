//! Runs the table of rules over a text.
//!
//! One pass looks for the keywords of all rules at once. Only where a keyword stands is the rule's pattern tried,
//! anchored to that place, so ordinary text costs that one pass, and a process that meets no keyword compiles no pattern
//! at all.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Captures, Regex, RegexBuilder};

use super::column::read_table;
use super::filter;
use super::hint;
use super::prefilter::find_keywords;
use super::rule::{LeftEdge, Rule};
use super::rules::{COUNT, RULES};

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    /// The text, each secret replaced by `[REDACTED:rule-id]`.
    pub text: String,
    /// What was replaced, in order of first appearance; never the value.
    pub findings: Vec<Finding>,
}

/// How often one rule replaced something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's `id`.
    pub rule: &'static str,
    /// Number of replacements.
    pub count: usize,
}

/// Replaces every secret found by `[REDACTED:rule-id]`. Doing it twice changes nothing more.
pub fn redact(text: &str) -> Redacted {
    redact_if_needed(text).unwrap_or_else(|| Redacted { text: text.to_owned(), findings: Vec::new() })
}

/// Like [`redact`], but copies nothing and returns `None` when there is nothing to replace.
pub fn redact_if_needed(text: &str) -> Option<Redacted> {
    redact_with(text, Lines::Joined)
}

/// Like [`redact`], but a secret of several lines leaves its line ends behind, so that every other line keeps its
/// number.
pub fn redact_keeping_lines(text: &str) -> Redacted {
    redact_with(text, Lines::Kept).unwrap_or_else(|| Redacted { text: text.to_owned(), findings: Vec::new() })
}

/// What becomes of line ends inside a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    Joined,
    Kept,
}

fn redact_with(text: &str, lines: Lines) -> Option<Redacted> {
    let mut spans = secret_spans(text);
    if spans.is_empty() {
        return None;
    }
    let mut findings = Vec::new();
    let mut current = replace(text, &spans, lines, &mut findings);
    // A replacement is a new edge in the text, at which a second secret glued to the first can become visible. Each
    // pass leaves less text outside the marks, so this ends by itself; the bound keeps a hostile text from costing a
    // pass for each of its bytes.
    for _ in 1..MAXIMUM_PASSES {
        spans = secret_spans(&current);
        if spans.is_empty() {
            break;
        }
        current = replace(&current, &spans, lines, &mut findings);
    }
    Some(Redacted { text: current, findings })
}

const MAXIMUM_PASSES: usize = 16;
const MARK_START: &str = "[REDACTED:";

/// A stretch of text to be replaced in the name of `RULES[rule]`.
struct Span {
    start: usize,
    end: usize,
    rule: usize,
}

/// What one pattern says about one place.
enum Verdict {
    Nothing,
    /// The pattern matched up to here, but the value is no secret.
    Rejected(usize),
    Secret(Range<usize>),
}

/// All secrets of a text, in order and without overlap. Where two rules overlap, the union is replaced, in the name of
/// the rule that stands first in the table.
fn secret_spans(text: &str) -> Vec<Span> {
    let marks = marks(text);
    let mut read_until = Vec::new();
    let mut spans: Vec<Span> = Vec::new();
    find_keywords(text, |hit, rule| {
        if overlaps(&marks, hit..hit + 1) {
            return;
        }
        let from = read_until.get(rule).copied().unwrap_or(0);
        if RULES[rule].is_column {
            if hit >= from {
                read_until.resize(COUNT, 0);
                read_until[rule] = read_columns(rule, text, hit, &marks, &mut spans);
            }
            return;
        }
        let (secret, end) = match find_around(rule, text, hit, from) {
            Verdict::Secret(secret) if !overlaps(&marks, secret.clone()) => (Some(secret.clone()), secret.end),
            // What was read at length and is no secret is not read again from a keyword inside it; otherwise a text of
            // nothing but keywords would be read once for each of them.
            Verdict::Rejected(end) if end > hit + LONG_MATCH_BYTES => (None, end),
            _ => return,
        };
        read_until.resize(COUNT, 0);
        read_until[rule] = end;
        spans.extend(secret.map(|secret| Span { start: secret.start, end: secret.end, rule }));
    });
    merge(spans)
}

const LONG_MATCH_BYTES: usize = 512;

/// Adds the secrets of the table whose head is at `hit`, and tells where it was read to.
fn read_columns(rule: usize, text: &str, hit: usize, marks: &[Range<usize>], spans: &mut Vec<Span>) -> usize {
    let table = read_table(text, hit, |head| compiled(rule).is_match(head.as_bytes()));
    let cells = table.columns.iter().flat_map(|column| filter::secret_cells(&RULES[rule], text, column));
    let unmarked = cells.filter(|cell| !overlaps(marks, cell.clone()));
    spans.extend(unmarked.map(|cell| Span { start: cell.start, end: cell.end, rule }));
    table.end
}

/// Tries one rule at the places where a match with a keyword at `hit` can begin.
fn find_around(rule_index: usize, text: &str, hit: usize, from: usize) -> Verdict {
    let rule = &RULES[rule_index];
    let Some(latest) = hit.checked_sub(rule.lead_minimum) else { return Verdict::Nothing };
    let earliest = hit.saturating_sub(rule.lead_maximum).max(from);
    if earliest > latest || !hint::promises(rule.hint, &text.as_bytes()[earliest..]) {
        return Verdict::Nothing;
    }
    let mut verdict = Verdict::Nothing;
    for start in earliest..=latest {
        if left_edge_allows(rule.left_edge, text.as_bytes(), start) {
            verdict = find_at(rule, compiled(rule_index), text, start);
        }
        if matches!(verdict, Verdict::Secret(_)) {
            break;
        }
    }
    verdict
}

fn find_at(rule: &Rule, regex: &Regex, text: &str, start: usize) -> Verdict {
    let bytes = text.as_bytes();
    let near = bytes.len().min(start.saturating_add(rule.reach_bytes));
    let Some(captures) = captures_at(regex, bytes, start, near) else { return Verdict::Nothing };
    let Some(secret) = captures.iter().skip(rule.secret_group).flatten().next() else { return Verdict::Nothing };
    // Patterns may contain "any byte but …"; such a run can stop inside a character, which is then taken whole.
    let secret = text.floor_char_boundary(start + secret.start())..text.ceil_char_boundary(start + secret.end());
    let secret = filter::narrow(rule, text, secret);
    match filter::accepts(rule, text, start, secret.clone()) {
        true => Verdict::Secret(secret),
        false => Verdict::Rejected(secret.end),
    }
}

fn captures_at<'a>(regex: &Regex, bytes: &'a [u8], start: usize, near: usize) -> Option<Captures<'a>> {
    let captures = regex.captures(&bytes[start..near])?;
    let reaches_the_end = captures.get(0).is_some_and(|whole| start + whole.end() == near);
    if reaches_the_end && near < bytes.len() { regex.captures(&bytes[start..]) } else { Some(captures) }
}

fn left_edge_allows(edge: LeftEdge, bytes: &[u8], start: usize) -> bool {
    let before = &bytes[..start];
    let Some(&last) = before.last() else { return edge != LeftEdge::Flag && edge != LeftEdge::Separator };
    match edge {
        LeftEdge::Any => true,
        LeftEdge::Word => !(last.is_ascii_alphanumeric() || last == b'_') || ends_with_escape(before),
        LeftEdge::Joined => !last.is_ascii_alphanumeric() || ends_with_escape(before),
        LeftEdge::Token => {
            !(last.is_ascii_alphanumeric() || matches!(last, b'_' | b'-' | b'.')) || ends_with_escape(before)
        }
        LeftEdge::Identifier => {
            let starts_hump = last.is_ascii_lowercase() && bytes.get(start).is_some_and(u8::is_ascii_uppercase);
            !last.is_ascii_alphabetic() || starts_hump || ends_with_escape(before)
        }
        LeftEdge::Blank => last.is_ascii_whitespace() || b"\"'`".contains(&last) || ends_with_escape(before),
        LeftEdge::Flag => {
            let name_bytes = before.iter().rev().take(40).take_while(|b| b.is_ascii_alphanumeric() || **b == b'-');
            let flag = &before[start - name_bytes.count()..];
            flag.starts_with(b"--") && !flag.starts_with(b"---")
        }
        LeftEdge::Separator => {
            let last = before.iter().rev().find(|byte| **byte != b' ');
            last.is_some_and(|byte| matches!(byte, b';' | b'&' | b'?'))
        }
        LeftEdge::Number => {
            !(last.is_ascii_alphanumeric() || matches!(last, b'.' | b'_' | b'-' | b'+' | b'/' | b'\\' | b'%' | b'#'))
        }
    }
}

/// Whether the last bytes are an escape sequence of JSON, a URL or a terminal, whose letters do not belong to what
/// follows.
fn ends_with_escape(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'%', first, second] if [first, second].iter().all(|byte| byte.is_ascii_hexdigit()) => true,
        [.., b'\\', b'u', a, b, c, d] if [a, b, c, d].iter().all(|byte| byte.is_ascii_hexdigit()) => true,
        [head @ .., b'm'] => {
            let code = head.iter().rev().take(12).take_while(|byte| byte.is_ascii_digit() || **byte == b';');
            head[..head.len() - code.count()].ends_with(b"\x1b[")
        }
        _ => false,
    }
}

/// The marks of an earlier redaction. Only the name of a known rule makes one, so nothing can hide in a false mark.
fn marks(text: &str) -> Vec<Range<usize>> {
    let known = text.match_indices(MARK_START).filter_map(|(start, opening)| {
        let rest = &text[start + opening.len()..];
        let rule = RULES.iter().find(|rule| rest.strip_prefix(rule.id).is_some_and(|tail| tail.starts_with(']')))?;
        Some(start..start + opening.len() + rule.id.len() + 1)
    });
    known.collect()
}

fn overlaps(sorted: &[Range<usize>], range: Range<usize>) -> bool {
    let first_ending_later = sorted.partition_point(|mark| mark.end <= range.start);
    sorted.get(first_ending_later).is_some_and(|mark| mark.start < range.end)
}

fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable_by_key(|span| (span.start, span.rule));
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => {
                last.end = last.end.max(span.end);
                last.rule = last.rule.min(span.rule);
            }
            _ => merged.push(span),
        }
    }
    merged
}

fn replace(text: &str, spans: &[Span], lines: Lines, findings: &mut Vec<Finding>) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut copied_until = 0;
    for span in spans {
        let rule = RULES[span.rule].id;
        replaced.push_str(&text[copied_until..span.start]);
        replaced.push_str(MARK_START);
        replaced.push_str(rule);
        replaced.push(']');
        if lines == Lines::Kept {
            replaced.extend(text[span.start..span.end].chars().filter(|&character| character == '\n'));
        }
        copied_until = span.end;
        match findings.iter_mut().find(|finding| finding.rule == rule) {
            Some(finding) => finding.count += 1,
            None => findings.push(Finding { rule, count: 1 }),
        }
    }
    replaced.push_str(&text[copied_until..]);
    replaced
}

/// The compiled pattern of a rule, made when the rule's keyword is met for the first time.
#[expect(clippy::expect_used, reason = "the patterns are constant; `every_pattern_compiles` compiles each of them")]
fn compiled(rule_index: usize) -> &'static Regex {
    static COMPILED: [OnceLock<Regex>; COUNT] = [const { OnceLock::new() }; COUNT];
    COMPILED[rule_index].get_or_init(|| {
        let pattern = RULES[rule_index].pattern;
        RegexBuilder::new(pattern).unicode(false).build().expect("the pattern of a rule compiles")
    })
}
