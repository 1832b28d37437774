//! Every served embedder keeps the same contract, whatever its server does.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use scrubjay_models::embed::served::{Gemini, Ollama, OpenAi, Protocol, Served};
use scrubjay_models::embed::{Calibration, EmbedError, Embedder, ModelCard, PrefixScheme, known};
use scrubjay_models::http::{Address, Blame, Breaker, CallError, Endpoint, HttpClient, Outside, Policy, Secret};
use scrubjay_test::fault_server::KEY;
use scrubjay_test::{Fault, FaultServer};

/// A word that must not be in any error.
const CANARY: &str = "canary-text-9d1";

#[derive(Default)]
pub(crate) struct Clock(AtomicI64);

impl Clock {
    pub(crate) fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1000, Ordering::SeqCst);
    }
}

impl Outside for Clock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }

    fn random(&self) -> u64 {
        1 << 40
    }
}

pub(crate) const HASTY: Policy = Policy {
    timeout: Duration::from_millis(400),
    tries: 3,
    backoff: Duration::from_millis(1),
    longest_wait: Duration::from_millis(500),
    limit_bytes: 8 << 20,
    at_once: 3,
};

pub(crate) const PROVIDERS: [&str; 3] = ["ollama", "openai", "gemini"];

pub(crate) fn client(
    server: &FaultServer,
    name: &str,
    path: &str,
    key: Option<(&'static str, &'static str)>,
    clock: &Arc<Clock>,
) -> Arc<HttpClient> {
    let place = Endpoint {
        provider: name.to_owned(),
        address: Address::parse(&format!("{}{path}", server.address())).unwrap(),
        key: key.map(|(header, before)| (header, before, Secret::new(KEY).unwrap())),
        headers: vec![("anthropic-version", "2023-06-01".to_owned())],
    };
    Arc::new(HttpClient::new(place, HASTY, Arc::new(Breaker::default()), Arc::clone(clock) as _, None).unwrap())
}

struct Provider {
    embedder: Served,
    clock: Arc<Clock>,
}

fn provider(server: &FaultServer, name: &str) -> Provider {
    let clock = Arc::new(Clock::default());
    type Way = (&'static str, Option<(&'static str, &'static str)>, &'static str, Box<dyn Protocol>);
    let (path, key, model, protocol): Way = match name {
        "ollama" => ("", None, "nomic-embed-text", Box::new(Ollama { model: "nomic-embed-text".to_owned() })),
        "openai" => {
            let model = "text-embedding-3-large".to_owned();
            let protocol = OpenAi { model, dimensions: Some(256), most_texts: 100 };
            ("/v1", Some(("authorization", "Bearer ")), "text-embedding-3-large", Box::new(protocol))
        }
        _ => {
            let protocol = Gemini { model: "gemini-embedding-001".to_owned(), dimensions: Some(768) };
            ("/v1beta", Some(("x-goog-api-key", "")), "gemini-embedding-001", Box::new(protocol))
        }
    };
    let known = known(model).unwrap();
    let card = ModelCard {
        id: format!("{name}/{model}"),
        provider: name.to_owned(),
        dimensions: known.dimensions,
        prefix_scheme: known.prefix_scheme,
        max_tokens: known.max_tokens,
        calibration: Calibration::PLAIN,
    };
    let embedder = Served::new(client(server, name, path, key, &clock), protocol, card);
    Provider { embedder, clock }
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text number {number} {CANARY}")).collect()
}

fn each(test: impl Fn(&FaultServer, Provider, &str)) {
    for name in PROVIDERS {
        let server = FaultServer::start().unwrap();
        let provider = provider(&server, name);
        test(&server, provider, name);
    }
}

#[test]
fn vectors_come_back_in_order_and_of_length_one() {
    each(|server, provider, name| {
        let embedder = &provider.embedder;
        let all = run(embedder.embed_documents(&texts(230))).unwrap();
        assert_eq!(all.len(), 230);
        for place in [0, 31, 32, 99, 100, 229] {
            let alone = run(embedder.embed_documents(&texts(230)[place..=place])).unwrap();
            assert_eq!(alone[0], all[place], "{name} {place}");
        }
        for vector in &all {
            assert_eq!(vector.len(), embedder.model().dimensions);
            let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
            assert!((length - 1.0).abs() < 1e-4, "{name}: {length}");
        }
        assert_eq!(run(embedder.embed_query("")).unwrap().len(), embedder.model().dimensions, "{name}");
        let _ = server.forget();
        assert!(run(embedder.embed_documents(&[])).unwrap().is_empty());
        assert_eq!(server.forget(), 0);
    });
}

#[test]
fn prefixes_and_purposes_reach_the_provider() {
    each(|server, provider, name| {
        run(provider.embedder.embed_documents(&["a".to_owned()])).unwrap();
        run(provider.embedder.embed_query("b")).unwrap();
        let bodies: Vec<String> = server.seen().iter().map(|seen| String::from_utf8_lossy(&seen.body).into()).collect();
        let expected = match name {
            "ollama" => ["search_document: a", "search_query: b"],
            "gemini" => ["RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"],
            _ => ["\"dimensions\":256", "\"input\":[\"b\"]"],
        };
        assert!(bodies[0].contains(expected[0]) && bodies[1].contains(expected[1]), "{name}: {bodies:?}");
    });
}

#[test]
fn what_is_spent_is_counted_once() {
    each(|_server, provider, name| {
        run(provider.embedder.embed_documents(&texts(40))).unwrap();
        let spent = provider.embedder.take_spent();
        assert!(spent.tokens >= 200 && spent.calls >= 1, "{name}: {spent:?}");
        assert_eq!(provider.embedder.take_spent().tokens, 0);
    });
}

