//! A real GGUF file through a real llama.cpp server, started and stopped by us. `tests/llama-server/run` builds the
//! server, fetches a small model and says where both are; without that these tests say that they were skipped.

use std::path::PathBuf;

use scrubjay_engine::models::Role;
use scrubjay_models::chat::{ChatRequest, ask};
use scrubjay_models::embed::{LlamaServer, LlamaUse};
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde::Deserialize;
use serde_json::json;

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
    let started = LlamaServer::start(&server, &model, "secret", LlamaUse::Chat).unwrap();
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
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            app.clock.advance(std::time::Duration::from_secs(31));
            answer = chat.complete(&request).await;
        }
        let answer = answer.unwrap();
        assert!(!answer.text.trim().is_empty() && answer.usage.output_tokens > 0, "{answer:?}");
        let schema = json!({
            "type": "object", "properties": {"keep": {"type": "boolean"}}, "required": ["keep"],
            "additionalProperties": false,
        });
        let request = ChatRequest::new("Decide whether the text is worth keeping.", "Ada owns the billing service.");
        let asked = ask::<Verdict>(&*chat, &request.shaped("verdict", schema).up_to(60), 3).await.unwrap();
        eprintln!("the model says keep = {} after {} tries", asked.value.keep, asked.tries);
    });
}

// How many processes have this file among their arguments.
fn servers(model: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let commands = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let ours = |command: &Vec<u8>| {
        let text = String::from_utf8_lossy(command).into_owned();
        text.contains("llama-server") && text.contains(model)
    };
    commands.filter(ours).count()
}
