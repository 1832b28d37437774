//! Models: providers that fail, change, cost and are asked in batches, seen through the operations.

use std::time::Duration;

use scrubjay_engine::Ctx;
use scrubjay_engine::models::Role;
use scrubjay_models::chat::ChatRequest;
use scrubjay_test::app::{block_on, call};
use scrubjay_test::fault_server::{Fate, KEY};
use scrubjay_test::{Fault, FaultServer, TestApp};
use serde_json::{Value, json};

fn app(server: &FaultServer, provider: &str, more: &[(&str, &str)]) -> TestApp {
    let path = match provider {
        "openai" => "/v1",
        "gemini" => "/v1beta",
        _ => "",
    };
    let url = format!("{}{path}", server.address());
    let mut settings = vec![
        ("embedding.provider", provider),
        ("embedding.url", url.as_str()),
        ("keys.openai", KEY),
        ("keys.gemini", KEY),
        ("keys.anthropic", KEY),
        ("network.timeout_ms", "2000"),
        ("network.local_timeout_ms", "2000"),
        ("embedding.query_timeout_ms", "5000"),
    ];
    settings.extend_from_slice(more);
    TestApp::with_own_models(&settings)
}

fn capture(ctx: &Ctx, texts: impl Iterator<Item = String>) -> usize {
    let messages: Vec<Value> = texts.map(|text| json!({"session_id": "s", "role": "user", "content": text})).collect();
    let captured = call(ctx, "capture", json!({"messages": messages})).unwrap();
    captured["results"].as_array().unwrap().len()
}

fn drain(ctx: &Ctx) -> Value {
    call(ctx, "jobs.run", json!({})).unwrap()
}

fn recall(ctx: &Ctx, text: &str) -> Value {
    call(ctx, "recall", json!({"query": text, "min_score": 0.0})).unwrap()
}

fn coverage(ctx: &Ctx) -> (u64, u64) {
    let status = call(ctx, "reembed", json!({"status": true})).unwrap();
    (status["embedded"].as_u64().unwrap(), status["items"].as_u64().unwrap())
}

#[test]
fn a_provider_that_is_down_during_a_thousand_captures_costs_nothing_but_vectors() {
    for fault in [Fault::Refuse, Fault::Hang, Fault::ServerError, Fault::RateLimited(1), Fault::NotANumber] {
        let server = FaultServer::start().unwrap();
        let app = app(&server, "ollama", &[]);
        let ctx = app.in_project("one");
        capture(&ctx, std::iter::once("the kestrel hovers above the motorway".to_owned()));
        drain(&ctx);
        assert_eq!(coverage(&ctx), (1, 1), "{fault:?}");

        server.always(fault);
        let _ = server.forget();
        let count = if fault == Fault::Refuse { 1000 } else { 100 };
        // Beside it, the same with a provider that is well, turn by turn, so that both see the same machine.
        let (well_server, mut down, mut up) = (FaultServer::start().unwrap(), Duration::ZERO, Duration::ZERO);
        let well_app = self::app(&well_server, "ollama", &[]);
        // Each project has a job of its own, which is put off when it fails: all of them must leave the provider alone.
        let project =
            |app: &TestApp, start: usize| app.in_project(["one", "two", "three", "four", "five"][start / 20 % 5]);
        for start in (0..count).step_by(20) {
            let texts = || (start..start + 20).map(|number| format!("message number {number} about falcons"));
            down += timed(|| assert_eq!(capture(&project(&app, start), texts()), 20));
            app.clock.advance(Duration::from_secs(3));
            drain(&ctx);
            if fault == Fault::Refuse {
                let well = project(&well_app, start);
                up += timed(|| assert_eq!(capture(&well, texts()), 20));
                drain(&well);
            }
        }
        if fault == Fault::Refuse {
            let (ratio, each) = (down.as_secs_f64() / up.as_secs_f64(), up.as_secs_f64() * 1000.0 / count as f64);
            eprintln!("capture while down / while up: {ratio:.2} ({each:.2} ms a message while up, {count} messages)");
        }
        let recalled = recall(&ctx, "falcons message number 7");
        let warnings = recalled["warnings"].to_string();
        assert!(warnings.contains("words and names only"), "{fault:?}: {warnings}");
        assert!(!recalled["hits"].as_array().unwrap().is_empty(), "{fault:?}: found by its words");
        // The tries of the first call, and a probe per half minute at most.
        let passed_s = count / 20 * 3;
        let (probes, most) = (server.forget(), 3 + passed_s / 30 + 1);
        assert!(probes <= most, "{fault:?}: {probes} requests in {passed_s} s, {most} at most");
        assert_eq!(coverage(&ctx), (1, count as u64 + 1), "{fault:?}");

        server.well();
        for _ in 0..100 {
            app.clock.advance(Duration::from_secs(31));
            drain(&ctx);
            if coverage(&ctx).0 == count as u64 + 1 {
                break;
            }
        }
        assert_eq!(coverage(&ctx), (count as u64 + 1, count as u64 + 1), "{fault:?}: the backlog is drained");
        let mut numbers: Vec<usize> = embedded_numbers(&server);
        // Requests that are made together may arrive in any order.
        let astray = numbers.iter().enumerate().find(|(place, number)| place.abs_diff(**number) >= TOGETHER);
        assert_eq!(astray, None, "{fault:?}: in order");
        numbers.sort_unstable();
        assert_eq!(numbers, (0..count).collect::<Vec<_>>(), "{fault:?}: each once");
        let recalled = recall(&ctx, "falcons message number 7");
        assert!(!recalled["warnings"].to_string().contains("words and names only"), "{fault:?}: {recalled}");
        let parked = call(&ctx, "jobs", json!({"state": "parked"})).unwrap();
        assert_eq!(parked["jobs"].as_array().unwrap().len(), 0, "{fault:?}");
    }
}

