//! The bundled conversations, moved into the past few weeks.

use scrubjay_core::time::{DAY_MS, Timestamp};
use serde_json::{Value, json};

use crate::failure::Failure;

/// Three short conversations of a small team. Days are counted from today.
const CONVERSATIONS: &str = include_str!("../../../data/demo.jsonl");

/// The messages of one conversation as `capture` takes them, a line each.
pub(super) fn conversation(session: &str, now: Timestamp) -> Result<String, Failure> {
    let mut lines = String::new();
    for line in CONVERSATIONS.lines() {
        let message: Value =
            serde_json::from_str(line).map_err(|error| Failure::invalid(format!("bundled data: {error}")))?;
        if message["session_id"] != session {
            continue;
        }
        let day = now.plus_millis(-message["days_ago"].as_i64().unwrap_or_default() * DAY_MS).date();
        let text = filled(message["content"].as_str().unwrap_or_default(), now);
        let time = format!("{day}T{}:00Z", message["at"].as_str().unwrap_or_default());
        let message = json!({"session_id": session, "role": message["role"], "content": text, "time": time});
        lines.push_str(&format!("{message}\n"));
    }
    Ok(lines)
}

/// A day some days from now.
pub(super) fn day(now: Timestamp, days: i64) -> String {
    now.plus_millis(days * DAY_MS).date()
}

// Replaces `{date+9}` by that day and `{secret}` by something that looks like one.
fn filled(text: &str, now: Timestamp) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        result.push_str(before);
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        match name.strip_prefix("date").map(str::parse) {
            Some(Ok(days)) => result.push_str(&day(now, days)),
            _ if name == "secret" => result.push_str(&secret()),
            _ => result.push_str(&format!("{{{name}}}")),
        }
        rest = after;
    }
    result + rest
}

// Nobody's token, put together here so that no file holds one.
fn secret() -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let random_looking = (0..36).map(|at| char::from(LETTERS[(at * 23 + 7) % LETTERS.len()]));
    ["gh", "p", "_"].concat().chars().chain(random_looking).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundle_is_whole_and_recent() {
        let now: Timestamp = "2026-05-31T12:00:00Z".parse().unwrap();
        let mut count = 0;
        for session in ["kickoff", "standup", "incident"] {
            let lines = conversation(session, now).unwrap();
            for line in lines.lines() {
                let message: Value = serde_json::from_str(line).unwrap();
                let time: Timestamp = message["time"].as_str().unwrap().parse().unwrap();
                assert!((0.0..30.0).contains(&now.days_since(time)), "{line}");
                assert!(!line.contains('{') || line.matches('{').count() == 1, "{line}");
                count += 1;
            }
        }
        assert_eq!(count, CONVERSATIONS.lines().count());
        assert!(conversation("kickoff", now).unwrap().contains("planned for 2026-06-09"));
    }

    #[test]
    fn the_bundle_holds_no_secret_and_the_story_does() {
        assert!(!CONVERSATIONS.contains(&secret()));
        assert!(filled("a {secret} b", Timestamp::default()).contains(&secret()));
        assert_eq!(filled("{other} {date-1}", Timestamp::from_millis(DAY_MS)), "{other} 1970-01-01");
    }
}