#[test]
fn dimensions_are_found_out() {
    let server = FaultServer::start().unwrap();
    let clock = Arc::new(Clock::default());
    let protocol = OpenAi { model: "bge-small".to_owned(), dimensions: None, most_texts: 16 };
    let card = ModelCard {
        id: "openai/bge-small".to_owned(),
        provider: "openai".to_owned(),
        dimensions: 0,
        prefix_scheme: PrefixScheme::None,
        max_tokens: 512,
        calibration: Calibration::PLAIN,
    };
    let client = client(&server, "openai", "/v1", Some(("authorization", "Bearer ")), &clock);
    let embedder = run(Served::new(client, Box::new(protocol), card).detect()).unwrap();
    assert_eq!(embedder.model().dimensions, 384);
}

#[test]
fn every_fault_of_the_wire_is_an_error_that_tells_no_secret_and_passes() {
    each(|server, provider, name| {
        for fault in Fault::OF_THE_WIRE {
            server.always(fault);
            let error = run(provider.embedder.embed_documents(&texts(3))).unwrap_err();
            let mut shown = format!("{error} {error:?}");
            let mut cause = std::error::Error::source(&error);
            while let Some(inner) = cause {
                shown.push_str(&inner.to_string());
                cause = inner.source();
            }
            assert!(!shown.contains(KEY) && !shown.contains(CANARY), "{name} {fault:?}: {shown}");
            let EmbedError::Call(error) = error else { panic!("{name} {fault:?}: {error}") };
            let expected = match fault {
                Fault::Unauthorized | Fault::Redirect => Blame::Settings,
                _ => Blame::Provider,
            };
            assert_eq!(error.blame(), expected, "{name} {fault:?}: {error}");
            server.well();
            provider.clock.advance(700);
            let again = run(provider.embedder.embed_documents(&texts(3)));
            assert_eq!(again.unwrap().len(), 3, "{name} after {fault:?}");
        }
        assert!(!server.seen().iter().any(|seen| seen.path == "/elsewhere"), "a redirect was followed");
    });
}

#[test]
fn a_huge_answer_is_not_read() {
    each(|server, provider, name| {
        server.always(Fault::HugeBody);
        let error = run(provider.embedder.embed_documents(&texts(1))).unwrap_err();
        assert!(matches!(error, EmbedError::Call(CallError::TooLarge { .. })), "{name}: {error}");
        // What lies in the buffers of the system was sent too.
        assert!(server.sent_bytes() < 40 << 20, "{name}: {}", server.sent_bytes());
    });
}

#[test]
fn a_wrong_answer_is_never_data() {
    each(|server, provider, name| {
        for fault in Fault::OF_VECTORS {
            server.always(fault);
            let error = run(provider.embedder.embed_documents(&texts(3))).unwrap_err();
            assert!(matches!(error, EmbedError::Call(CallError::Garbled { .. })), "{name} {fault:?}: {error}");
            assert!(provider.embedder.client().breaker().rest().is_some(), "{name} {fault:?} was not counted");
            provider.clock.advance(700);
        }
    });
}

#[test]
fn a_passing_failure_is_tried_again() {
    each(|server, provider, name| {
        server.next([Some(Fault::ServerError), Some(Fault::RateLimited(0)), None]);
        assert_eq!(run(provider.embedder.embed_documents(&texts(3))).unwrap().len(), 3, "{name}");
        assert_eq!(server.forget(), 3, "{name}");
        // One that asks for a long wait is not waited for, and left alone for as long.
        server.next([Some(Fault::RateLimited(90))]);
        let error = run(provider.embedder.embed_query("x")).unwrap_err();
        assert!(error.is_passing(), "{name}");
        assert_eq!(server.forget(), 1, "{name}");
        provider.clock.advance(60);
        assert!(run(provider.embedder.embed_query("x")).is_err());
        assert_eq!(server.forget(), 0, "{name}");
        provider.clock.advance(31);
        assert!(run(provider.embedder.embed_query("x")).is_ok());
    });
}

#[test]
fn one_text_that_is_refused_is_no_failure_of_the_provider() {
    each(|server, provider, name| {
        server.next([Some(Fault::BadRequest)]);
        let error = run(provider.embedder.embed_documents(&texts(1))).unwrap_err();
        assert!(error.is_about_the_texts() && !error.is_passing(), "{name}: {error}");
        assert_eq!(run(provider.embedder.embed_documents(&texts(1))).unwrap().len(), 1);
    });
}

#[test]
fn a_provider_that_is_down_gets_one_probe_per_half_minute() {
    each(|server, provider, name| {
        server.always(Fault::ServerError);
        for _ in 0..100 {
            let _ = run(provider.embedder.embed_query("x"));
        }
        assert_eq!(server.forget(), 3, "{name}: the tries of the first call");
        for _ in 0..10 {
            provider.clock.advance(30);
            for _ in 0..20 {
                let _ = run(provider.embedder.embed_query("x"));
            }
        }
        assert_eq!(server.forget(), 10, "{name}: one probe each");
    });
}

#[test]
fn a_call_that_is_given_up_ends_its_connection() {
    each(|server, provider, name| {
        server.always(Fault::Hang);
        let given_up =
            run(async { tokio::time::timeout(Duration::from_millis(50), provider.embedder.embed_query("x")).await });
        assert!(given_up.is_err(), "{name}");
        server.well();
        assert!(run(provider.embedder.embed_query("x")).is_ok(), "{name}");
    });
}
