//! What clients send to their hooks, and what they get back.

use scrubjay_engine::clients::{CLIENTS, Moment};
use serde_json::{Value, json};

use crate::harness::{Answer, Daemon};

fn hook(daemon: &Daemon, client: &str, event: &str, payload: Value) -> Answer {
    let body = json!({"client": client, "event": event, "payload": payload, "received_at": "2026-05-01T12:00:00Z"});
    daemon.post("/v1/hook", &body)
}

// What a client sends at this moment, in its own words.
fn payload(client: &str, moment: Moment, text: &str, transcript: &std::path::Path) -> Value {
    let mut sent = match client {
        "cursor" => json!({"conversation_id": "s1", "workspace_roots": ["/tmp"], "prompt": text, "text": text}),
        "opencode" => json!({"session_id": "s1", "cwd": "/tmp", "text": text}),
        // What was said is the last thing in the transcript.
        "copilot" => {
            let line = json!({"type": "assistant.message", "id": text, "data": {"content": text}});
            let text = if moment == Moment::Reply { format!("{line}\n") } else { String::new() };
            std::fs::write(transcript, text).unwrap();
            json!({"sessionId": "s1", "cwd": "/tmp", "transcriptPath": transcript})
        }
        "antigravity" => {
            let (kind, source) = match moment {
                Moment::Prompt => ("USER_INPUT", "USER_EXPLICIT"),
                _ => ("PLANNER_RESPONSE", "MODEL"),
            };
            std::fs::write(transcript, format!("{}\n", json!({"type": kind, "source": source, "content": text})))
                .unwrap();
            json!({"conversationId": "s1", "workspacePaths": ["/tmp"], "transcriptPath": transcript, "invocationNum": 0})
        }
        _ => json!({"session_id": "s1", "cwd": "/tmp", "transcript_path": "/tmp/none.jsonl"}),
    };
    match moment {
        Moment::Prompt => sent["prompt"] = json!(text),
        Moment::Reply | Moment::SubagentReply => {
            sent["last_assistant_message"] = json!(text);
            sent["prompt_response"] = json!(text);
        }
        Moment::Tool => {
            sent["tool_name"] = json!("Bash");
            sent["tool_input"] = json!({"command": "ls"});
            sent["tool_response"] = json!(text);
        }
        _ => {}
    }
    sent
}

#[test]
fn every_event_of_every_client_is_kept_and_answered_in_its_own_form() {
    for client in CLIENTS {
        let daemon = Daemon::start();
        let folder = tempfile::tempdir().unwrap();
        daemon.remember("app", "Ada owns billing");
        for event in client.events {
            let text = format!("{} said something at {}", client.name, event.name);
            let sent = payload(client.name, event.moment, &text, &folder.path().join("events.jsonl"));
            let answer = hook(&daemon, client.name, event.name, sent);
            assert_eq!(answer.status, 200, "{} {}: {answer:?}", client.name, event.name);
            let output = answer.json()["output"].as_str().unwrap().to_owned();
            assert!(
                output.is_empty() || serde_json::from_str::<Value>(&output).is_ok_and(|v| v.is_object()),
                "{output}"
            );
            if event.moment == Moment::SessionStart {
                assert!(output.contains("Ada owns billing"), "{} {}: {output}", client.name, event.name);
                assert!(output.contains("<scrubjay-memory nonce="), "{output}");
            }
        }
        let kept = daemon.post("/v1/list", &json!({"kind": "episode"})).json();
        let kept: Vec<String> = kept["memories"].as_array().unwrap().iter().map(|m| m["content"].to_string()).collect();
        for event in client.events {
            let said = matches!(event.moment, Moment::Prompt | Moment::Reply | Moment::SubagentReply);
            let found = kept.iter().any(|text| text.ends_with(&format!("at {}\"", event.name)));
            assert_eq!(found, said, "{} {}: {kept:?}", client.name, event.name);
        }
        let ended = daemon.post("/v1/sessions", &json!({})).json();
        let tells_the_end = client.events.iter().any(|event| event.moment == Moment::SessionEnd);
        assert_eq!(ended["sessions"][0]["ended_at"].is_string(), tells_the_end, "{}: {ended}", client.name);
    }
}

#[test]
fn secrets_and_private_passages_are_not_kept_and_our_own_words_are_not_learned() {
    let daemon = Daemon::start();
    daemon.remember("app", "Ada owns billing");
    let began = hook(&daemon, "claude-code", "SessionStart", json!({"session_id": "s1", "source": "startup"})).json();
    let output: Value = serde_json::from_str(began["output"].as_str().unwrap()).unwrap();
    let injected = output["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    let prompt = format!("{injected} use AKIAIOSFODNN7EXAMPLQ <private>not this</private> please");
    hook(&daemon, "claude-code", "UserPromptSubmit", json!({"session_id": "s1", "prompt": prompt}));
    let kept = daemon.post("/v1/list", &json!({"kind": "episode"})).body;
    assert!(kept.contains("please") && !kept.contains("not this") && !kept.contains("Ada owns"), "{kept}");
    assert!(!kept.contains("AKIAIOSFODNN7EXAMPLQ"), "{kept}");
}

#[test]
fn nonsense_is_an_error_here_and_nothing_at_all_for_the_client() {
    let daemon = Daemon::start();
    assert_eq!(hook(&daemon, "nobody", "Stop", json!({})).status, 400);
    assert_eq!(hook(&daemon, "claude-code", "NoSuchEvent", json!({})).status, 400);
    for odd in
        [json!(null), json!([]), json!("x"), json!({"session_id": 3, "prompt": {"a": 1}}), json!({"prompt": "x"})]
    {
        let answer = hook(&daemon, "claude-code", "UserPromptSubmit", odd.clone());
        assert_eq!((answer.status, answer.json()["output"].clone()), (200, json!("")), "{odd}: {answer:?}");
    }
}
