//! What a client complains about when it does not answer.

use std::sync::OnceLock;

use regex::RegexSet;
use scrubjay_core::redact::redact;

/// The longest text that is looked at: a client that complains is brief, and a long text may mention anything.
const COMPLAINT_CHARS: usize = 2000;

/// The longest part of it that is passed on.
const SAID_CHARS: usize = 200;

/// What a client complains about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Complaint {
    /// Nobody is logged in.
    Login,
    /// The plan is used up for now.
    Limit,
}

/// The complaint in what a client printed instead of an answer, if there is one that is known.
pub(super) fn complaint(text: &str) -> Option<Complaint> {
    if text.chars().count() > COMPLAINT_CHARS {
        return None;
    }
    // A set that does not compile would be a defect, which the test below sees; a call is no place to fail for it.
    static KNOWN: OnceLock<Option<RegexSet>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| RegexSet::new([LOGIN, LIMIT]).ok()).as_ref()?;
    let matches = known.matches(text);
    match (matches.matched(0), matches.matched(1)) {
        (_, true) => Some(Complaint::Limit),
        (true, false) => Some(Complaint::Login),
        (false, false) => None,
    }
}

const LOGIN: &str = r"(?ix)
    \b(?: please | must | need\ to | run | use | first )\b .{0,40} (?: \b(?:log|sign)[\ -]?in\b | /login | \bauth(?:enticate|\ login)\b )
  | \bnot\ (?:logged|signed)\ in\b | \b(?:log|sign)\ in\ to\ continue\b
  | \b(?:no|missing|invalid|expired|set\ an)\b .{0,20} \b(?:auth(?:entication)?|credentials?|api\ key|oauth\ token|access\ token)\b
  | \b(?:authentication|login)\ (?:is\ )?(?:required|failed|expired)\b
  | \b(?:token|session|login)\b .{0,20} \bexpired\b
  | \b401\b .{0,20} \bunauthorized\b | enter\ (?:the|your|this)\ (?:authorization|one-time)?\ ?code";

const LIMIT: &str = r"(?ix)
    \b(?:usage|rate|session|weekly|daily|5-hour|plan|quota)\ (?:limit|quota)\b .{0,40} \b(?:reached|exceeded|hit|exhausted)\b
  | \b(?:reached|exceeded|hit|exhausted)\b .{0,40} \b(?:limit|quota)\b
  | \bquota\ exceeded\b | \bout\ of\ (?:credits|requests)\b";

/// The last line of what was printed, short and redacted; nothing if it repeats what the program was given.
pub(super) fn last_line(text: &str, given: &str) -> String {
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if given.contains(line) {
        return String::new();
    }
    let visible: String = line.chars().filter(|character| !character.is_control()).take(SAID_CHARS).collect();
    redact(&visible).text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_complain_in_their_own_words() {
        for (text, expected) in [
            ("Invalid API key · Please run /login", Some(Complaint::Login)),
            ("Not logged in · Please run /login", Some(Complaint::Login)),
            ("OAuth token has expired. Please obtain a new token or refresh.", Some(Complaint::Login)),
            ("Not signed in. Please run 'codex login' to sign in with ChatGPT.", Some(Complaint::Login)),
            ("unexpected status 401 Unauthorized: Missing bearer", Some(Complaint::Login)),
            ("Please set an Auth method in your settings.json", Some(Complaint::Login)),
            ("Error: No authentication information found.", Some(Complaint::Login)),
            ("Enter the authorization code:", Some(Complaint::Login)),
            ("Claude usage limit reached. Your limit will reset at 3pm.", Some(Complaint::Limit)),
            ("You've hit your session limit · resets 4pm", Some(Complaint::Limit)),
            ("You have exhausted your daily quota on this model.", Some(Complaint::Limit)),
            ("Sure! Here are the facts I found: Ada lives in Bern.", None),
            ("The login page is blue.", None),
            ("panic: index out of range", None),
            ("", None),
        ] {
            assert_eq!(complaint(text), expected, "{text}");
        }
        assert_eq!(complaint(&format!("{} Please run /login", "word ".repeat(500))), None, "too long for a complaint");
    }

    #[test]
    fn nothing_that_was_given_is_repeated() {
        assert_eq!(last_line("one\n\u{1b}[31mtwo \n\n", "three"), "[31mtwo");
        assert_eq!(last_line("the secret plan", "about the secret plan"), "");
        assert_eq!(last_line("", "x"), "");
        assert!(!last_line("key AKIAIOSFODNN7EXAMPLQ", "x").contains("AKIA"));
    }
}