#[expect(clippy::disallowed_methods, reason = "what is measured here is real time; nothing depends on it")]
fn timed(work: impl FnOnce()) -> Duration {
    let began = std::time::Instant::now();
    work();
    began.elapsed()
}

// The most texts that are under way at a time.
const TOGETHER: usize = 128;

// The numbers of the messages that were embedded, in the order of the requests; those that were asked for without
// success are not counted, because what was seen before was forgotten.
fn embedded_numbers(server: &FaultServer) -> Vec<usize> {
    let texts = server.seen().into_iter().flat_map(|seen| {
        let inputs = seen.json()["input"].as_array().cloned().unwrap_or_default();
        inputs.into_iter().filter_map(|text| text.as_str().map(str::to_owned)).collect::<Vec<_>>()
    });
    let mut numbers = Vec::new();
    for text in texts {
        if let Some(rest) = text.strip_prefix("search_document: message number ") {
            let number = rest.split(' ').next().unwrap().parse().unwrap();
            numbers.push(number);
        }
    }
    numbers
}

#[test]
fn one_text_that_is_refused_does_not_hold_up_the_others() {
    let server = FaultServer::start().unwrap();
    let app = app(&server, "openai", &[]);
    let ctx = app.in_project("one");
    capture(&ctx, std::iter::once("first".to_owned()));
    drain(&ctx);
    capture(&ctx, (0..5).map(|number| format!("text {number}")));
    // The batch is refused, then the second of the five.
    server.next([Some(Fault::BadRequest), None, Some(Fault::BadRequest)]);
    drain(&ctx);
    assert_eq!(coverage(&ctx), (6, 6));
    let doctor = call(&app.owner, "doctor", json!({})).unwrap().to_string();
    assert!(doctor.contains("1 texts were refused"), "{doctor}");
    assert!(!recall(&ctx, "text 3")["hits"].as_array().unwrap().is_empty());
}

#[test]
fn another_provider_builds_beside_the_one_that_serves() {
    let server = FaultServer::start().unwrap();
    let first = app(&server, "ollama", &[]);
    let ctx = first.in_project("one");
    capture(&ctx, (0..40).map(|number| format!("kestrel number {number}")));
    drain(&ctx);
    assert_eq!(coverage(&ctx), (40, 40));

    // Another process, another setting: the old vectors serve until the new ones are complete.
    let url = format!("{}/v1", server.address());
    let changed = first.again_with(&[("embedding.provider", "openai"), ("embedding.url", &url), ("keys.openai", KEY)]);
    let other = changed.at(ctx.view().clone()).unwrap();
    server.next([Some(Fault::ServerError), Some(Fault::ServerError), Some(Fault::ServerError)]);
    capture(&other, std::iter::once("an owl".to_owned()));
    let recalled = recall(&other, "kestrel number 3");
    // Ollama is still where it usually is, which is not here: the arm is missing and the answer says so.
    assert!(recalled["warnings"].to_string().contains("words and names only"), "{recalled}");
    for _ in 0..20 {
        first.clock.advance(Duration::from_secs(31));
        drain(&other);
    }
    let status = call(&other, "reembed", json!({"status": true})).unwrap();
    assert_eq!(status["model"], "openai/text-embedding-3-small", "{status}");
    assert_eq!((status["embedded"].as_u64(), status["current"].as_bool()), (Some(41), Some(true)));
    assert!(!recall(&other, "kestrel number 3")["warnings"].to_string().contains("words and names only"));
}

