//! Taking out what must not be kept.

use scrubjay_core::{fence, redact};

use crate::{Ctx, EngineError, Result};

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
