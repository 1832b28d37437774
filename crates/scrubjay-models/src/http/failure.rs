//! What a provider says when it says no.

use std::time::Duration;

use jiff::fmt::rfc2822;
use scrubjay_core::redact::redact;
use serde_json::Value;

use super::connection::Reply;
use super::secret::Secret;

/// The longest part of it that is passed on.
const SAID_CHARS: usize = 240;

/// What a provider said, short, on one line, and without keys.
pub(super) fn said(body: &[u8], key: Option<&Secret>) -> String {
    let text = match serde_json::from_slice::<Value>(body) {
        Ok(value) => message(&value).unwrap_or_default(),
        // A page of a proxy says nothing that helps.
        Err(_) if body.trim_ascii_start().starts_with(b"<") => String::new(),
        Err(_) => String::from_utf8_lossy(&body[..body.len().min(4096)]).into_owned(),
    };
    let text: String = text.chars().take(4 * SAID_CHARS).collect();
    let text = key.map_or_else(|| text.clone(), |key| key.removed_from(&text));
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    let line = redact(&words.join(" ")).text;
    if line.is_empty() {
        return "no reason was given".to_owned();
    }
    match line.char_indices().nth(SAID_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

// The places where the vendors put it.
fn message(value: &Value) -> Option<String> {
    let value = match value {
        // Gemini behind some proxies wraps its errors in a list.
        Value::Array(items) => items.first()?,
        other => other,
    };
    let error = value.get("error");
    let candidates = [error.and_then(|error| error.get("message")), error, value.get("message"), value.get("detail")];
    candidates.into_iter().flatten().find_map(Value::as_str).map(str::to_owned)
}

/// How long a provider wants to be left alone.
pub(super) fn retry_after(reply: &Reply, now_ms: i64) -> Option<Duration> {
    let millis = reply.retry_after_ms.as_deref().and_then(|text| text.trim().parse::<f64>().ok());
    if let Some(millis) = millis {
        return positive(millis / 1000.0);
    }
    let text = reply.retry_after.as_deref()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return positive(seconds);
    }
    let at = rfc2822::parse(text).ok()?.timestamp().as_millisecond();
    Some(Duration::from_millis(u64::try_from(at.saturating_sub(now_ms)).unwrap_or(0)))
}

fn positive(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_vendors_say_is_found() {
        for (body, expected) in [
            (r#"{"error":{"message":"Rate limit\nreached","type":"tokens"}}"#, "Rate limit reached"),
            (
                r#"{"error":"model \"x\" not found, try pulling it first"}"#,
                "model \"x\" not found, try pulling it first",
            ),
            (r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, "Overloaded"),
            (r#"{"detail":"Not Found"}"#, "Not Found"),
            (r#"[{"error":{"code":400,"message":"bad"}}]"#, "bad"),
            ("plain words", "plain words"),
            ("<html>502</html>", "no reason was given"),
            ("{}", "no reason was given"),
            ("", "no reason was given"),
        ] {
            assert_eq!(said(body.as_bytes(), None), expected);
        }
        assert_eq!(said("x".repeat(1000).as_bytes(), None).chars().count(), SAID_CHARS + 1);
    }

    #[test]
    fn keys_are_not_passed_on() {
        let key = Secret::new("my-own-key-canary").unwrap();
        let body = r#"{"error":{"message":"Incorrect API key provided: my-own-key-canary."}}"#;
        assert!(!said(body.as_bytes(), Some(&key)).contains("canary"));
    }

    #[test]
    fn waits_are_understood() {
        let wait = |seconds: Option<&str>, millis: Option<&str>| {
            let (retry_after_header, millis) = (seconds.map(str::to_owned), millis.map(str::to_owned));
            let reply =
                Reply { status: 429, retry_after: retry_after_header, retry_after_ms: millis, body: Vec::new() };
            retry_after(&reply, 784_111_770_000).map(|wait| wait.as_millis())
        };
        assert_eq!(wait(Some("7"), None), Some(7000));
        assert_eq!(wait(Some("7"), Some("250")), Some(250));
        assert_eq!(wait(Some("Sun, 06 Nov 1994 08:49:37 GMT"), None), Some(7000));
        assert_eq!(wait(Some("Sun, 06 Nov 1994 08:00:00 GMT"), None), Some(0));
        assert_eq!(wait(Some("-3"), None), None);
        assert_eq!(wait(Some("soon"), None), None);
        assert_eq!(wait(None, None), None);
    }
}