#[test]
fn a_fallback_is_used_when_the_first_cannot_be_or_fails_for_long() {
    let server = FaultServer::start().unwrap();
    let app = app(&server, "ollama", &[("embedding.fallback", "builtin"), ("embedding.fallback_after_ms", "120000")]);
    let ctx = app.in_project("one");
    server.always(Fault::ServerError);
    capture(&ctx, std::iter::once("a kestrel".to_owned()));
    drain(&ctx);
    assert_eq!(
        call(&ctx, "reembed", json!({"status": true}))
            .ok()
            .and_then(|status| status["model"].as_str().map(str::to_owned)),
        None
    );
    for _ in 0..6 {
        app.clock.advance(Duration::from_secs(31));
        drain(&ctx);
    }
    let status = call(&ctx, "reembed", json!({"status": true})).unwrap();
    assert!(status["model"].as_str().unwrap().starts_with("builtin/"), "{status}");

    let unusable = TestApp::with_own_models(&[("embedding.provider", "gemini"), ("embedding.fallback", "builtin")]);
    let ctx = unusable.in_project("one");
    capture(&ctx, std::iter::once("a kestrel".to_owned()));
    drain(&ctx);
    assert_eq!(coverage(&ctx), (1, 1));
}

#[test]
fn what_is_spent_is_noted_and_the_cap_pauses_models_and_never_capture() {
    let server = FaultServer::start().unwrap();
    let prices = "openai/text-embedding-3-small=1000000";
    let app = app(&server, "openai", &[("spend.prices", prices), ("spend.daily_cap_usd", "100")]);
    let ctx = app.in_project("one");
    capture(&ctx, (0..10).map(|number| format!("kestrel number {number}")));
    drain(&ctx);
    let spend = call(&app.owner, "spend", json!({"estimate": true})).unwrap();
    assert_eq!(spend["paused"], true, "{spend}");
    assert!(spend["today_usd"].as_f64().unwrap() > 20.0);
    assert_eq!(spend["entries"][0]["role"], "embed");
    let calls = server.forget();
    assert!(calls > 0);

    assert_eq!(capture(&ctx, std::iter::once("an owl in the barn".to_owned())), 1);
    drain(&ctx);
    let recalled = recall(&ctx, "an owl in the barn");
    assert!(recalled["warnings"].to_string().contains("spend.daily_cap_usd"), "{recalled}");
    assert_eq!(recalled["hits"][0]["snippet"], "an owl in the barn");
    assert_eq!(server.forget(), 0, "nothing is called");

    app.clock.advance(Duration::from_secs(86_400));
    drain(&ctx);
    assert_eq!(coverage(&ctx), (11, 11));
}

#[test]
fn a_call_that_would_pass_the_cap_is_not_made() {
    let server = FaultServer::start().unwrap();
    let prices = "openai/text-embedding-3-small=1000000";
    let app = app(&server, "openai", &[("spend.prices", prices), ("spend.daily_cap_usd", "1000")]);
    let ctx = app.in_project("one");
    capture(&ctx, std::iter::once("a kestrel".to_owned()));
    drain(&ctx);
    let spent = || call(&app.owner, "spend", json!({})).unwrap()["today_usd"].as_f64().unwrap();
    let before = spent();
    assert!(before > 0.0 && before < 500.0, "{before}");
    assert!(server.forget() > 0);
    // More than 1,000 dollars for one text.
    capture(&ctx, std::iter::once("the kestrel hovers ".repeat(300)));
    drain(&ctx);
    let recalled = recall(&ctx, &"the kestrel hovers above ".repeat(300));
    assert!(recalled["warnings"].to_string().contains("would pass spend.daily_cap_usd"), "{recalled}");
    assert_eq!((server.forget(), spent()), (0, before), "nothing is called");
}

