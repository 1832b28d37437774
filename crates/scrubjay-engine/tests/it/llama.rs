//! A real GGUF file through a real llama.cpp server, started and stopped by us. `tests/llama-server/run` builds the
//! server, fetches a small model and says where both are; without that these tests say that they were skipped.

use std::path::{Path, PathBuf};
use std::time::Duration;

use scrubjay_engine::Ctx;
use scrubjay_engine::models::Role;
use scrubjay_models::chat::{ChatRequest, ask};
use scrubjay_models::embed::{LlamaServer, LlamaUse};
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde::Deserialize;
use serde_json::{Value, json};

#[expect(clippy::print_stderr, reason = "a test that cannot run here says so")]
#[expect(clippy::disallowed_methods, reason = "a test that needs a large program is told where it is")]
fn parts() -> Option<(PathBuf, PathBuf)> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let parts = variable("SCRUBJAY_TEST_LLAMA_SERVER").zip(variable("SCRUBJAY_TEST_GGUF"));
    if parts.is_none() {
        eprintln!("SKIPPED: no llama-server here; tests/llama-server/run builds one and runs this");
    }
    parts
}

#[test]
fn a_file_gives_vectors_and_its_server_ends_with_us() {
    let Some((server, model)) = parts() else { return };
    let (server, model) = (server.to_string_lossy().into_owned(), model.to_string_lossy().into_owned());
    let settings = [("embedding.provider", "local"), ("embedding.path", &*model), ("embedding.server", &*server)];
    let app = TestApp::with_own_models(&settings);
    let ctx = app.in_project("one");
    let texts = ["the kestrel hovers above the motorway", "bread dough rests in the fridge", "the build is red again"];
    let messages: Vec<_> =
        texts.iter().map(|text| json!({"session_id": "s", "role": "user", "content": text})).collect();
    call(&ctx, "capture", json!({"messages": messages})).unwrap();
    call(&ctx, "jobs.run", json!({})).unwrap();
    let status = call(&ctx, "reembed", json!({"status": true})).unwrap();
    assert_eq!((status["embedded"].as_u64(), status["items"].as_u64()), (Some(3), Some(3)), "{status}");
    assert_eq!(status["model"], "local/SmolLM2-135M-Instruct.Q4_1.gguf");
    let recalled = call(&ctx, "recall", json!({"query": "kestrel above the motorway", "min_score": 0.0})).unwrap();
    assert!(!recalled["warnings"].to_string().contains("words and names only"), "{recalled}");
    assert_eq!(recalled["hits"][0]["snippet"], texts[0]);
    let before = servers(&model);
    assert_eq!(before, 1, "one server runs");
    drop((ctx, app));
    assert_eq!(servers(&model), 0, "it ended with us");
}

#[test]
fn a_file_answers_in_words_and_in_shape() {
    #[derive(Deserialize)]
    struct Verdict {
        keep: bool,
    }
    let Some((server, model)) = parts() else { return };
    let (_started, app) = talking(&server, &model);
    block_on(async {
        let chat = app.owner.chat(Role::Gate).await.unwrap().unwrap();
        let schema = json!({
            "type": "object", "properties": {"keep": {"type": "boolean"}}, "required": ["keep"],
            "additionalProperties": false,
        });
        let request = ChatRequest::new("Decide whether the text is worth keeping.", "Ada owns the billing service.");
        let asked = ask::<Verdict>(&*chat, &request.shaped("verdict", schema).up_to(60), 3).await.unwrap();
        eprintln!("the model says keep = {} after {} tries", asked.value.keep, asked.tries);
    });
}

// An engine that talks to a server of ours, once that has loaded its model.
fn talking(server: &Path, model: &Path) -> (LlamaServer, TestApp) {
    let started = LlamaServer::start(server, model, "secret", LlamaUse::Chat).unwrap();
    let url = format!("{}/v1", started.address());
    let settings =
        [("chat.provider", "openai"), ("chat.url", &*url), ("chat.model", "smollm2"), ("keys.openai", "secret")];
    let app = TestApp::with_own_models(&settings);
    block_on(async {
        let chat = app.owner.chat(Role::Gate).await.unwrap().unwrap();
        let request = ChatRequest::new("Answer in one short sentence.", "What do kestrels eat?").up_to(60);
        let mut answer = chat.complete(&request).await;
        // The model is still being loaded.
        for _ in 0..600 {
            if answer.is_ok() || !started.runs() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
            app.clock.advance(Duration::from_secs(31));
            answer = chat.complete(&request).await;
        }
        let answer = answer.unwrap();
        assert!(!answer.text.trim().is_empty() && answer.usage.output_tokens > 0, "{answer:?}");
    });
    (started, app)
}

