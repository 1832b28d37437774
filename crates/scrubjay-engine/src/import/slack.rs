//! Slack: a workspace export.
//!
//! `users.json` has the people, `channels.json` (and `groups.json`, `dms.json`,
//! `mpims.json`) the channels, and each channel's folder one file per day.

use std::collections::BTreeMap;

use scrubjay_ingest::export::Export;
use serde_json::Value;

use super::importer::{Importer, Record, RecordLocation, Sink, Speaker};
use super::json::{each_element, each_item, first_text, text, time};
use crate::Result;

const LISTS: [&str; 4] = ["channels.json", "groups.json", "dms.json", "mpims.json"];

/// Slack.
pub struct Slack;

impl Importer for Slack {
    const NAME: &'static str = "slack";
    const OPERATION: &'static str = "import.slack";
    const COMMAND: &'static [&'static str] = &["import", "slack"];
    const EXAMPLES: &'static str = r#"  scrubjay import slack --dry-run export.zip
  scrubjay import slack --project app-1a2b3c4d --only backend --only incidents export.zip"#;
    const ABOUT: &'static str = "Bring in the messages of a Slack workspace export.";
    const EXPECTS: &'static str = "the export's zip or its folder, with users.json and channels.json";

    fn recognises(export: &Export) -> bool {
        export.called(|name| name == "users.json").next().is_some()
            && export.called(|name| LISTS.contains(&name)).next().is_some()
    }

    fn read(export: &Export, sink: &mut Sink<'_>) -> Result<()> {
        let mut names = Names::default();
        for file in export.called(|name| name == "users.json") {
            each_item(export, file, &[], sink, |_, _, user| {
                names.add(user);
                Ok(())
            })?;
        }
        for file in export.called(|name| LISTS.contains(&name)) {
            each_item(export, file, &[], sink, |_, _, channel| {
                if let (Some(id), Some(name)) = (text(channel, "id"), text(channel, "name")) {
                    names.channels.insert(id.to_owned(), name.to_owned());
                }
                Ok(())
            })?;
        }
        for file in export.names().iter().filter(|name| is_day(name)) {
            let mut parts = file.rsplit('/');
            let (day, channel) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default().to_owned());
            let day = day.trim_end_matches(".json").to_owned();
            each_element(export, file, sink, |sink, number, message| {
                read_message(&Day { file, channel: &channel, day: &day }, number, &message, &names, sink)
            })?;
        }
        Ok(())
    }
}

// `general/2024-01-15.json`
fn is_day(name: &str) -> bool {
    let Some(day) = name.rsplit('/').next().and_then(|last| last.strip_suffix(".json")) else { return false };
    let shape: String = day.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00" && name.contains('/')
}

struct Day<'a> {
    file: &'a str,
    channel: &'a str,
    day: &'a str,
}

/// Subtypes that are something a person said.
const SAID: [&str; 5] = ["thread_broadcast", "me_message", "file_share", "file_comment", "reply_broadcast"];

fn read_message(day: &Day<'_>, number: usize, message: &Value, names: &Names, sink: &mut Sink<'_>) -> Result<()> {
    let place = RecordLocation::new(day.file, format!("message {number}"));
    if text(message, "type").is_some_and(|kind| kind != "message") {
        return sink.pass_over("what is no message");
    }
    let is_bot = text(message, "subtype") == Some("bot_message") || text(message, "bot_id").is_some();
    if !is_bot && text(message, "subtype").is_some_and(|subtype| !SAID.contains(&subtype)) {
        return sink.pass_over("joining, leaving and other events");
    }
    let Some(ts) = text(message, "ts") else {
        return sink.skip(place, "it has no `ts`");
    };
    let Some(words) = text(message, "text") else {
        return sink.pass_over("files and what else has no text");
    };
    let speaker = match text(message, "user") {
        _ if is_bot => Speaker::Tool,
        Some(user) => Speaker::Named(names.speaker(user, message)),
        None => Speaker::Named(first_text(message, &["username", "user_name"]).unwrap_or("someone").to_owned()),
    };
    // A thread is a conversation of its own; the rest of a day in a channel is one.
    let thread = text(message, "thread_ts").unwrap_or(day.day);
    sink.put(Record {
        session: Some(format!("slack-{}-{thread}", day.channel)),
        speaker: Some(speaker),
        time: time(message, "ts"),
        group: Some(day.channel.to_owned()),
        ..Record::episode(place, format!("{}:{ts}", day.channel), names.plain(words)).with("channel", Some(day.channel))
    })
}

#[derive(Default)]
struct Names {
    users: BTreeMap<String, String>,
    channels: BTreeMap<String, String>,
}

impl Names {
    fn add(&mut self, user: &Value) {
        let profile = user.get("profile").unwrap_or(&Value::Null);
        let name =
            first_text(profile, &["real_name", "display_name"]).or_else(|| first_text(user, &["real_name", "name"]));
        if let (Some(id), Some(name)) = (text(user, "id"), name) {
            self.users.insert(id.to_owned(), name.to_owned());
        }
    }

    fn speaker(&self, id: &str, message: &Value) -> String {
        let profile = message.get("user_profile").unwrap_or(&Value::Null);
        let own = first_text(profile, &["real_name", "display_name", "name"]);
        self.users.get(id).map(String::as_str).or(own).unwrap_or(id).to_owned()
    }

    // Slack's own marks as plain text: <@U1>, <#C1|general>, <https://…|label>, &amp;
    fn plain(&self, words: &str) -> String {
        let mut plain = String::with_capacity(words.len());
        let mut rest = words;
        while let Some((before, after)) = rest.split_once('<') {
            plain.push_str(before);
            let Some((inside, behind)) = after.split_once('>') else {
                plain.push('<');
                rest = after;
                continue;
            };
            let (target, label) =
                inside.split_once('|').map_or((inside, None), |(target, label)| (target, Some(label)));
            match target.chars().next() {
                Some('@') => plain.push_str(&format!(
                    "@{}",
                    label.or_else(|| self.users.get(&target[1..]).map(String::as_str)).unwrap_or(&target[1..])
                )),
                Some('#') => plain.push_str(&format!(
                    "#{}",
                    label
                        .filter(|label| !label.is_empty())
                        .or_else(|| self.channels.get(&target[1..]).map(String::as_str))
                        .unwrap_or(&target[1..])
                )),
                Some('!') => plain.push_str(&format!("@{}", label.unwrap_or(&target[1..]))),
                _ => match label {
                    Some(label) if label != target => plain.push_str(&format!("{label} ({target})")),
                    _ => plain.push_str(target),
                },
            }
            rest = behind;
        }
        plain.push_str(rest);
        plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_plain_text() {
        let mut names = Names::default();
        names.add(&serde_json::json!({"id": "U1", "name": "ada", "profile": {"real_name": "Ada Lovelace"}}));
        names.channels.insert("C1".to_owned(), "general".to_owned());
        for (marked, plain) in [
            ("<@U1> see <#C1> or <#C2|ops>", "@Ada Lovelace see #general or #ops"),
            (
                "<!here> <https://a.example|the page> <https://b.example>",
                "@here the page (https://a.example) https://b.example",
            ),
            ("1 &lt; 2 &amp;&amp; a < b", "1 < 2 && a < b"),
        ] {
            assert_eq!(names.plain(marked), plain);
        }
        assert!(is_day("general/2024-01-15.json") && !is_day("2024-01-15.json") && !is_day("general/users.json"));
    }
}
