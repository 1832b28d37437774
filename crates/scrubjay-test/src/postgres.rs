//! A PostgreSQL server for tests: in a folder of its own, on a free port of the loopback address, gone with the test.
//!
//! It runs the programs that are installed on the machine, never as root, and keeps nothing safe from a power cut. Whoever
//! has no such programs is told so; with `CI=true` the test fails instead of being passed over.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak, mpsc};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Who runs the server if we are root, which PostgreSQL refuses to run as: `nobody`.
const UNPRIVILEGED: u32 = 65534;

const USER: &str = "scrubjay";

/// A server that runs. Stopped when dropped, also by a test that fails.
pub struct PostgresServer {
    port: u16,
    programs: PathBuf,
    folder: TempDir,
    running: Mutex<Option<Running>>,
}

/// A transaction that is open and ends with this.
pub struct Held {
    child: Child,
    input: Option<ChildStdin>,
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

struct Running {
    stop: mpsc::Sender<Signal>,
    keeper: JoinHandle<()>,
}

impl PostgresServer {
    /// The server of this process, started by the first who asks and stopped after the last. None, and a loud word about
    /// it, if there is no PostgreSQL on this machine.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "only the environment tells a test that nothing may be left out")]
    #[expect(clippy::print_stderr, reason = "a test that is passed over must be seen to be")]
    pub fn shared() -> Option<Arc<Self>> {
        static SHARED: Mutex<Weak<PostgresServer>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = shared.upgrade() {
            return Some(server);
        }
        match Self::start() {
            Ok(server) => {
                let server = Arc::new(server);
                *shared = Arc::downgrade(&server);
                Some(server)
            }
            Err(error) => {
                let must_run = std::env::var_os("CI").is_some_and(|value| value == "true");
                assert!(!must_run, "no PostgreSQL server can be started: {error}");
                eprintln!("NOT TESTED: no PostgreSQL server can be started ({error}); install PostgreSQL 15 or later");
                None
            }
        }
    }

    /// Starts a server of its own.
    ///
    /// # Errors
    /// When there is none on this machine, or it does not start.
    pub fn start() -> io::Result<Self> {
        let programs = programs().ok_or_else(|| io::Error::other("initdb was not found"))?;
        let folder = tempfile::Builder::new().prefix("scrubjay-postgres-").tempdir()?;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700))?;
        if is_root() {
            std::os::unix::fs::chown(folder.path(), Some(UNPRIVILEGED), Some(UNPRIVILEGED))?;
        }
        let made = unprivileged(&programs.join("initdb"))
            .args(["--auth=trust", "--username", USER, "--encoding=UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(folder.path().join("data"))
            .current_dir(folder.path())
            .output()?;
        if !made.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&made.stderr).into_owned()));
        }
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let server = Self { port, programs, folder, running: Mutex::default() };
        server.resume()?;
        Ok(server)
    }

    /// The address of a database.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{USER}@127.0.0.1:{}/{database}", self.port)
    }

    /// The port on the loopback address.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Makes an empty database; gives its address.
    #[must_use]
    pub fn database(&self, name: &str) -> String {
        self.run("createdb", &[name]);
        self.url(name)
    }

    /// Runs a statement; gives what it printed, without decoration.
    #[must_use]
    pub fn sql(&self, database: &str, statement: &str) -> String {
        self.run("psql", &["--no-psqlrc", "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", statement, "-d", database])
    }

    /// Runs a statement in a transaction that stays open until the answer is dropped, and holds what it locked.
    #[must_use]
    pub fn hold(&self, database: &str, statement: &str) -> Held {
        let mut command = Command::new(self.programs.join("psql"));
        command.args(["--no-psqlrc", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", &self.url(database)]).current_dir("/");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "BEGIN; {statement}; SELECT 'it is held';").unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "it is held"), "the statement failed: {statement}");
        Held { child, input: Some(input) }
    }

    /// How many connections to a database wait for a lock.
    #[must_use]
    pub fn waiting(&self, database: &str) -> usize {
        let statement =
            format!("SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}' AND wait_event_type = 'Lock'");
        self.sql(database, &statement).parse().unwrap()
    }

    /// Stops the server as a crash would: nobody is waited for, and nothing is put in order.
    pub fn crash(&self) {
        self.end(Signal::QUIT);
    }

    /// Starts the server again.
    ///
    /// # Errors
    /// When it does not start.
    pub fn resume(&self) -> io::Result<()> {
        let mut command = unprivileged(&self.programs.join("postgres"));
        command.arg("-D").arg(self.folder.path().join("data"));
        command.args(["-h", "127.0.0.1", "-k", "", "-p", &self.port.to_string(), "-c", "fsync=off"]);
        command.args(["-c", "full_page_writes=off", "-c", "max_connections=200", "-c", "shared_buffers=64MB"]);
        command.current_dir(self.folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let (stop, stopping) = mpsc::channel();
        let (ready, waiting) = mpsc::channel();
        // The server dies with the thread that started it, so that thread waits for the end.
        let keeper = std::thread::spawn(move || keep(command, &ready, &stopping));
        waiting.recv().map_err(io::Error::other)??;
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(Running { stop, keeper });
        Ok(())
    }

    fn end(&self, how: Signal) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Running { stop, keeper }) = running {
            // The keeper may have ended with the server.
            let _ = stop.send(how);
            let _ = keeper.join();
        }
    }

    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let port = self.port.to_string();
        let mut command = Command::new(self.programs.join(program));
        command.args(["-h", "127.0.0.1", "-p", &port, "-U", USER]).args(arguments).current_dir("/");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.end(Signal::QUIT);
    }
}