const TALK: &[(&str, &str)] = &[
    ("user", "My name is Ada Moreau. I live in Bern and I work for Helvetia Rail."),
    ("assistant", "Nice to meet you, Ada. What shall we do?"),
    ("user", "We decided to use Postgres for the timetable service because of its JSON support."),
    ("assistant", "I will set up the schema for Postgres."),
    ("user", "This project uses tabs for indentation. All migrations must be reviewed by two people."),
    ("assistant", "The root cause was a missing index on the stops table."),
    ("user", "Exactly, that fixed the slow query. We switched from Redis to Valkey."),
];

// A model this small hardly understands what it is asked. So nothing is expected of what it says, but everything of
// what becomes of it: nothing is lost, each fact says who found it and in which turns, no bound is passed, and
// whatever the rules had to do for it is told.
#[test]
fn a_real_model_goes_all_the_way_from_talk_to_reflection() {
    let Some((server, model)) = parts() else { return };
    let (_started, app) = talking(&server, &model);
    let here = app.in_project("timetable");
    let message = |(role, content): &(&str, &str)| json!({"session_id": "s", "role": role, "content": content});
    let messages: Vec<Value> = TALK.iter().map(message).collect();
    call(&here, "capture", json!({"messages": messages})).unwrap();
    let episodes = contents(&here, "episode");
    assert_eq!(episodes.len(), TALK.len());

    let done = call(&here, "consolidate", json!({})).unwrap();
    let (session, warnings) = (&done["sessions"][0], done["warnings"].as_array().unwrap());
    assert_eq!(session["messages"].as_u64(), Some(TALK.len() as u64), "{done}");
    assert_eq!(contents(&here, "episode"), episodes, "what was said is as it was");
    let (windows, passed) = (session["windows"].as_u64().unwrap(), session["passed"].as_u64().unwrap());
    let found = session["facts"].as_array().unwrap();
    assert!(found.len() as u64 <= 8 * passed, "{found:?}");
    assert!(windows >= 1 && passed <= windows);
    let facts = call(&here, "list", json!({"kind": "fact", "limit": 100})).unwrap();
    for fact in facts["memories"].as_array().unwrap() {
        let by = &fact["attributes"]["extractor"];
        assert!(by == "rules" || by == "openai/smollm2", "{fact}");
        assert!(by != "rules" || told(warnings), "the rules took over and nobody said so: {done}");
        assert!(!fact["source_ids"].as_array().unwrap().is_empty(), "it names its turns: {fact}");
        assert!(fact["content"].as_str().unwrap().chars().count() <= 500, "{fact}");
    }
    let again = call(&here, "consolidate", json!({})).unwrap();
    assert_eq!(again["sessions"].as_array().unwrap().len(), 0, "all of it was gone through: {again}");

    let summary = call(&here, "summarize", json!({"task": "set up the timetable service", "session": "s"})).unwrap();
    let text = summary["content"].as_str().unwrap();
    assert!(!text.is_empty() && text.chars().count() <= 1200 && summary["id"].is_string(), "{summary}");
    assert!(summary["by"] == "openai/smollm2" || told(summary["warnings"].as_array().unwrap()), "{summary}");

    // Enough to reflect upon, whatever the model found.
    for fact in ["The timetable service runs in Bern.", "Valkey caches the stops.", "Releases are on Tuesdays."] {
        call(&here, "remember", json!({"content": fact})).unwrap();
    }
    let reflected = call(&here, "reflect", json!({})).unwrap();
    let text = reflected["content"].as_str().unwrap();
    assert!(!text.is_empty() && text.chars().count() <= 4000 && reflected["id"].is_string(), "{reflected}");
    assert!(reflected["by"] == "openai/smollm2" || told(reflected["warnings"].as_array().unwrap()), "{reflected}");

    let spent = call(&app.owner, "spend", json!({})).unwrap();
    assert!(spent.to_string().contains("smollm2"), "every call is in the book: {spent}");
    eprintln!("{passed} of {windows} windows passed the gate");
    for fact in found {
        eprintln!("{} by {}: {}", fact["outcome"], fact["extractor"], fact["content"]);
    }
    for warning in
        warnings.iter().chain(summary["warnings"].as_array().unwrap()).chain(reflected["warnings"].as_array().unwrap())
    {
        eprintln!("told: {warning}");
    }
    eprintln!("summary by {}: {}", summary["by"], summary["content"]);
    eprintln!("reflection by {}: {}", reflected["by"], reflected["content"]);
}

// Whether one of these says that the rules had to do it.
fn told(warnings: &[Value]) -> bool {
    warnings.iter().any(|warning| warning.as_str().is_some_and(|text| text.contains("instead")))
}

fn contents(ctx: &Ctx, kind: &str) -> Vec<Value> {
    let listed = call(ctx, "list", json!({"kind": kind, "limit": 100})).unwrap();
    listed["memories"].as_array().unwrap().iter().map(|memory| memory["content"].clone()).collect()
}

// How many processes have this file among their arguments.
fn servers(model: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let commands = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let ours = |command: &Vec<u8>| {
        let text = String::from_utf8_lossy(command).into_owned();
        text.contains("llama-server") && text.contains(model) && text.contains("--embedding")
    };
    commands.filter(ours).count()
}
