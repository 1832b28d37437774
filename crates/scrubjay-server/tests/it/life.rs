//! Starting, stopping, idling.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use scrubjay_server::ServerError;
use scrubjay_server::client::{Away, Connection, Request};
use scrubjay_server::daemon::{self, Options};
use scrubjay_server::daemon_files::{DaemonFiles, Lock};
use scrubjay_server::http::{Patience, Stop};
use serde_json::json;

use crate::harness::{Daemon, Wanted, context, origin};

fn options(home: &std::path::Path, port: Option<u16>) -> Options {
    let origin = origin(home, &Wanted::default());
    Options {
        ctx: context(&origin),
        origin,
        address: "127.0.0.1".parse().unwrap(),
        port,
        names: Vec::new(),
        idle_exit: None,
        on_demand: false,
        patience: Patience::default(),
    }
}

#[test]
fn its_files_are_private_and_go_with_it() {
    let daemon = Daemon::start();
    let place = DaemonFiles::of(&daemon.home);
    for file in [&place.socket, &place.token, &place.note, &place.lock, &place.log] {
        let mode = std::fs::metadata(file).unwrap().permissions().mode() & 0o077;
        assert_eq!(mode, 0, "{} is open to others", file.display());
    }
    let connection = Connection::to(&daemon.home).unwrap();
    assert!(connection.lives(Duration::from_secs(10)));
    assert_eq!(daemon.post("/v1/shutdown", &json!({})).status, 202);
    let folder = daemon.home.clone();
    assert_eq!(daemon.wait(), Stop::Asked);
    assert!(!place.socket.exists() && !place.note.exists(), "{}", folder.display());
    assert!(!Lock::is_held(&place.lock));
    let request = Request { method: "GET", path: "/healthz", headers: &[], body: b"" };
    assert_eq!(connection.ask(request, Duration::from_secs(1)), Err(Away::Absent));
}

#[test]
fn there_is_one_per_home_and_a_stale_socket_is_no_obstacle() {
    let daemon = Daemon::start();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let second = runtime.block_on(daemon::start(options(&daemon.home, Some(0))));
    assert!(matches!(second, Err(ServerError::AlreadyRunning)));
    assert_eq!(daemon.get("/healthz").body, "ok\n");
    // A socket that nobody listens at, as a killed daemon leaves it.
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    std::fs::create_dir(&home).unwrap();
    drop(std::os::unix::net::UnixListener::bind(home.join("daemon.sock")).unwrap());
    assert!(home.join("daemon.sock").exists());
    let third = runtime.block_on(daemon::start(options(&home, Some(0)))).unwrap();
    assert!(third.address().port() > 0);
}

#[test]
fn a_foreign_program_on_the_port_is_recognised() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let asked = runtime.block_on(daemon::start(options(&folder.path().join("a"), Some(port))));
    let error = asked.err().unwrap().to_string();
    assert!(error.contains("another program") && error.contains("--port"), "{error}");
    // Nobody asked for that port, so any other will do.
    let home = folder.path().join("b");
    let mut wanted = Wanted::default();
    wanted.settings.push(("daemon.port", port.to_string()));
    let origin = origin(&home, &wanted);
    let usual = Options { ctx: context(&origin), origin, ..options(&home, None) };
    let running = runtime.block_on(daemon::start(usual)).unwrap();
    assert_ne!(running.address().port(), port);
}

#[test]
fn it_ends_when_nobody_needs_it() {
    let daemon = Daemon::with(Wanted { idle_exit: Some(Duration::from_millis(400)), ..Wanted::default() });
    assert_eq!(daemon.get("/healthz").status, 200);
    assert_eq!(daemon.wait(), Stop::Idle);
}

#[test]
fn a_hung_or_foreign_listener_is_told_from_a_daemon() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().to_owned();
    std::fs::write(home.join("token"), "0123456789abcdef").unwrap();
    let listener = std::os::unix::net::UnixListener::bind(home.join("daemon.sock")).unwrap();
    let connection = Connection::to(&home).unwrap();
    let request = Request { method: "GET", path: "/healthz", headers: &[], body: b"" };
    assert_eq!(connection.ask(request, Duration::from_millis(50)), Err(Away::Hung));
    let speaker = std::thread::spawn(move || {
        for stream in listener.incoming().take(2) {
            use std::io::Write;
            let _ = stream.unwrap().write_all(b"SSH-2.0-nothing of ours\r\n");
        }
    });
    // The first connection was never taken; it gets the first greeting.
    let answer = connection.ask(request, Duration::from_secs(5));
    assert!(matches!(answer, Err(Away::Broken(_))), "{answer:?}");
    speaker.join().unwrap();
}

#[test]
fn memories_come_from_the_token_and_not_from_an_open_port() {
    let daemon = Daemon::start();
    daemon.remember("app", "Ada owns billing");
    std::fs::remove_file(daemon.home.join("token")).unwrap();
    // Without the token file nobody is led to the daemon.
    assert!(Connection::to(&daemon.home).is_none());
}
