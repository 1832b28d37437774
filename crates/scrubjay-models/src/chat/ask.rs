//! Asking for a typed value.

use serde::de::DeserializeOwned;

use super::error::ChatError;
use super::near_json::near_json;
use super::provider::Chat;
use super::request::{ChatRequest, Speaker, Stop, Turn, Usage};

/// The longest part of a wrong answer that the model is shown again.
const SHOWN_CHARS: usize = 4000;

/// A value, and what it took to get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked<Value> {
    /// The value.
    pub value: Value,
    /// Tokens of all tries.
    pub usage: Usage,
    /// How often the model was asked.
    pub tries: u32,
}

/// Asks for a value of a type whose schema the request holds.
///
/// What is nearly JSON (fences, prose around it, trailing commas, single quotes) is mended. An answer that still does
/// not fit is shown to the model once more with what is wrong, up to `tries` times in all, or once in all if its calls
/// are scarce. A reply that was cut off is never mended: half a list is not a list.
///
/// # Errors
/// If the provider fails, or no answer fits.
pub async fn ask<Value: DeserializeOwned>(
    chat: &dyn Chat,
    request: &ChatRequest,
    tries: u32,
) -> Result<Asked<Value>, ChatError> {
    let model = || chat.model().id.clone();
    let tries = if chat.model().scarce { 1 } else { tries };
    let mut request = request.clone();
    let mut usage = Usage::default();
    let mut attempt = 1;
    loop {
        let answer = chat.complete(&request).await?;
        usage += answer.usage;
        let why = if answer.stop == Stop::Length {
            if attempt >= tries {
                return Err(ChatError::CutOff { model: model(), output_tokens: answer.usage.output_tokens });
            }
            // The same limit would cut it off again.
            request.max_tokens = request.max_tokens.saturating_mul(2);
            attempt += 1;
            continue;
        } else {
            match near_json(&answer.text) {
                None => "it is not JSON".to_owned(),
                Some(value) => match serde_json::from_value(value) {
                    Ok(value) => return Ok(Asked { value, usage, tries: attempt }),
                    Err(error) => without_values(&error),
                },
            }
        };
        if attempt >= tries {
            return Err(ChatError::Shape { model: model(), tries: attempt, why });
        }
        attempt += 1;
        let shown = answer.text.chars().take(SHOWN_CHARS).collect();
        request.turns.push(Turn { speaker: Speaker::Assistant, text: shown });
        let text = format!("That answer cannot be used: {why}. Answer with JSON of the given schema and nothing else.");
        request.turns.push(Turn { speaker: Speaker::User, text });
    }
}

// Serde quotes what it found, and that may be someone's words; a log must not have them.
fn without_values(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    let mut outside = true;
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '"' {
            outside = !outside;
            if outside {
                plain.push_str("\"…\"");
            }
        } else if outside {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::chat::{ChatReply, Scripted};

    #[derive(Debug, Deserialize, PartialEq)]
    struct Verdict {
        keep: bool,
    }

    fn request() -> ChatRequest {
        let schema = json!({"type": "object", "properties": {"keep": {"type": "boolean"}}, "required": ["keep"]});
        ChatRequest::new("Decide.", "Is it worth keeping?").shaped("verdict", schema)
    }

    fn run(replies: &[&str], tries: u32) -> (Result<Asked<Verdict>, ChatError>, Vec<ChatRequest>) {
        let chat = Scripted::texts(replies);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let asked = runtime.block_on(ask(&chat, &request(), tries));
        (asked, chat.requests())
    }

    #[test]
    fn a_good_answer_costs_one_call_and_a_bad_one_another() {
        let (asked, requests) = run(&[r#"{"keep": true}"#], 3);
        assert_eq!((asked.unwrap().tries, requests.len()), (1, 1));
        let (asked, requests) = run(&["Well, I think so.", "```json\n{'keep': False,}\n```"], 3);
        let asked = asked.unwrap();
        assert_eq!((asked.value, asked.tries), (Verdict { keep: false }, 2));
        assert_eq!(requests[1].turns.len(), 3);
        assert!(requests[1].turns[2].text.contains("it is not JSON"));
    }

    #[test]
    fn tries_are_bounded_and_the_error_tells_nothing_of_the_text() {
        let (asked, requests) = run(&[r#"{"keep": "secret words"}"#; 5], 2);
        let error = asked.unwrap_err().to_string();
        assert_eq!(requests.len(), 2);
        assert!(error.contains("2 times") && !error.contains("secret"), "{error}");
    }

    #[test]
    fn a_cut_off_answer_is_no_data() {
        let cut = |text: &str| ChatReply { text: text.to_owned(), usage: Usage::default(), stop: Stop::Length };
        let chat = Scripted::new(vec![cut(r#"{"keep": true}"#), cut(r#"{"keep": true"#)]);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let error = runtime.block_on(ask::<Verdict>(&chat, &request(), 2)).unwrap_err();
        assert!(matches!(error, ChatError::CutOff { .. }), "{error}");
        assert_eq!(chat.requests()[1].max_tokens, 2048);
    }
}
