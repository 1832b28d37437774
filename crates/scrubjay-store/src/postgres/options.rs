//! Where the server is, and how it is used.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

/// How to open a store on a server.
#[derive(Clone)]
pub struct Options {
    pub(super) config: Config,
    /// Whose store it is.
    pub agent: String,
    /// How many connections are open at once at most.
    pub connections: usize,
    /// How long to wait for other writers of the agent, and for a free connection.
    pub busy_timeout_ms: u64,
    /// How long a statement may run.
    pub statement_timeout_ms: u64,
}

/// An address that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUrl {
    /// It is written wrongly. The reason never repeats the address, which may hold a password.
    #[error(
        "the address of the database cannot be read ({reason}); it looks like postgres://user@host:5432/database?sslmode=require"
    )]
    Unreadable {
        /// What is wrong with it.
        reason: String,
    },
    /// Nothing would protect what is sent.
    #[error(
        "the database is on another machine ({host}) and sslmode is not `require`; add ?sslmode=require to the address, or ?sslmode=disable if the way there is protected otherwise"
    )]
    Unprotected {
        /// The machine.
        host: String,
    },
}

impl Options {
    /// The usual options for an address such as `postgres://user@host/database`.
    ///
    /// # Errors
    /// When the address cannot be read, or would send data to another machine without saying how it is protected.
    pub fn new(url: &str, agent: impl Into<String>) -> Result<Self, InvalidUrl> {
        let mut config =
            Config::from_str(url).map_err(|error| InvalidUrl::Unreadable { reason: reason(&error, url) })?;
        if config.get_hosts().is_empty() {
            return Err(InvalidUrl::Unreadable { reason: "it names no host".to_owned() });
        }
        if config.get_ssl_mode() == SslMode::Prefer
            && let Some(host) = config.get_hosts().iter().find_map(distant)
        {
            return Err(InvalidUrl::Unprotected { host });
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(10));
        }
        config.application_name("scrubjay");
        Ok(Self { config, agent: agent.into(), connections: 8, busy_timeout_ms: 30_000, statement_timeout_ms: 60_000 })
    }

    /// The address without user and password, for messages.
    #[must_use]
    pub fn place(&self) -> String {
        let hosts: Vec<String> = self.config.get_hosts().iter().map(host_name).collect();
        let ports: Vec<String> = self.config.get_ports().iter().map(|port| format!(":{port}")).collect();
        let port = if ports.len() == 1 { ports.concat() } else { String::new() };
        format!("postgres://{}{port}/{}", hosts.join(","), self.config.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("place", &self.place()).field("agent", &self.agent).finish_non_exhaustive()
    }
}

// The parser quotes what it does not understand, which may be the password.
fn reason(error: &tokio_postgres::Error, url: &str) -> String {
    let cause = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    let quotes_the_url = cause.split('`').nth(1).is_some_and(|quoted| url.contains(quoted));
    if cause.is_empty() || quotes_the_url { "it is not an address of PostgreSQL".to_owned() } else { cause }
}

fn distant(host: &tokio_postgres::config::Host) -> Option<String> {
    let name = host_name(host);
    let is_near = name.starts_with('/')
        || name == "localhost"
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    (!is_near).then_some(name)
}

fn host_name(host: &tokio_postgres::config::Host) -> String {
    match host {
        tokio_postgres::config::Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        tokio_postgres::config::Host::Unix(path) => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_shown_without_secrets() {
        let options = Options::new("postgres://ada:secret@127.0.0.1:5433/memory", "default").unwrap();
        assert_eq!(options.place(), "postgres://127.0.0.1:5433/memory");
        assert!(!format!("{options:?}").contains("secret"));
        for wrong in ["postgres://ada:secret@host:port/x", "postgres://", "mysql://ada:secret@host/x", "secret"] {
            let error = Options::new(wrong, "default").unwrap_err().to_string();
            assert!(!error.contains("secret"), "{wrong}: {error}");
        }
    }

    #[test]
    fn another_machine_is_reached_by_tls_unless_the_address_says_otherwise() {
        let distant = "postgres://ada@db.example/memory";
        assert_eq!(
            Options::new(distant, "default").unwrap_err(),
            InvalidUrl::Unprotected { host: "db.example".to_owned() }
        );
        for said in ["require", "disable"] {
            assert!(Options::new(&format!("{distant}?sslmode={said}"), "default").is_ok(), "{said}");
        }
        assert!(Options::new("postgres://ada@localhost/memory", "default").is_ok());
    }
}
