//! Clients that cannot be run here, played by a script: what they send in the order they send it, through the lines
//! that `install` wrote, and what they would read.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::daemon::{Daemon, scratch, until};
use crate::scratch::{Scratch, finish};

fn user(scratch: &Scratch) -> PathBuf {
    scratch.home().parent().unwrap().to_owned()
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

// Runs a line as the client would, and reads what it says.
fn run(scratch: &Scratch, line: &str, payload: &Value) -> Value {
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", line]).env_clear().env("HOME", user(scratch)).current_dir(scratch.work());
    shell.env("SCRUBJAY_PROJECT", "app").env("SCRUBJAY_HOOKS_DEADLINE_MS", "20000");
    let done = finish(&mut shell, Some(payload.to_string().as_bytes()));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{line}: {done:?}");
    serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{line}: {error}: {done:?}"))
}

fn kept(scratch: &Scratch, text: &str) -> usize {
    scratch.contents().matches(&format!("\"content\":{}", json!(text))).count()
}

#[test]
fn antigravity_is_told_once_a_turn_and_its_transcript_is_read() {
    let scratch = scratch();
    let _daemon = Daemon::start(&scratch);
    scratch.remember("Ada owns the billing service");
    scratch.json(&["install", "antigravity"]);
    let hooks = read(&user(&scratch).join(".gemini/config/hooks.json"));
    let line = |event: &str| hooks["scrubjay"][event][0]["command"].as_str().unwrap().to_owned();
    assert!(hooks["scrubjay"].get("PreToolUse").is_none(), "whether a tool may run is not ours to say: {hooks}");
    let server = read(&user(&scratch).join(".gemini/config/mcp_config.json"));
    assert_eq!(server["mcpServers"]["scrubjay"]["args"][0], "mcp", "{server}");

    let logs = user(&scratch).join(".gemini/antigravity-cli/brain/c1/.system_generated/logs");
    std::fs::create_dir_all(&logs).unwrap();
    let (short, full) = (logs.join("transcript.jsonl"), logs.join("transcript_full.jsonl"));
    let now = scratch.json(&["list"])["memories"][0]["created_at"].as_str().unwrap().to_owned();
    let step = |kind: &str, source: &str, content: &str| {
        let step = json!({"step_index": 0, "source": source, "type": kind, "status": "DONE",
            "created_at": now, "content": content});
        let mut text = std::fs::read_to_string(&full).unwrap_or_default();
        text.push_str(&format!("{step}\n"));
        std::fs::write(&full, &text).unwrap();
        std::fs::write(&short, &text).unwrap();
    };
    let sent = |more: Value| {
        let mut sent = json!({"conversationId": "c1", "workspacePaths": [scratch.work()], "transcriptPath": short,
            "artifactDirectoryPath": logs, "modelName": "gemini-3.1-pro"});
        sent.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        sent
    };
    let invoked = |number: u64| {
        run(&scratch, &line("PreInvocation"), &sent(json!({"invocationNum": number, "initialNumSteps": 1})))
    };

    step(
        "USER_INPUT",
        "USER_EXPLICIT",
        "<USER_REQUEST>\nWho owns the billing service?\n</USER_REQUEST>\n<ADDITIONAL_METADATA>x</ADDITIONAL_METADATA>",
    );
    let told = invoked(0);
    let message = told["injectSteps"][0]["ephemeralMessage"].as_str().unwrap();
    assert_eq!(message.matches("Ada owns the billing service").count(), 1, "{message}");
    step("VIEW_FILE", "MODEL", "what a tool printed");
    assert_eq!(invoked(1), json!({}), "a later request of the same turn");
    let asked = sent(json!({"stepIdx": 2, "toolCall": {"name": "run_command", "args": {"CommandLine": "ls"}}}));
    let permission = line("Stop").replace(" Stop", " PreToolUse");
    assert_eq!(run(&scratch, &permission, &asked), json!({"decision": "allow"}), "or the tool would be denied");
    step("CHECKPOINT", "SYSTEM", "A summary of what was said so far.");
    step("PLANNER_RESPONSE", "MODEL", "Ada does, as far as I know.");
    let stopped = sent(json!({"executionNum": 0, "terminationReason": "model_stop", "fullyIdle": true}));
    assert_eq!(run(&scratch, &line("Stop"), &stopped), json!({}));
    until("the transcript was read", || kept(&scratch, "Ada does, as far as I know.") == 1);
    step("USER_INPUT", "USER_EXPLICIT", "<USER_REQUEST>Who owns the billing service, again?</USER_REQUEST>");
    assert_eq!(invoked(0), json!({}), "the conversation was told before");
    run(&scratch, &line("Stop"), &stopped);
    until("the second prompt is there", || kept(&scratch, "Who owns the billing service, again?") == 1);
    for text in ["Who owns the billing service?", "Ada does, as far as I know."] {
        assert_eq!(kept(&scratch, text), 1, "{text}: {}", scratch.contents());
    }
    let contents = scratch.contents();
    for foreign in ["what a tool printed", "A summary of what", "ADDITIONAL_METADATA", "scrubjay-memory"] {
        assert!(!contents.contains(foreign), "{foreign}: {contents}");
    }
    scratch.run(&["import", "transcripts", "antigravity"]).failed(&[2], "no place tells its project");
    scratch.json(&["uninstall", "antigravity"]);
    assert!(!user(&scratch).join(".gemini/config").exists(), "we made it");
}

#[test]
fn copilot_is_told_and_its_transcript_is_read_when_it_is_there() {
    let scratch = scratch();
    std::fs::write(scratch.work().join(".scrubjay.toml"), "project = \"app\"\n").unwrap();
    scratch.json(&["projects", "trust"]);
    let _daemon = Daemon::start(&scratch);
    scratch.remember("Ada owns the billing service");
    scratch.remember("Releases go out on Thursdays");
    scratch.json(&["install", "copilot"]);
    let hooks = read(&user(&scratch).join(".copilot/hooks/scrubjay.json"));
    assert_eq!(hooks["version"], 1);
    let line = |event: &str| hooks["hooks"][event][0]["bash"].as_str().unwrap().to_owned();
    let server = read(&user(&scratch).join(".copilot/mcp-config.json"));
    assert_eq!(server["mcpServers"]["scrubjay"]["tools"], json!(["*"]), "{server}");

    let folder = user(&scratch).join(".copilot/session-state/s1");
    std::fs::create_dir_all(&folder).unwrap();
    let events = folder.join("events.jsonl");
    let sent = |more: Value| {
        let mut sent = json!({"sessionId": "s1", "timestamp": 1_795_008_487_797_u64, "cwd": scratch.work()});
        sent.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        sent
    };
    let prompt = "Who owns the billing service?";
    let began = run(&scratch, &line("sessionStart"), &sent(json!({"source": "new", "initialPrompt": prompt})));
    let context = began["additionalContext"].as_str().unwrap();
    assert!(context.contains("Ada owns the billing service") && context.contains("Thursdays"), "{context}");
    let asked = run(&scratch, &line("userPromptSubmitted"), &sent(json!({"prompt": prompt})));
    assert_eq!(asked, json!({}), "it was told at the beginning");
    // The transcript is not there before the hooks have ended.
    let stopped = sent(json!({"transcriptPath": events, "stopReason": "end_turn", "stop_hook_active": false}));
    assert_eq!(run(&scratch, &line("agentStop"), &stopped), json!({}));
    assert_eq!(run(&scratch, &line("sessionEnd"), &sent(json!({"reason": "complete"}))), json!({}));
    let now = scratch.json(&["list", "--session", "s1"])["memories"][0]["event_time"].as_str().unwrap().to_owned();
    let event = |kind: &str, id: &str, data: Value| {
        format!("{}\n", json!({"type": kind, "id": id, "timestamp": now, "data": data}))
    };
    let lines = [
        event("session.start", "e1", json!({"sessionId": "s1", "context": {"cwd": scratch.work()}})),
        event("hook.start", "e2", json!({"hookType": "userPromptSubmitted", "input": {"prompt": prompt}})),
        event(
            "user.message",
            "e3",
            json!({"content": prompt, "transformedContent": format!("{prompt}\n\n<system_reminder>x")}),
        ),
        event("assistant.message", "e4", json!({"content": "Ada does, says Copilot.", "toolRequests": []})),
        event("session.compaction_complete", "e5", json!({"summaryContent": "A summary of what was said so far."})),
        event("assistant.turn_end", "e6", json!({})),
    ];
    std::fs::write(&events, lines.concat()).unwrap();
    until("the reply was found", || kept(&scratch, "Ada does, says Copilot.") == 1);
    assert_eq!(kept(&scratch, prompt), 1, "{}", scratch.contents());
    // Taken up again, the session is told nothing twice.
    let resumed = run(&scratch, &line("sessionStart"), &sent(json!({"source": "resume"})));
    assert_eq!(resumed, json!({}));
    assert!(!scratch.contents().contains("A summary of what"), "{}", scratch.contents());
    let read = scratch.json(&["import", "transcripts", "copilot", "--yes"]);
    assert_eq!(read["messages"], 0, "everything is known: {read}");
    scratch.json(&["uninstall", "copilot"]);
    assert!(!user(&scratch).join(".copilot/hooks").exists(), "we made it");
}

#[test]
fn doctor_tells_that_codex_passes_over_a_hook() {
    let scratch = scratch();
    let told = |scratch: &Scratch| -> Vec<String> {
        let found = scratch.json(&["doctor", "--quick"]);
        let findings = found["findings"].as_array().unwrap().iter();
        findings.filter(|finding| finding["check"] == "clients").map(|finding| finding["detail"].to_string()).collect()
    };
    assert_eq!(told(&scratch), [""; 0]);
    scratch.json(&["install", "codex"]);
    assert!(told(&scratch)[0].contains("UserPromptSubmit") && told(&scratch)[0].contains("were never trusted"));
    // One that was trusted, for another place of the program.
    let folder = user(&scratch).join(".codex");
    let settings = std::fs::read_to_string(folder.join("config.toml")).unwrap();
    let key = folder.join("hooks.json").display().to_string();
    let state = format!("\n[hooks.state.\"{key}:stop:0:0\"]\ntrusted_hash = \"sha256:00\"\n");
    std::fs::write(folder.join("config.toml"), settings + &state).unwrap();
    assert!(told(&scratch)[0].contains("Stop changed since they were trusted"), "{:?}", told(&scratch));
}
