//! Runs an operation in the daemon, or here.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use scrubjay_core::error::ErrorCode;
use scrubjay_engine::ctx::Progress;
use scrubjay_engine::ops::{Entry, Risk};
use scrubjay_engine::{Ctx, EngineError, Result};
use serde_json::Value;

use super::connection::{Away, Connection, DaemonReply, Request};

/// An operation that waits for a model may take its time.
const PATIENCE: Duration = Duration::from_secs(600);

/// Who runs operations: the daemon while it lives and would answer exactly as
/// this process would, otherwise this process.
#[derive(Clone)]
pub struct Caller {
    ctx: Ctx,
    looks: bool,
    project_file: Option<PathBuf>,
    // Whether the daemon has answered and not failed since. Shared by all copies.
    answers: Arc<AtomicBool>,
}

impl Caller {
    /// This process.
    #[must_use]
    pub fn here(ctx: Ctx) -> Self {
        Self { ctx, looks: false, project_file: None, answers: Arc::default() }
    }

    /// The daemon, if there is one; this process otherwise. The settings of the
    /// project's file count in both.
    #[must_use]
    pub fn anywhere(ctx: Ctx, project_file: Option<PathBuf>) -> Self {
        Self { ctx, looks: true, project_file, answers: Arc::default() }
    }

    /// The same, telling someone about progress.
    #[must_use]
    pub fn reporting_to(mut self, progress: Arc<dyn Progress>) -> Self {
        self.ctx = self.ctx.reporting_to(progress);
        self
    }

    /// The context of this process.
    #[must_use]
    pub fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    /// The way to the daemon, if it answers. Its socket is looked for each time, because it comes and goes; whether
    /// anybody answers there is asked once, and again after a failure.
    async fn daemon(&self) -> Option<Connection> {
        if !self.looks {
            return None;
        }
        let connection = Connection::to(&self.ctx.home().path)?;
        let lives = self.answers.load(Ordering::Relaxed) || self.lives(&connection).await;
        self.answers.store(lives, Ordering::Relaxed);
        lives.then_some(connection)
    }

    async fn lives(&self, connection: &Connection) -> bool {
        let (asked, within) = (connection.clone(), self.answer_time());
        tokio::task::spawn_blocking(move || asked.lives(within)).await.unwrap_or(false)
    }

    fn answer_time(&self) -> Duration {
        Duration::from_millis(self.ctx.config().settings.daemon.answer_ms)
    }

    /// Runs an operation. The second value says whether the daemon did it.
    ///
    /// # Errors
    /// When the operation fails, or the daemon dies in the middle of a change.
    pub async fn call(&self, entry: &'static Entry, input: Value) -> Result<(Value, bool)> {
        if entry.surfaces.http
            && let Some(connection) = self.daemon().await
        {
            let asked = self.ask(connection, entry, &input).await;
            self.answers.store(asked.is_ok(), Ordering::Relaxed);
            match asked {
                Ok(answer) => {
                    if let Some(outcome) = outcome(&answer) {
                        return outcome.map(|value| (value, true));
                    }
                }
                Err(Away::Absent) => {}
                // Looking again does no harm; changing again might.
                Err(_) if entry.risk == Risk::Read => {}
                Err(away) => {
                    let what = match away {
                        Away::Broken(what) => what,
                        _ => "it did not answer".to_owned(),
                    };
                    let message = format!(
                        "the daemon was lost while it ran `{}` ({what}); see whether it was done before you repeat it",
                        entry.name
                    );
                    return Err(EngineError::told(ErrorCode::Unavailable, message));
                }
            }
        }
        Ok((entry.call(&self.ctx, input).await?, false))
    }

    async fn ask(
        &self,
        connection: Connection,
        entry: &'static Entry,
        input: &Value,
    ) -> std::result::Result<DaemonReply, Away> {
        let headers = standing(&self.ctx, self.project_file.as_deref());
        let (path, body) = (format!("/v1/{}", entry.name), input.to_string());
        let way = connection.clone();
        let mut asked = tokio::task::spawn_blocking(move || {
            let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let request = Request { method: "POST", path: &path, headers: &headers, body: body.as_bytes() };
            way.ask(request, PATIENCE)
        });
        // One that takes long may be working or may have hung since it last answered.
        let mut wait = self.answer_time();
        loop {
            match tokio::time::timeout(wait, &mut asked).await {
                Ok(done) => return done.unwrap_or_else(|error| Err(Away::Broken(error.to_string()))),
                Err(_) if !self.lives(&connection).await => return Err(Away::Hung),
                Err(_) => wait = wait.saturating_mul(2),
            }
        }
    }
}

