//! Listens, and ends in good order.

use std::fs;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use scrubjay_engine::Ctx;
use scrubjay_engine::home::Home;
use serde_json::json;
use tokio::net::{TcpListener, UnixListener};
use tokio::signal::unix::{SignalKind, signal};

use super::connections::serve_all;
use super::work;
use crate::agents::{Agents, Origin};
use crate::auth::{Gate, Grants, OwnerToken};
use crate::daemon_files::{DaemonFiles, Lock};
use crate::http::{Patience, Shared, Stop};
use crate::log::Log;
use crate::{Result, ServerError};

/// How long requests that are under way may take when the daemon ends.
const GRACE: Duration = Duration::from_secs(10);

/// How a daemon is to run.
pub struct Options {
    /// The owner's context; nothing of it needs to be open.
    pub ctx: Ctx,
    /// Where agents' contexts come from.
    pub origin: Origin,
    /// The address to listen on.
    pub address: IpAddr,
    /// The port that was asked for; none means the settings' one, or any other
    /// that is free.
    pub port: Option<u16>,
    /// Names beside localhost that it is reached by.
    pub names: Vec<String>,
    /// Ends when nobody needed it for so long.
    pub idle_exit: Option<Duration>,
    /// It was started by a hook or a client.
    pub on_demand: bool,
    /// How patient it is with strangers and slow requests.
    pub patience: Patience,
}

/// A daemon that holds its lock and its sockets.
pub struct Running {
    shared: Arc<Shared>,
    place: DaemonFiles,
    tcp: TcpListener,
    unix: UnixListener,
    address: SocketAddr,
    idle_exit: Option<Duration>,
    _lock: Lock,
}

/// Takes the lock, then the token, then the sockets. When this returns, the
/// daemon can be reached.
///
/// # Errors
/// When another daemon is there, or something cannot be had.
pub async fn start(options: Options) -> Result<Running> {
    let place = DaemonFiles::of(&options.origin.home);
    Home::check_ownership(&place.home)?;
    Home::private_folder(&place.home)?;
    let lock = Lock::take(&place.lock)?;
    let log = Log::open(&place.log, Arc::clone(options.ctx.clock()))?;
    let owner = OwnerToken::load_or_create(&place.token, &options.ctx)?;
    let limits = options.ctx.config().settings.daemon.clone();
    let tcp = listen(options.address, options.port, u16::try_from(limits.port).unwrap_or(0)).await?;
    let address = tcp.local_addr().map_err(|error| ServerError::io("listen at", &place.note, error))?;
    let unix = listen_at(&place)?;
    let mut names = options.names;
    if !options.address.is_loopback() && !options.address.is_unspecified() {
        names.push(options.address.to_string());
    }
    let gate = Gate::new(address.port(), &names, owner, Grants::at(&place.grants), Arc::clone(options.ctx.clock()));
    let agents = Agents::new(options.origin);
    let shared = Shared::new(gate, agents, log, limits, options.patience, address.port(), options.on_demand);
    let note = json!({
        "pid": std::process::id(),
        "version": env!("CARGO_PKG_VERSION"),
        "url": format!("http://{address}"),
        "socket": place.socket,
        "started_at": options.ctx.now().to_string(),
    });
    write_note(&place.note, &format!("{note:#}\n"))?;
    shared.log.note("the daemon started", &[("address", json!(address.to_string()))]);
    let idle_exit = options.idle_exit;
    Ok(Running { shared: Arc::new(shared), place, tcp, unix, address, idle_exit, _lock: lock })
}

impl Running {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What its requests share.
    #[must_use]
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Serves until it is asked to stop, gets a signal, or nobody needs it.
    ///
    /// # Errors
    /// When signals cannot be waited for.
    pub async fn serve(self) -> Result<Stop> {
        let shared = self.shared;
        let network = serve_all(self.tcp, Arc::clone(&shared));
        let socket = serve_all(self.unix, Arc::clone(&shared));
        let servers = tokio::spawn(async move { tokio::join!(network, socket) });
        let worker = tokio::spawn(work::run(Arc::clone(&shared)));
        until_stop(&shared, self.idle_exit).await?;
        let why = *shared.stop.borrow();
        // What is under way is finished, within reason; what a job began stays
        // leased and is begun again.
        let _ = tokio::time::timeout(GRACE, servers).await;
        let _ = tokio::time::timeout(GRACE, worker).await;
        // The files go while the lock is held, so that they cannot be those of
        // the next daemon.
        for file in [&self.place.socket, &self.place.note] {
            let _ = fs::remove_file(file);
        }
        shared.log.note("the daemon ended", &[("why", json!(format!("{why:?}").to_lowercase()))]);
        Ok(why)
    }
}

// Waits for a signal, a request to stop, or for nobody to need it.
async fn until_stop(shared: &Shared, idle_exit: Option<Duration>) -> Result<()> {
    let failed = |error| ServerError::io("wait for", Path::new("signals"), error);
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut hang_up = signal(SignalKind::hangup()).map_err(failed)?;
    let mut stop = shared.stop.subscribe();
    let look = idle_exit
        .map_or(Duration::from_secs(3600), |idle| (idle / 4).clamp(Duration::from_millis(50), Duration::from_secs(5)));
    loop {
        tokio::select! {
            _ = stop.wait_for(|stop| *stop != Stop::No) => return Ok(()),
            _ = terminate.recv() => { shared.stop.send_replace(Stop::Asked); }
            _ = interrupt.recv() => { shared.stop.send_replace(Stop::Asked); }
            _ = hang_up.recv() => { shared.stop.send_replace(Stop::Asked); }
            () = tokio::time::sleep(look) => {
                if idle_exit.is_some_and(|idle| shared.idle_for() >= idle) {
                    shared.stop.send_replace(Stop::Idle);
                }
            }
        }
    }
}

// The port that was asked for, or nothing. Without one, the usual port, or any
// free one if somebody else has that.
async fn listen(address: IpAddr, asked: Option<u16>, usual: u16) -> Result<TcpListener> {
    let wanted = SocketAddr::new(address, asked.unwrap_or(usual));
    match TcpListener::bind(wanted).await {
        Ok(listener) => Ok(listener),
        Err(error) if asked.is_none() && error.kind() == ErrorKind::AddrInUse => {
            let any = SocketAddr::new(address, 0);
            TcpListener::bind(any).await.map_err(|source| ServerError::PortTaken { address: any.to_string(), source })
        }
        Err(source) => Err(ServerError::PortTaken { address: wanted.to_string(), source }),
    }
}

// A socket that a dead daemon left behind is in the way; the lock is ours, so
// nobody listens there.
fn listen_at(place: &DaemonFiles) -> Result<UnixListener> {
    let failed = |error| ServerError::io("listen at", &place.socket, error);
    place.prepare_socket()?;
    match fs::remove_file(&place.socket) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let listener = UnixListener::bind(&place.socket).map_err(failed)?;
    fs::set_permissions(&place.socket, fs::Permissions::from_mode(0o600)).map_err(failed)?;
    Ok(listener)
}

fn write_note(path: &Path, text: &str) -> Result<()> {
    use std::io::Write;
    let file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| ServerError::io("write", path, error))
}
