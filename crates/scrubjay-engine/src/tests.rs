//! Adding one of each kind is one file and one line: each test uses a fake one that exists in unit tests only, and
//! whose file and line in its list are all there is of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;
use scrubjay_models::chat::ChatRequest;
use scrubjay_models::embed::Fake as FakeEmbedder;
use scrubjay_store::memory::MemoryStore;
use scrubjay_test::FaultServer;
use scrubjay_test::fault_server::KEY;
use serde_json::{Value, json};

use crate::clients::{self, Direction};
use crate::config::{self, Layers, Origin};
use crate::ctx::{Ctx, Parts, ProcessContext};
use crate::home::Home;
use crate::hooks::{Hooked, answer};
use crate::models::{Role, chat_of};
use crate::ops;
use crate::schedule::{self, jobs};
use crate::sources::{Clock, Entropy};
use crate::{Result, sync};

#[test]
fn a_provider_is_one_file_and_one_line() {
    let server = FaultServer::start().unwrap();
    let url = format!("{}/v1", server.address());
    let engine = Engine::with(
        &[("embedding.provider", "acme"), ("embedding.url", &url), ("chat.provider", "acme"), ("chat.url", &url)],
        &[("ACME_API_KEY", KEY)],
    );
    let ctx = engine.with_own_models();
    let expected = Origin::Environment { variable: "ACME_API_KEY".to_owned() };
    assert_eq!(ctx.config().origins["keys.acme"], expected);
    engine.run(async {
        let embedder = ctx.embedder().await.unwrap().unwrap();
        assert_eq!(embedder.model().id, "acme/text-embedding-3-small");
        assert_eq!(embedder.embed_query("when do we ship").await.unwrap().len(), 1536);
        let chat = chat_of(&ctx, Role::Gate).await.unwrap().unwrap();
        assert_eq!(chat.model().id, "acme/gpt-5-nano");
        chat.complete(&ChatRequest::new("Be brief.", "Say yes.")).await.unwrap();
    });
    assert!(server.seen().iter().all(|seen| seen.header("x-acme-version") == Some("7")));
    let models = call(&engine, &ctx, "models", json!({}));
    let offered = models["providers"].as_array().unwrap().iter().find(|provider| provider["name"] == "acme").unwrap();
    assert_eq!((&offered["offers"], &offered["key"]), (&json!(["embed", "chat"]), &json!(true)));
    assert_eq!(models["models"][0]["price_usd"], json!([0.5, 0.0]));
    assert_eq!(models["models"][0]["state"], "ready");
    let layers = Layers { flags: vec![("chat.provider".to_owned(), "acne".to_owned())], ..engine.layers };
    let refused = config::load(&layers).unwrap_err().to_string();
    assert!(refused.contains("acme"), "{refused}");
}

#[test]
fn a_client_is_one_file_and_one_line() {
    let engine = Engine::with(&[], &[]);
    let folder = tempfile::tempdir().unwrap();
    let around = clients::Surroundings {
        user: folder.path().to_owned(),
        program: "/usr/bin/scrubjay".into(),
        variables: vec![("ACME_HOME".to_owned(), folder.path().join("elsewhere"))],
        ..clients::Surroundings::default()
    };
    std::fs::create_dir(folder.path().join("elsewhere")).unwrap();
    let client = clients::find("acme").unwrap();
    assert!(clients::is_present(client, &around) && clients::variables().contains(&"ACME_HOME"));
    let changes = clients::plan(client, &around, Direction::Install).unwrap();
    let settings = changes.iter().find(|change| change.path.ends_with("elsewhere/settings.json")).unwrap();
    assert!(settings.after.as_ref().unwrap().contains("hook acme Asked"));

    let ctx = engine.ctx(Some(folder.path()));
    std::fs::create_dir_all(folder.path().join(".acme/notes")).unwrap();
    let (notes, _) = sync::notes(&ctx, "acme", &[]).unwrap();
    assert_eq!(notes[0].path, folder.path().join(".acme/notes"));
    let said = json!({"session_id": "s1", "prompt": "We ship on Friday"});
    let hooked = Hooked {
        client: "acme".to_owned(),
        event: "asked".to_owned(),
        payload: said,
        received_at: "2026-05-01T12:00:00Z".to_owned(),
    };
    engine.run(answer(&ctx, &hooked)).unwrap();
    let listed = call(&engine, &ctx, "list", json!({}));
    assert_eq!(listed["memories"][0]["content"], "We ship on Friday");
    assert_eq!(listed["memories"][0]["attributes"]["client"], "acme");
}

#[test]
fn a_job_is_one_file_and_one_line() {
    let engine = Engine::with(&[], &[]);
    let ctx = engine.ctx(None);
    let done = engine.run(async {
        let store = ctx.store().await.unwrap();
        let job = jobs::Fake::job(&ctx, &ctx.view().home()).unwrap();
        store.enqueue(vec![job], ctx.now()).await.unwrap();
        let drained = schedule::drain(&ctx, Duration::from_secs(1)).await.unwrap();
        assert_eq!((drained.done, drained.failed), (1, 0));
        store.mark(jobs::Fake::MARK).await.unwrap()
    });
    assert_eq!(done, Some(1));
}