/// The headers that make the daemon stand where this process stands.
pub fn standing(ctx: &Ctx, project_file: Option<&std::path::Path>) -> Vec<(&'static str, String)> {
    let project = ctx.view().project_id().map_or_else(|| "none".to_owned(), ToString::to_string);
    let mut headers = vec![
        ("Scrubjay-Agent", ctx.home().agent.clone()),
        ("Scrubjay-Project", project),
        ("Scrubjay-Actor", ctx.actor().to_owned()),
        ("Scrubjay-Version", env!("CARGO_PKG_VERSION").to_owned()),
        ("Scrubjay-Settings", ctx.config().settings.fingerprint()),
    ];
    // A path that is no header's text cannot be sent; the settings' mark then
    // makes the daemon decline, and this process answers.
    let sendable = |path: &std::path::Path| {
        path.to_str().filter(|text| text.bytes().all(|byte| (b' '..=b'~').contains(&byte))).map(str::to_owned)
    };
    if let Some(path) = project_file.and_then(sendable) {
        headers.push(("Scrubjay-Project-File", path));
    }
    if let Some(folder) = ctx.folder().and_then(sendable) {
        headers.push(("Scrubjay-Folder", folder));
    }
    headers
}

// What the daemon's answer means; none if this process should do it itself.
fn outcome(answer: &DaemonReply) -> Option<Result<Value>> {
    let value: Value = serde_json::from_slice(&answer.body).ok()?;
    match answer.status {
        200 => Some(Ok(value)),
        // Another version, other settings, or a token that was replaced.
        401 | 404 | 405 | 412 if value["code"] != ErrorCode::NotFound.name() => None,
        _ => {
            let code = serde_json::from_value(value["code"].clone()).unwrap_or(ErrorCode::Internal);
            let detail = value["detail"].as_str().unwrap_or("the daemon failed").to_owned();
            Some(Err(EngineError::told(code, detail)))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;

    use scrubjay_engine::ops;
    use scrubjay_test::TestApp;
    use serde_json::json;

    use super::*;
    use crate::daemon_files::DaemonFiles;

    // Answers as a daemon would, but breaks off one of the requests. Gives what it was asked.
    fn daemon(listener: &UnixListener, requests: usize, broken: usize) -> Vec<String> {
        let mut asked = Vec::new();
        while asked.len() < requests {
            let (mut stream, _) = listener.accept().unwrap();
            let (mut received, mut buffer) = (String::new(), [0; 4096]);
            // A question whether it lives has no body.
            while !received.ends_with(if received.starts_with("GET") { "\r\n\r\n" } else { "{}" }) {
                let count = stream.read(&mut buffer).unwrap();
                received.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
            }
            asked.push(received.split(" HTTP").next().unwrap().to_owned());
            if asked.len() != broken {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
            }
        }
        asked
    }

    #[test]
    fn whether_the_daemon_lives_is_asked_once_and_again_after_a_failure() {
        let app = TestApp::on_sqlite();
        let place = DaemonFiles::of(app.path());
        place.prepare_socket().unwrap();
        std::fs::write(&place.token, "token").unwrap();
        let listener = UnixListener::bind(&place.socket).unwrap();
        let fake = std::thread::spawn(move || daemon(&listener, 6, 4));
        let caller = Caller::anywhere(app.owner, None);
        let entry = ops::find("stats").unwrap();
        let answered = [(); 4].map(|()| {
            let (_, there) = scrubjay_test::app::block_on(caller.call(entry, json!({}))).unwrap();
            there
        });
        assert_eq!(answered, [true, true, false, true]);
        let post = format!("POST /v1/{}", entry.name);
        assert_eq!(fake.join().unwrap(), ["GET /healthz", &post, &post, &post, "GET /healthz", &post]);
    }

    fn of(status: u16, body: &Value) -> Option<Result<Value>> {
        outcome(&DaemonReply { status, body: body.to_string().into_bytes() })
    }

    #[test]
    fn answers_and_failures_come_back_as_they_were() {
        assert_eq!(of(200, &json!({"a": 1})).unwrap().unwrap(), json!({"a": 1}));
        let failed = of(404, &json!({"code": "not_found", "detail": "no such memory"})).unwrap().unwrap_err();
        assert!(matches!(failed, EngineError::NotFound { .. }));
        let failed = of(503, &json!({"code": "busy", "detail": "later"})).unwrap().unwrap_err();
        assert_eq!((failed.code(), failed.to_string()), (ErrorCode::Busy, "later".to_owned()));
        assert!(of(412, &json!({"code": "conflict", "detail": "other settings"})).is_none());
        assert!(of(401, &json!({"code": "refused", "detail": "token"})).is_none());
        assert!(outcome(&DaemonReply { status: 200, body: b"no json".to_vec() }).is_none());
    }
}
