//! The address of a database, which may hold a password and therefore never shows it by accident.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// An address such as `postgres://user:password@host/database`. Display, Debug and serialisation leave out user,
/// password and parameters; only [`ConnectionUrl::expose`] gives the whole, to whoever opens the connection.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ConnectionUrl(String);

impl ConnectionUrl {
    /// Wraps an address as it is.
    pub fn new(url: impl Into<String>) -> Self {
        Self(url.into())
    }

    /// The whole address, secrets included.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether no address is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for ConnectionUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        // Without a scheme this may be a `host=… password=…` line or a bare secret, so nothing of it is shown.
        let Some((scheme, rest)) = self.0.split_once("://") else {
            return formatter.write_str("…");
        };
        let (head, parameters) = match rest.find(['?', '#']) {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        match head.rsplit_once('@') {
            Some((_, address)) => write!(formatter, "{scheme}://…@{address}")?,
            // The `?` may belong to a password that was not percent-encoded: then the head is user and password.
            None if parameters.contains('@') => return write!(formatter, "{scheme}://…"),
            None => write!(formatter, "{scheme}://{head}")?,
        }
        if parameters.is_empty() { Ok(()) } else { formatter.write_str("?…") }
    }
}

impl fmt::Debug for ConnectionUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ConnectionUrl({self})")
    }
}

impl Serialize for ConnectionUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out() {
        for (url, shown) in [
            ("", ""),
            ("sqlite", "…"),
            ("sqlite:///var/memory.sqlite", "sqlite:///var/memory.sqlite"),
            ("postgres://db:5432/memory", "postgres://db:5432/memory"),
            ("postgres://me@db/memory", "postgres://…@db/memory"),
            ("postgres://me:SECRET@db/memory", "postgres://…@db/memory"),
            ("postgres://me:SEC@RET@db/memory", "postgres://…@db/memory"),
            ("postgres://me:SEC/RET@db/memory", "postgres://…@db/memory"),
            ("postgres://me:SEC?RET@db/memory", "postgres://…"),
            ("postgres://me:SEC#RET@db/memory", "postgres://…"),
            ("postgres://db/memory?password=SECRET", "postgres://db/memory?…"),
            ("postgres://me@db/memory?password=SEC@RET", "postgres://…@db/memory?…"),
            ("host=db password=SECRET", "…"),
        ] {
            let url = ConnectionUrl::new(url);
            assert_eq!(url.to_string(), shown);
            assert_eq!(format!("{url:?}"), format!("ConnectionUrl({shown})"));
            assert!(!shown.contains("SEC") && !shown.contains("RET"));
        }
    }
}
