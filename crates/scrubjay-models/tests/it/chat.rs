//! Every served chat model keeps the same contract, whatever its server does.

use std::sync::Arc;

use scrubjay_models::chat::served::{
    ANTHROPIC_VERSION, AnthropicChat, ChatProtocol, GeminiChat, OllamaChat, OpenAiChat, ServedChat,
};
use scrubjay_models::chat::{Chat, ChatCard, ChatError, ChatRequest, ask};
use scrubjay_models::http::{Blame, CallError};
use scrubjay_test::fault_server::KEY;
use scrubjay_test::{Fault, FaultServer};
use serde::Deserialize;
use serde_json::json;

use crate::providers::{Clock, client, run};

const CANARY: &str = "canary-text-9d1";
const PROVIDERS: [&str; 4] = ["openai", "anthropic", "gemini", "ollama"];

#[derive(Debug, Deserialize, PartialEq)]
struct Facts {
    facts: Vec<String>,
    keep: bool,
}

fn model(server: &FaultServer, name: &str, clock: &Arc<Clock>) -> ServedChat {
    type Way = (&'static str, Option<(&'static str, &'static str)>, &'static str, Box<dyn ChatProtocol>);
    let (path, key, model, protocol): Way = match name {
        "openai" => {
            let protocol = OpenAiChat { model: "gpt-5-nano".to_owned(), original: true };
            ("/v1", Some(("authorization", "Bearer ")), "gpt-5-nano", Box::new(protocol))
        }
        "anthropic" => {
            let protocol = AnthropicChat { model: "claude-haiku-4-5".to_owned() };
            ("", Some(("x-api-key", "")), "claude-haiku-4-5", Box::new(protocol))
        }
        "gemini" => {
            let protocol = GeminiChat { model: "gemini-2.5-flash-lite".to_owned() };
            ("/v1beta", Some(("x-goog-api-key", "")), "gemini-2.5-flash-lite", Box::new(protocol))
        }
        _ => ("", None, "llama3.2", Box::new(OllamaChat { model: "llama3.2".to_owned() })),
    };
    ServedChat::new(client(server, name, path, key, clock), protocol, ChatCard::new(name, model, true))
}

fn request() -> ChatRequest {
    let schema = json!({
        "type": "object", "required": ["facts", "keep"],
        "properties": {"facts": {"type": "array", "items": {"type": "string"}}, "keep": {"type": "boolean"}},
    });
    ChatRequest::new("Take out facts.", format!("Ada likes tea. {CANARY}")).shaped("facts", schema)
}

fn each(test: impl Fn(&FaultServer, &ServedChat, &Clock, &str)) {
    for name in PROVIDERS {
        let server = FaultServer::start().unwrap();
        let clock = Arc::new(Clock::default());
        let chat = model(&server, name, &clock);
        test(&server, &chat, &clock, name);
    }
}

#[test]
fn words_and_shapes_come_back_with_what_they_took() {
    assert_eq!(ANTHROPIC_VERSION, "2023-06-01");
    each(|_server, chat, _clock, name| {
        let answer = run(chat.complete(&ChatRequest::new("Be brief.", "Hello there"))).unwrap();
        assert_eq!(answer.text, "You said: Hello there", "{name}");
        assert!(answer.usage.input_tokens > 0 && answer.usage.output_tokens > 0, "{name}");
        let asked = run(ask::<Facts>(chat, &request(), 2)).unwrap();
        assert_eq!(asked.value, Facts { facts: vec!["text".to_owned()], keep: true }, "{name}");
        assert_eq!(asked.tries, 1, "{name}");
    });
}

#[test]
fn nearly_json_is_mended_and_prose_is_asked_again() {
    each(|server, chat, _clock, name| {
        if name != "anthropic" {
            server.reply_with(|_| Some("```json\n{'facts': ['Ada likes tea',], 'keep': True}\n```".to_owned()));
            let asked = run(ask::<Facts>(chat, &request(), 1)).unwrap();
            assert_eq!(asked.value.facts, ["Ada likes tea"], "{name}");
            server.reply_with(|_| None);
        }
        server.next([Some(Fault::Prose), None]);
        assert_eq!(run(ask::<Facts>(chat, &request(), 2)).unwrap().tries, 2, "{name}");
        server.always(Fault::Prose);
        let _ = server.forget();
        let error = run(ask::<Facts>(chat, &request(), 3)).unwrap_err();
        assert!(matches!(error, ChatError::Shape { tries: 3, .. }), "{name}: {error}");
        assert_eq!(server.forget(), 3, "{name}");
    });
}

#[test]
fn a_cut_off_or_empty_answer_or_a_refusal_is_never_data() {
    each(|server, chat, clock, name| {
        for fault in Fault::OF_CHAT {
            server.always(fault);
            if fault == Fault::Refusal && name == "ollama" {
                continue;
            }
            let error = run(ask::<Facts>(chat, &request(), 1)).unwrap_err();
            let fits = match fault {
                Fault::CutOff => matches!(error, ChatError::CutOff { .. }),
                Fault::Refusal => matches!(error, ChatError::Refused { .. }),
                _ => matches!(error, ChatError::Call(CallError::Garbled { .. })),
            };
            assert!(fits, "{name} {fault:?}: {error}");
            clock.advance(700);
        }
    });
}

#[test]
fn every_fault_of_the_wire_is_an_error_that_tells_no_secret_and_passes() {
    each(|server, chat, clock, name| {
        for fault in Fault::OF_THE_WIRE {
            server.always(fault);
            let error = run(chat.complete(&request())).unwrap_err();
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains(KEY) && !shown.contains(CANARY), "{name} {fault:?}: {shown}");
            let ChatError::Call(error) = error else { panic!("{name} {fault:?}: {error}") };
            let expected = match fault {
                Fault::Unauthorized | Fault::Redirect => Blame::Settings,
                _ => Blame::Provider,
            };
            assert_eq!(error.blame(), expected, "{name} {fault:?}");
            server.well();
            clock.advance(700);
            assert!(run(chat.complete(&request())).is_ok(), "{name} after {fault:?}");
        }
    });
}