fn keep(mut command: Command, ready: &mpsc::Sender<io::Result<()>>, stopping: &mpsc::Receiver<Signal>) {
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return drop(ready.send(Err(error))),
    };
    let started = wait_until_ready(&mut child);
    let runs = started.is_ok();
    let _ = ready.send(started);
    let how = if runs { stopping.recv().unwrap_or(Signal::QUIT) } else { Signal::QUIT };
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, how);
    }
    let _ = child.wait();
}

fn wait_until_ready(child: &mut Child) -> io::Result<()> {
    let log = child.stderr.take().ok_or_else(|| io::Error::other("the server has no log"))?;
    let mut lines = BufReader::new(log).lines();
    let mut said = String::new();
    for line in lines.by_ref() {
        let line = line?;
        if line.contains("ready to accept connections") {
            // Nobody reads the rest, and a full pipe would stop the server.
            std::thread::spawn(move || lines.for_each(drop));
            return Ok(());
        }
        said.push_str(&line);
        said.push('\n');
    }
    Err(io::Error::other(said))
}

/// A program that runs as somebody who may do nothing, and dies with whoever started it.
fn unprivileged(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    if is_root() {
        let user = UNPRIVILEGED.to_string();
        command.args(["--reuid", &user, "--regid", &user, "--clear-groups"]);
    }
    command.args(["--pdeathsig", "QUIT", "--"]).arg(program);
    command
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The folder of the newest PostgreSQL that is installed.
fn programs() -> Option<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for base in ["/usr/lib/postgresql", "/usr/local/pgsql"] {
        for entry in fs::read_dir(base).into_iter().flatten().flatten() {
            let version = entry.file_name().to_string_lossy().parse().unwrap_or(0);
            found.push((version, entry.path().join("bin")));
        }
    }
    if let Ok(asked) = Command::new("pg_config").arg("--bindir").output() {
        found.push((0, PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim())));
    }
    found.retain(|(_, folder)| folder.join("initdb").is_file() && folder.join("postgres").is_file());
    found.into_iter().max_by_key(|(version, _)| *version).map(|(_, folder)| folder)
}
