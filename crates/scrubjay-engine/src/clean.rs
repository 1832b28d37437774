//! Taking out what must not be kept.

use scrubjay_core::memory::Attributes;
use scrubjay_core::{fence, redact};
use serde_json::Value;

use crate::{Ctx, EngineError, Result};

/// Enough to tell the sessions of a lifetime apart.
const DIGEST_BYTES: usize = 8;

/// Text that may be kept, and what was taken out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    /// What is left; empty if nothing was worth keeping.
    pub text: String,
    /// A sentence for each thing that was taken out; never the thing itself.
    pub warnings: Vec<String>,
}

/// Refuses a text that is larger than the settings allow.
///
/// # Errors
/// When it is.
pub fn check_size(ctx: &Ctx, text: &str) -> Result<()> {
    let max_bytes = ctx.config().settings.capture.max_bytes;
    if text.len() as u64 <= max_bytes {
        return Ok(());
    }
    let size = text.len();
    Err(EngineError::invalid(format!(
        "the text has {size} bytes, more than capture.max_bytes = {max_bytes}; split it or raise the limit"
    )))
}

/// A name by which others call something, such as a session's or a message's, without the secrets that it may hold.
///
/// Two names stay two: in place of what was taken out comes a digest of the whole, so that a hook and a transcript still
/// mean the same session. Doing it twice changes nothing more.
#[must_use]
pub fn clean_id(id: &str, redact_secrets: bool) -> String {
    let id = id.trim();
    let cleaned = clean(id, redact_secrets).text;
    if cleaned == id {
        return cleaned;
    }
    let digest = blake3::derive_key("scrubjay 2026-11 names that hold a secret", id.as_bytes());
    let digest: String = digest.iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect();
    format!("{cleaned}-{digest}")
}

/// Takes out our own injected blocks, private passages and, if wanted, secrets.
#[must_use]
pub fn clean(text: &str, redact_secrets: bool) -> Cleaned {
    let mut warnings = Vec::new();
    let own = fence::strip(text);
    if own.len() < text.len() {
        warnings.push("recalled text was left out, so that it is not learned twice".to_owned());
    }
    let public = redact::strip_private(&own);
    if public.removed > 0 {
        warnings.push("a <private> passage was left out".to_owned());
    }
    if !redact_secrets {
        return Cleaned { text: public.text.trim().to_owned(), warnings };
    }
    let redacted = redact::redact(&public.text);
    for finding in &redacted.findings {
        let times = if finding.count == 1 { String::new() } else { format!(" ({} times)", finding.count) };
        warnings.push(format!("a secret was redacted: {}{times}", finding.rule));
    }
    Cleaned { text: redacted.text.trim().to_owned(), warnings }
}

/// What [`clean`] takes out of a message, taken out of a file: lines keep their numbers. A `<private>` that is never
/// closed takes everything behind it along only where a tag is meant as one.
#[must_use]
pub fn clean_keeping_lines(text: &str, unclosed_is_private: bool, redact_secrets: bool) -> String {
    let own = fence::strip_keeping_lines(text);
    let public = if unclosed_is_private {
        redact::strip_private_keeping_lines(&own).text
    } else {
        redact::strip_closed_private_keeping_lines(&own).text
    };
    if redact_secrets { redact::redact_keeping_lines(&public).text } else { public.into_owned() }
}

/// JSON whose names and texts passed [`clean`]: metadata is cleaned like text.
#[must_use]
pub fn clean_value(value: Value, redact_secrets: bool) -> Value {
    match value {
        Value::String(text) => Value::String(clean(&text, redact_secrets).text),
        Value::Array(values) => {
            Value::Array(values.into_iter().map(|value| clean_value(value, redact_secrets)).collect())
        }
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(name, value)| (clean(&name, redact_secrets).text, clean_value(value, redact_secrets)))
                .collect(),
        ),
        plain => plain,
    }
}

/// Metadata passes the same cleaning as text.
#[must_use]
pub fn clean_attributes(attributes: Attributes, redact_secrets: bool) -> Attributes {
    let pair = |(name, value): (String, _)| (clean(&name, redact_secrets).text, clean_value(value, redact_secrets));
    attributes.into_iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use scrubjay_core::redact::rules;

    use super::*;

    #[test]
    fn names_with_a_secret_stay_apart_and_the_same() {
        for rule in rules() {
            let (one, other) = (rule.sample(1), rule.sample(2));
            let (Some(one), Some(other)) = (one, other) else { continue };
            let (first, second) = (clean_id(&one.text, true), clean_id(&other.text, true));
            assert!(!first.contains(one.secret()), "{}: {first}", rule.id);
            assert!(one.secret() == other.secret() || first != second, "{}: {first}", rule.id);
            assert_eq!(clean_id(&first, true), first, "{}", rule.id);
        }
        assert_eq!(clean_id(" 0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55 ", true), "0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55");
        assert_ne!(clean_id("<private>a</private>", true), clean_id("<private>b</private>", true));
    }
}