#[test]
fn a_batch_is_submitted_polled_and_never_paid_twice() {
    for provider in ["openai", "gemini"] {
        let server = FaultServer::start().unwrap();
        let settings = [("embedding.batch", "true"), ("embedding.batch_items", "50")];
        let app = app(&server, provider, &settings);
        let ctx = app.in_project("one");
        capture(&ctx, (0..60).map(|number| format!("kestrel number {number}")));
        drain(&ctx);
        assert_eq!(server.batches(), 1, "{provider}");
        // Whoever asks how vectors stand is told what is under way.
        let stand = |ctx: &Ctx| {
            let stand = call(ctx, "reembed", json!({"status": true})).unwrap();
            (stand["embedded"].as_u64().unwrap(), stand["in_batches"].as_u64().unwrap(), stand["done"].clone())
        };
        let (embedded, in_batches, done) = stand(&app.owner);
        assert_eq!((embedded + in_batches, done), (60, json!(0)), "{provider}");
        assert!(in_batches >= 50, "{provider}: {in_batches}");
        assert_eq!(server.batches(), 1, "{provider}: asking submits nothing");
        // A process that starts anew finds the batch that another submitted.
        for _ in 0..4 {
            app.clock.advance(Duration::from_secs(61));
            let other = app.again_with(&setup(&server, provider, &settings));
            drain(&other.at(ctx.view().clone()).unwrap());
        }
        assert_eq!(server.batches(), 1, "{provider}");
        let other = app.again_with(&setup(&server, provider, &settings));
        assert_eq!(coverage(&other), (60, 60), "{provider}");
        assert_eq!(stand(&other), (60, 0, json!(0)), "{provider}");
    }
}

#[test]
fn a_batch_that_a_clock_which_was_ahead_submitted_is_still_looked_at() {
    let server = FaultServer::start().unwrap();
    let app = app(&server, "openai", &[("embedding.batch", "true"), ("embedding.batch_items", "50")]);
    let ctx = app.in_project("one");
    let years = Duration::from_secs(3 * 365 * 86_400);
    app.clock.advance(years);
    capture(&ctx, (0..60).map(|number| format!("kestrel number {number}")));
    drain(&ctx);
    app.clock.advance(Duration::from_secs(61));
    drain(&ctx);
    assert_eq!(server.batches(), 1);
    app.clock.set_back(years);
    for _ in 0..6 {
        app.clock.advance(Duration::from_secs(61));
        drain(&ctx);
    }
    assert_eq!(server.batches(), 1, "it was submitted once");
    assert_eq!(coverage(&ctx), (60, 60));
}

#[test]
fn a_submission_that_was_cut_off_is_found_again() {
    let server = FaultServer::start().unwrap();
    let settings = [("embedding.batch", "true"), ("embedding.batch_items", "50")];
    let app = app(&server, "openai", &settings);
    let ctx = app.in_project("one");
    capture(&ctx, std::iter::once("first".to_owned()));
    drain(&ctx);
    capture(&ctx, (0..50).map(|number| format!("kestrel number {number}")));
    // The file goes up; the answer to the submission is lost on the way.
    server.next([None, Some(Fault::ResetMidBody)]);
    drain(&ctx);
    assert_eq!(server.batches(), 1);
    for _ in 0..6 {
        app.clock.advance(Duration::from_secs(61));
        drain(&ctx);
    }
    assert_eq!(server.batches(), 1, "it was submitted once");
    assert_eq!(coverage(&ctx), (51, 51));
}

