//! What a person asks to be remembered, in so many words.

use std::sync::OnceLock;

use regex::Regex;

use crate::{EngineError, Result};

/// Whether what is to be remembered is something to do. One person says so to another as a piece of advice (“remember to
/// rest”), not to have it kept.
pub(super) fn is_advice(fact: &str) -> bool {
    let first = fact.split_whitespace().next().unwrap_or_default().to_lowercase();
    ["to", "zu", "de", "you", "you're", "your", "just"].contains(&first.as_str())
}

/// What is to be remembered, if a sentence asks for it: what follows the request, what stands before it in the same
/// sentence, or, if the request stands alone, the sentence before.
///
/// # Errors
/// When a pattern is wrong.
pub(super) fn asked_to_remember<'a>(sentence: &'a str, before: Option<&'a str>) -> Result<Option<&'a str>> {
    static PATTERNS: OnceLock<std::result::Result<[Regex; 3], regex::Error>> = OnceLock::new();
    let patterns = PATTERNS.get_or_init(|| Ok([Regex::new(ALONE)?, Regex::new(LEADING)?, Regex::new(TRAILING)?]));
    let [alone, leading, trailing] =
        patterns.as_ref().map_err(|error| EngineError::defect(format!("a pattern of requests is wrong: {error}")))?;
    if sentence.ends_with(['?', '？']) {
        return Ok(None);
    }
    if alone.is_match(sentence) {
        return Ok(before.filter(|before| !before.ends_with(['?', '？', ':']) && is_long_enough(before)));
    }
    let found = leading.captures(sentence).or_else(|| trailing.captures(sentence));
    let fact = found.and_then(|found| found.name("fact")).map(|fact| fact.as_str().trim());
    Ok(fact.filter(|fact| is_long_enough(fact) && !is_open(fact)))
}

// “Note if they are in a repository” asks to find out; what ends with a colon is continued elsewhere.
fn is_open(fact: &str) -> bool {
    let first = fact.split_whitespace().next().unwrap_or_default().to_lowercase();
    let asks = ["if", "whether", "which", "how", "what", "where", "when", "ob", "si"].contains(&first.as_str());
    (asks && !fact.contains(',')) || fact.ends_with(':')
}

fn is_long_enough(fact: &str) -> bool {
    fact.split_whitespace().count() >= 3
}

const ALONE: &str = r"(?i)^\W*(?:and |so |please |bitte |por favor,? )*(?:remember|note|don't forget|keep (?:that|this|it) in mind|merk(?:e)? dir|merken|retiens|note|recuerda|recuérdalo|acuérdate|no lo olvides)(?: (?:that|this|it|das|dir das|ça|cela|eso|esto))?(?: please| bitte| s'il te plaît| por favor)?\W*$";

const LEADING: &str = r"(?i)^\W*(?:(?:and|so|ok(?:ay)?|also|but|please|bitte|btw|oh)[,:]? )*(?:(?:remember|note|keep in mind|bear in mind|don't forget|for the record|for future reference|merk(?:e)? dir|bitte merken|fürs protokoll|denk(?:e)? daran|retiens|souviens-toi|rappelle-toi|note bien|n'oublie pas|recuerda|acuérdate(?: de)?|ten en cuenta|toma nota|no olvides)(?: that|[,:]? dass| que)?|(?:remember|note|merken|recuerda)):?,? (?P<fact>[^:].*)$";

const TRAILING: &str = r"(?i)^(?P<fact>.+?)[,;.–—-]+ (?:and |so )?(?:please |bitte )?(?:remember|don't forget|note|keep in mind|merk dir|retiens|recuerda)(?: (?:that|this|it|das|ça|eso))?\W*$";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_to_remember_names_what() {
        let check = |sentence: &str, before: Option<&str>, expected: Option<&str>| {
            assert_eq!(asked_to_remember(sentence, before).unwrap(), expected, "{sentence}");
        };
        check(
            "Remember that the payments lead is on leave until May",
            None,
            Some("the payments lead is on leave until May"),
        );
        check("Please remember.", Some("The payment gateway is Adyen."), Some("The payment gateway is Adyen."));
        check("Please remember", None, None);
        check("for the record, staging is on 5433", None, Some("staging is on 5433"));
        check("Note: tabs in go files only", None, Some("tabs in go files only"));
        check("the retro is on Tuesday, remember that", None, Some("the retro is on Tuesday"));
        check("Merk dir, dass die Tests Docker brauchen", None, Some("die Tests Docker brauchen"));
        check("Recuerda que el puerto es 8090", None, Some("el puerto es 8090"));
        check("Do you remember that the port is 8090?", None, None);
        check("I remember that day well", None, None);
        check("Please note if they are a git repository", None, None);
        check("Remember: if the queue is down, we fail open", None, Some("if the queue is down, we fail open"));
        check("Note that this is a Nuxt 2 project:", None, None);
        check("Remember me?", Some("We met in Lyon."), None);
    }
}
