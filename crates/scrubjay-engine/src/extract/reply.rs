//! What a person makes of what an assistant said, by how the answer begins.

use std::sync::OnceLock;

use regex::Regex;

use crate::{EngineError, Result};

/// How a person answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    /// “Yes, go ahead”, “that fixed it”.
    Agrees,
    /// “No”, “still broken”, “revert that”.
    Objects,
    /// Neither: the talk goes on with something else.
    GoesOn,
}

/// What an answer says of what came before it.
///
/// # Errors
/// When a pattern is wrong.
pub(super) fn reply(text: &str) -> Result<Reply> {
    static PATTERNS: OnceLock<std::result::Result<(Regex, Regex), regex::Error>> = OnceLock::new();
    let patterns = PATTERNS.get_or_init(|| Ok((Regex::new(AGREES)?, Regex::new(OBJECTS)?)));
    let (agrees, objects) =
        patterns.as_ref().map_err(|error| EngineError::defect(format!("a pattern of replies is wrong: {error}")))?;
    Ok(if agrees.is_match(text) {
        Reply::Agrees
    } else if objects.is_match(text) {
        Reply::Objects
    } else {
        Reply::GoesOn
    })
}

const AGREES: &str = r"(?i)^\W*(?:(?:ok(?:ay)?|great|perfect|thanks|thank you|cool|nice|ah|oh)\b[,.! ]*)*(?:yes\b|yep\b|exactly\b|correct\b|agreed\b|confirmed\b|lgtm\b|sounds good\b|go ahead\b|let's do (?:that|it)\b|do (?:that|it)\b|that (?:worked|fixed|solved|did it|was it)\b|it works\b|works now\b|it's fixed\b|genau\b|stimmt\b|einverstanden\b|d'accord\b|exactement\b|de acuerdo\b|exacto\b)";

const OBJECTS: &str = r"(?i)^\W*(?:(?:hm+|um+|ok(?:ay)?|sorry|wait|well)\b[,.! ]*)*(?:no\b|nope\b|nah\b|wrong\b|that's (?:not|wrong)|that is (?:not|wrong)|this is (?:not|wrong)|not (?:quite|really|what|true|correct)|still (?:not|broken|fails?|failing|getting|the same|doesn't|does not|wrong)|it (?:still|doesn't|does not|didn't|did not|broke|fails?)|doesn't work|does not work|didn't work|did not work|you (?:broke|deleted|removed|forgot|missed|misunderstood|changed)|undo\b|revert\b|roll (?:that|it|this) back|stop\b|same (?:error|problem|issue|thing)|same as before|nein\b|falsch\b|geht (?:immer )?noch nicht|funktioniert nicht|immer noch|non\b|faux\b|ça ne (?:marche|fonctionne) pas|toujours (?:pas|la même)|no funciona|sigue (?:sin|fallando|igual)|está mal|mal\b)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_and_objection_are_told_apart() {
        for (text, expected) in [
            ("Exactly, thanks.", Reply::Agrees),
            ("ok great, that fixed it", Reply::Agrees),
            ("de acuerdo, sigue", Reply::Agrees),
            ("Hm, no. The proxy is fine", Reply::Objects),
            ("still broken", Reply::Objects),
            ("you deleted my comments again", Reply::Objects),
            ("Geht noch nicht", Reply::Objects),
            ("sigue sin funcionar", Reply::Objects),
            ("Now add a test for the parser", Reply::GoesOn),
            ("note the port too", Reply::GoesOn),
            ("Hm, what about the proxy?", Reply::GoesOn),
            ("", Reply::GoesOn),
        ] {
            assert_eq!(reply(text).unwrap(), expected, "{text}");
        }
    }
}