#[test]
fn batches_that_fail_give_way_to_plain_requests() {
    for (fate, batches) in [(Fate::Failed, 2), (Fate::OneItemFails, 1)] {
        let server = FaultServer::start().unwrap();
        server.batches_are(fate);
        let app = app(&server, "openai", &[("embedding.batch", "true"), ("embedding.batch_items", "50")]);
        let ctx = app.in_project("one");
        capture(&ctx, (0..50).map(|number| format!("kestrel number {number}")));
        for _ in 0..20 {
            drain(&ctx);
            app.clock.advance(Duration::from_secs(61));
        }
        assert_eq!(coverage(&ctx), (50, 50), "{fate:?}");
        assert_eq!(server.batches(), batches, "{fate:?}");
        if fate != Fate::Failed {
            continue;
        }
        // Once more, and it is left alone, which is told, until someone sets it up anew.
        capture(&ctx, (50..100).map(|number| format!("kestrel number {number}")));
        for _ in 0..20 {
            drain(&ctx);
            app.clock.advance(Duration::from_secs(61));
        }
        assert_eq!((server.batches(), coverage(&ctx)), (4, (100, 100)));
        capture(&ctx, (100..150).map(|number| format!("kestrel number {number}")));
        drain(&ctx);
        assert_eq!((server.batches(), coverage(&ctx)), (4, (150, 150)));
        let doctor = call(&app.owner, "doctor", json!({"quick": true})).unwrap().to_string();
        assert!(doctor.contains("batch service of openai failed twice"), "{doctor}");
        call(&app.owner, "models.set", json!({"role": "embed", "model": "openai"})).unwrap();
        capture(&ctx, (150..200).map(|number| format!("kestrel number {number}")));
        drain(&ctx);
        assert_eq!(server.batches(), 5, "it is tried again");
    }
}

fn setup<'a>(server: &FaultServer, provider: &'a str, more: &[(&'static str, &'a str)]) -> Vec<(&'static str, String)> {
    let path = if provider == "openai" { "/v1" } else { "/v1beta" };
    let mut settings = vec![
        ("embedding.provider", provider.to_owned()),
        ("embedding.url", format!("{}{path}", server.address())),
        ("keys.openai", KEY.to_owned()),
        ("keys.gemini", KEY.to_owned()),
    ];
    settings.extend(more.iter().map(|(key, value)| (*key, (*value).to_owned())));
    settings
}

