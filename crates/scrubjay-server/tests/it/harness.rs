//! A daemon in a scratch folder, and a client that sends what it is told to.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use scrubjay_core::scope::View;
use scrubjay_engine::config::{self, Layers};
use scrubjay_engine::ctx::{Ctx, Parts};
use scrubjay_engine::home::Home;
use scrubjay_server::agents::Origin;
use scrubjay_server::auth::{Grants, NewGrant, read_token};
use scrubjay_server::daemon::{self, Options};
use scrubjay_server::http::{Patience, Stop};
use serde_json::Value;

/// A running daemon; it ends with the test.
pub(crate) struct Daemon {
    pub(crate) home: PathBuf,
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) ctx: Ctx,
    pub(crate) running: tokio::task::JoinHandle<scrubjay_server::Result<Stop>>,
    runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
}

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// How a daemon is to run in a test.
pub(crate) struct Wanted {
    pub(crate) settings: Vec<(&'static str, String)>,
    pub(crate) idle_exit: Option<Duration>,
    pub(crate) on_demand: bool,
    pub(crate) patience: Patience,
}

impl Default for Wanted {
    // Hundreds of wrong tokens are tried, and no test waits for a clock.
    fn default() -> Self {
        let patience = Patience { slow_down: Duration::ZERO, ..Patience::default() };
        Self { settings: Vec::new(), idle_exit: None, on_demand: false, patience }
    }
}

impl Daemon {
    pub(crate) fn start() -> Self {
        Self::with(Wanted::default())
    }

    pub(crate) fn with(wanted: Wanted) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let origin = origin(&home, &wanted);
        let ctx = context(&origin);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let options = Options {
            ctx: ctx.clone(),
            origin,
            address: "127.0.0.1".parse().unwrap(),
            port: Some(0),
            names: Vec::new(),
            idle_exit: wanted.idle_exit,
            on_demand: wanted.on_demand,
            patience: wanted.patience,
        };
        let daemon = runtime.block_on(daemon::start(options)).unwrap();
        let port = daemon.address().port();
        let running = runtime.spawn(daemon.serve());
        let token = read_token(&home.join("token")).unwrap();
        Self { home, port, token, ctx, running, runtime, _folder: folder }
    }

    /// Makes a token worthless, as another process does.
    pub(crate) fn revoke(&self, name: &str) {
        assert!(Grants::at(&self.home.join("tokens.json")).revoke(&self.ctx, name).unwrap());
    }

    /// A token for part of the memory.
    pub(crate) fn part(&self, project: Option<&str>, read_only: bool) -> String {
        let new = NewGrant {
            name: "test".to_owned(),
            agent: "default".to_owned(),
            project: project.map(|project| project.parse().unwrap()),
            read_only,
        };
        Grants::at(&self.home.join("tokens.json")).create(&self.ctx, new).unwrap().0
    }

    /// Sends a request as it is.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut bytes = Vec::new();
        // A refused body may end in a reset after the answer.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) =
            text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer to {method} {path}: {text}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, headers: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    /// A connection that has sent this and nothing more.
    pub(crate) fn begin(&self, sent: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(sent.as_bytes()).unwrap();
        stream
    }

    /// Sends JSON with a token, from within project `app`.
    pub(crate) fn post_as(&self, token: &str, path: &str, body: &Value, more: &[(&str, &str)]) -> Answer {
        let bearer = format!("Bearer {token}");
        let host = format!("localhost:{}", self.port);
        let mut headers =
            vec![("Host", host.as_str()), ("Authorization", &bearer), ("Content-Type", "application/json")];
        if !more.iter().any(|(name, _)| *name == "Scrubjay-Project") {
            headers.push(("Scrubjay-Project", "app"));
        }
        headers.extend(more);
        self.send("POST", path, &headers, &body.to_string())
    }

    /// The same as the owner.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_as(&self.token.clone(), path, body, &[])
    }

    /// Gets something as the owner.
    pub(crate) fn get(&self, path: &str) -> Answer {
        let (bearer, host) = (format!("Bearer {}", self.token), format!("localhost:{}", self.port));
        self.send("GET", path, &[("Host", &host), ("Authorization", &bearer)], "")
    }

    /// Remembers a fact in a project and gives its id.
    pub(crate) fn remember(&self, project: &str, text: &str) -> String {
        let body = serde_json::json!({"content": text});
        let answer = self.post_as(&self.token.clone(), "/v1/remember", &body, &[("Scrubjay-Project", project)]);
        answer.json()["id"].as_str().unwrap_or_else(|| panic!("{answer:?}")).to_owned()
    }

    /// Everything in the store, without what looking changes.
    pub(crate) fn contents(&self) -> String {
        self.exported("app", &serde_json::json!({"all_projects": true}))
    }

    /// What an export says, all pages of it, without what looking changes.
    pub(crate) fn exported(&self, project: &str, what: &Value) -> String {
        let (mut lines, mut asked) = (Vec::new(), what.clone());
        loop {
            let answer =
                self.post_as(&self.token.clone(), "/v1/export", &asked, &[("Scrubjay-Project", project)]).json();
            lines.extend(answer["lines"].as_array().unwrap_or_else(|| panic!("{answer}")).iter().cloned());
            if answer["next"].is_null() {
                break;
            }
            asked["cursor"] = answer["next"].clone();
        }
        lines.iter_mut().for_each(forget_looks);
        Value::from(lines).to_string()
    }

    /// Waits for the daemon's end.
    pub(crate) fn wait(self) -> Stop {
        let Self { running, runtime, .. } = self;
        runtime
            .block_on(async { tokio::time::timeout(Duration::from_secs(60), running).await })
            .unwrap()
            .unwrap()
            .unwrap()
    }
}

fn forget_looks(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in ["effective_confidence", "access_count", "last_accessed"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(forget_looks);
        }
        Value::Array(values) => values.iter_mut().for_each(forget_looks),
        Value::String(text) if text.starts_with('{') => {
            if let Ok(mut inner) = serde_json::from_str::<Value>(text) {
                forget_looks(&mut inner);
                *text = inner.to_string();
            }
        }
        _ => {}
    }
}

pub(crate) fn origin(home: &Path, wanted: &Wanted) -> Origin {
    // No test here is about meaning, and words are quicker.
    let mut flags = vec![("embedding.provider".to_owned(), "none".to_owned())];
    flags.extend(wanted.settings.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    Origin { home: home.to_owned(), config_file: home.join("config.toml"), flags, ..Origin::default() }
}

pub(crate) fn context(origin: &Origin) -> Ctx {
    let layers = Layers {
        home: origin.home.clone(),
        user_file: Some(origin.config_file.clone()),
        agent: "default".to_owned(),
        project_file: None,
        env: Vec::new(),
        flags: origin.flags.clone(),
    };
    let home = Home { path: origin.home.clone(), config_file: origin.config_file.clone(), agent: "default".to_owned() };
    Ctx::new(Parts::new(home, config::load(&layers).unwrap(), View::global()))
}
