//! An agent's loop with memory, in three calls: open, context, finish.
//!
//! Run it with `cargo run -p scrubjay-engine --example agent_loop`. The model is
//! scripted, so that nothing but this program is needed; the store lives in a
//! folder that goes away.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use scrubjay_core::scope::View;
use scrubjay_engine::agent_loop::AgentLoop;
use scrubjay_engine::config::{self, Layers};
use scrubjay_engine::context::Message;
use scrubjay_engine::ctx::{Ctx, Parts};
use scrubjay_engine::home::Home;
use scrubjay_engine::ops::{self, Remember, RememberInput};
use serde_json::json;

/// A model that follows a script: it looks at the context it is given, and
/// decides by what it finds there.
fn model(messages: &[Message]) -> String {
    let context: String = messages.iter().map(|message| message.content.as_str()).collect();
    if !context.contains("[Recent tool results]") {
        "CALL grep sleep(".to_owned()
    } else if context.contains("inject the clock") {
        "DONE The test slept for real. It now takes the clock from outside, as the project agreed.".to_owned()
    } else {
        "DONE I made the sleep longer.".to_owned()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let ctx = open(folder.path())?;

    // What the project learned earlier.
    let convention = RememberInput {
        content: "Tests never sleep: inject the clock instead.".to_owned(),
        memory_type: Some("convention".to_owned()),
        ..RememberInput::default()
    };
    ops::run::<Remember>(&ctx, convention).await?;

    let task = "Fix the flaky test that sleeps in the scheduler tests";
    let agent = AgentLoop::open(&ctx, task, &["Change as little as possible"], Some("demo")).await?;
    let mut conversation = vec![Message { role: "user".to_owned(), content: "Go ahead.".to_owned() }];
    let mut tool_results = Vec::new();
    let summary = loop {
        let context = agent.context(&conversation, &tool_results, Some(2000)).await?;
        println!("── {} of {} tokens, {} messages", context.tokens, context.budget, context.messages.len());
        let reply = model(&context.messages);
        println!("model: {reply}");
        conversation.push(Message { role: "assistant".to_owned(), content: reply.clone() });
        if let Some(summary) = reply.strip_prefix("DONE ") {
            break summary.to_owned();
        }
        let output = "tests/scheduler.rs:41: sleep(Duration::from_millis(50));";
        agent.notes().add_tool_output("grep", &json!(output)).await?;
        tool_results.push(("grep".to_owned(), output.to_owned()));
    };
    let lesson = agent.notes().add_reasoning("The scheduler tests are the only ones that slept.", "look").await?;
    let finished = agent.finish(&summary, &[lesson.id.to_string()]).await?;
    println!("kept: {:?} and {:?}", finished.episode, finished.promoted);
    Ok(())
}

fn open(folder: &std::path::Path) -> Result<Ctx, Box<dyn std::error::Error>> {
    let path = folder.join("home");
    Home::private_folder(&path)?;
    let home = Home { config_file: path.join("config.toml"), path: path.clone(), agent: "default".to_owned() };
    let layers = Layers {
        home: path,
        user_file: None,
        agent: home.agent.clone(),
        project_file: None,
        env: Vec::new(),
        flags: Vec::new(),
    };
    let view = View::project("demo".parse()?);
    Ok(Ctx::new(Parts::new(home, config::load(&layers)?, view)))
}