#[test]
fn roles_are_asked_and_counted_each_for_itself_and_secrets_do_not_leave() {
    let server = FaultServer::start().unwrap();
    let url = server.address();
    let settings = [
        ("chat.provider", "anthropic"),
        ("chat.url", url.as_str()),
        ("chat.gate", "claude-haiku-4-5"),
        ("keys.anthropic", KEY),
    ];
    let app = TestApp::with_own_models(&settings);
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    block_on(async {
        for role in [Role::Gate, Role::Extract] {
            let chat = app.owner.chat(role).await.unwrap().unwrap();
            let request = ChatRequest::new("Decide.", format!("My token is {token}, keep it safe"));
            chat.complete(&request).await.unwrap();
        }
    });
    for seen in server.seen() {
        let body = String::from_utf8_lossy(&seen.body).into_owned();
        assert!(!body.contains(&token) && body.contains("[REDACTED:"), "{body}");
    }
    let spend = call(&app.owner, "spend", json!({})).unwrap();
    let roles: Vec<&str> =
        spend["entries"].as_array().unwrap().iter().map(|entry| entry["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["extract", "gate"], "{spend}");
}

#[test]
fn models_are_listed_tested_and_set() {
    let server = FaultServer::start().unwrap();
    let app = app(&server, "ollama", &[]);
    let listed = call(&app.owner, "models", json!({})).unwrap();
    assert_eq!(listed["models"][0]["id"], "ollama/nomic-embed-text");
    assert_eq!(listed["models"][0]["dimensions"], 768);
    let tested = call(&app.owner, "models.test", json!({})).unwrap();
    assert_eq!(tested["all_answered"], true, "{tested}");
    assert_eq!(tested["results"][0]["dimensions"], 768);
    server.always(Fault::ServerError);
    let tested = call(&app.owner, "models.test", json!({"role": "embed"})).unwrap();
    assert_eq!(tested["all_answered"], false);
    assert!(tested["results"][0]["error"].as_str().unwrap().contains("500"), "{tested}");
    let listed = call(&app.owner, "models", json!({})).unwrap();
    assert_eq!(listed["models"][0]["state"], "resting", "{listed}");
    let doctor = call(&app.owner, "doctor", json!({"quick": true})).unwrap().to_string();
    assert!(doctor.contains("has been failing"), "{doctor}");

    let set = call(&app.owner, "models.set", json!({"role": "embed", "model": "openai/text-embedding-3-large"}));
    let set = set.unwrap();
    assert_eq!(set["changed"][1], json!(["embedding.model", "text-embedding-3-large"]));
    let text = std::fs::read_to_string(app.path().join("config.toml")).unwrap();
    assert!(text.contains("provider = \"openai\"") && !text.contains(KEY), "{text}");
    let inside = call(&app.owner, "models.set", json!({"role": "embed", "model": "builtin-multilingual"})).unwrap();
    assert_eq!(inside["changed"][0], json!(["embedding.provider", "builtin"]));
    assert_eq!(inside["changed"][1], json!(["embedding.model", "builtin-multilingual"]));
    for (role, model) in
        [("embed", "anthropic"), ("embed", "builtin/elvish"), ("chat", "builtin"), ("nobody", "openai")]
    {
        assert!(call(&app.owner, "models.set", json!({"role": role, "model": model})).is_err(), "{role} {model}");
    }
    let wrong = json!({"role": "embed", "model": "ollama", "url": "http://169.254.169.254"});
    let refused = call(&app.owner, "models.set", wrong).unwrap_err().to_string();
    assert!(refused.contains("metadata"), "{refused}");
}

#[test]
fn without_a_key_the_error_says_which_and_search_goes_on() {
    let app = TestApp::with_own_models(&[("embedding.provider", "openai")]);
    let ctx = app.in_project("one");
    capture(&ctx, std::iter::once("a kestrel".to_owned()));
    drain(&ctx);
    let recalled = recall(&ctx, "kestrel");
    assert_eq!(recalled["hits"][0]["snippet"], "a kestrel");
    let doctor = call(&app.owner, "doctor", json!({"quick": true})).unwrap().to_string();
    assert!(doctor.contains("OPENAI_API_KEY"), "{doctor}");
}

#[test]
fn a_server_that_nobody_runs_is_not_reachable() {
    // A port that was free a moment ago.
    let url = format!("http://{}", std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let app = TestApp::with_own_models(&[("embedding.provider", "ollama"), ("embedding.url", &url)]);
    let listed = call(&app.owner, "models", json!({})).unwrap();
    assert_eq!(listed["models"][0]["state"], "unreachable", "{listed}");
    let detail = listed["models"][0]["detail"].as_str().unwrap();
    assert!(detail.starts_with(&format!("not reachable at {url}")), "{detail}");
    let server = FaultServer::start().unwrap();
    let reached = TestApp::with_own_models(&[("embedding.provider", "ollama"), ("embedding.url", &server.address())]);
    let listed = call(&reached.owner, "models", json!({})).unwrap();
    assert_eq!(listed["models"][0]["state"], "ready", "{listed}");
    assert!(server.seen().is_empty(), "nothing is asked");
}

#[test]
fn a_test_asks_what_other_processes_gave_up() {
    let server = FaultServer::start().unwrap();
    let app = app(&server, "ollama", &[]);
    server.always(Fault::ServerError);
    call(&app.owner, "models.test", json!({})).unwrap();
    let listed = call(&app.owner, "models", json!({})).unwrap();
    assert_eq!(listed["models"][0]["state"], "resting", "{listed}");
    server.well();
    // Another process, which only knows from the store that the provider fails.
    let tested = call(&app.again(), "models.test", json!({})).unwrap();
    assert_eq!(tested["all_answered"], true, "{tested}");
    let listed = call(&app.again(), "models", json!({})).unwrap();
    assert_eq!(listed["models"][0]["state"], "ready", "{listed}");
}

#[test]
fn a_model_that_was_exchanged_is_learned_again_by_force() {
    let server = FaultServer::start().unwrap();
    let app = app(&server, "ollama", &[]);
    let ctx = app.in_project("one");
    capture(&ctx, (0..5).map(|number| format!("kestrel number {number}")));
    drain(&ctx);
    assert_eq!(coverage(&ctx), (5, 5));
    server.always(Fault::OtherModel);
    capture(&ctx, std::iter::once("an owl".to_owned()));
    let tested = call(&app.owner, "models.test", json!({})).unwrap();
    let told = tested["results"][0]["error"].as_str().unwrap();
    assert!(told.contains("384 values and should give 768") && told.contains("`scrubjay reembed --force`"), "{told}");
    let made = call(&app.owner, "reembed", json!({"force": true})).unwrap();
    assert_eq!((made["embedded"].as_u64(), made["items"].as_u64()), (Some(6), Some(6)), "{made}");
    assert_eq!(made["current"], true, "{made}");
    let tested = call(&app.owner, "models.test", json!({})).unwrap();
    assert_eq!(tested["results"][0]["dimensions"], 384, "{tested}");
    assert!(!recall(&ctx, "kestrel number 3")["hits"].as_array().unwrap().is_empty());
}