#[test]
fn a_type_of_memory_is_one_line() {
    let engine = Engine::with(&[("tiers.max_items", "2")], &[]);
    let ctx = engine.ctx(None).at(View::project("app".parse().unwrap())).unwrap();
    let omen = |text: &str, scope: &str| json!({"content": text, "type": "omen", "scope": scope});
    let kept = call(&engine, &ctx, "remember", omen("The raven sat on the build server", "project"));
    let shown = call(&engine, &ctx, "show", json!({"id": kept["id"]}));
    assert_eq!((&shown["importance"], &shown["decay_rate"]), (&json!(1.5), &json!(0.01)));
    let agent = ctx.clone().acting_as("claude-code");
    let waits = call(&engine, &agent, "remember", omen("Comets ruin releases", "global"));
    assert!(waits["pending"].is_string(), "{waits}");
    for text in ["Milk turned sour on Monday", "A black cat crossed the standup"] {
        call(&engine, &ctx, "remember", omen(text, "project"));
    }
    let left = call(&engine, &ctx, "list", json!({"type": "omen"}));
    assert_eq!(left["memories"].as_array().unwrap().len(), 2, "{left}");
    let digest = call(&engine, &ctx, "digest", json!({}));
    assert_eq!(digest["failures"]["lines"].as_array().unwrap().len(), 2, "{digest}");
}

#[test]
fn an_operation_is_one_file_and_one_line() {
    let engine = Engine::with(&[], &[]);
    let entry = ops::find("reverse").unwrap();
    assert_eq!(entry.about().0, "Say a text backwards");
    assert_eq!((entry.group.title(), entry.examples), ("Look", "  scrubjay reverse live"));
    assert_eq!(entry.input_schema()["properties"]["text"]["description"], "The text.");
    let schemas = ops::named_schemas(ops::REGISTRY.iter(), "/components/schemas").schemas;
    assert!(schemas.contains_key("FakeInput") && schemas.contains_key("FakeOutput"));
    assert_eq!(ops::suggest("revrse"), Some("reverse"));
    assert_eq!(call(&engine, &engine.ctx(None), "reverse", json!({"text": "live"})), json!({"text": "evil"}));
}

/// A scratch folder and the settings of an engine in it.
pub(crate) struct Engine {
    folder: tempfile::TempDir,
    layers: Layers,
    runtime: tokio::runtime::Runtime,
}

impl Engine {
    pub(crate) fn with(settings: &[(&str, &str)], variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let owned = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Vec<_>>()
        };
        let layers = Layers {
            home: folder.path().join("home"),
            agent: "default".to_owned(),
            env: owned(variables),
            flags: owned(settings),
            ..Layers::default()
        };
        Home::private_folder(&layers.home).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { folder, layers, runtime }
    }

    // The owner with a made-up embedder, in a user's folder.
    pub(crate) fn ctx(&self, user: Option<&Path>) -> Ctx {
        let user = user.unwrap_or(self.folder.path()).to_string_lossy().into_owned();
        let variables = BTreeMap::from([("HOME".to_owned(), user)]);
        let surroundings = ProcessContext { variables, ..ProcessContext::default() };
        Ctx::new(Parts { embedder: Some(Arc::new(FakeEmbedder::new(64))), surroundings, ..self.parts() })
    }

    fn with_own_models(&self) -> Ctx {
        Ctx::new(self.parts())
    }

    fn parts(&self) -> Parts {
        let config_file = self.layers.home.join("config.toml");
        let home = Home { config_file, path: self.layers.home.clone(), agent: "default".to_owned() };
        Parts {
            clock: Arc::new(StandingClock),
            entropy: Arc::new(Counter::default()),
            store: Some(Arc::new(MemoryStore::default())),
            ..Parts::new(home, config::load(&self.layers).unwrap(), View::global())
        }
    }

    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

fn call(engine: &Engine, ctx: &Ctx, operation: &str, input: Value) -> Value {
    engine.run(ops::find(operation).unwrap().call(ctx, input)).unwrap()
}

struct StandingClock;

impl Clock for StandingClock {
    fn now(&self) -> Timestamp {
        "2026-05-01T12:00:00Z".parse().unwrap()
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

#[derive(Default)]
struct Counter(AtomicU64);

impl Entropy for Counter {
    fn fill(&self, bytes: &mut [u8]) -> Result<()> {
        for part in bytes.chunks_mut(8) {
            let number = self.0.fetch_add(1, Ordering::SeqCst).to_le_bytes();
            part.copy_from_slice(&number[..part.len()]);
        }
        Ok(())
    }
}
