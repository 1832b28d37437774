//! Revisions of the protocol.

use serde_json::Value;

use super::message::Fault;

/// Every revision that is spoken, newest first.
pub const SUPPORTED: [&str; 5] = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The newest revision that begins with a handshake.
const NEWEST_WITH_HANDSHAKE: &str = "2025-11-25";

/// Where a request names its revision.
const KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// What a request speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// A revision without sessions: each request says everything.
    Stateless,
    /// A revision with a handshake.
    Handshake,
}

impl Version {
    /// What this request speaks.
    ///
    /// # Errors
    /// When it names a revision that is not spoken here.
    pub fn of(params: &Value) -> Result<Self, Fault> {
        let Some(named) = params.get("_meta").and_then(|meta| meta.get(KEY)) else { return Ok(Self::Handshake) };
        match named.as_str() {
            Some("2026-07-28") => Ok(Self::Stateless),
            Some(older) if SUPPORTED.contains(&older) => Ok(Self::Handshake),
            _ => Err(Fault::unsupported_version(named)),
        }
    }
}

/// The revision that a handshake agrees on.
#[must_use]
pub(super) fn agree(asked: Option<&str>) -> &str {
    let known = SUPPORTED.iter().skip(1).find(|known| Some(**known) == asked);
    known.copied().unwrap_or(NEWEST_WITH_HANDSHAKE)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_says_what_it_speaks() {
        let of = |version: &str| Version::of(&json!({"_meta": {KEY: version}}));
        assert_eq!(of("2026-07-28").unwrap(), Version::Stateless);
        assert_eq!(of("2025-06-18").unwrap(), Version::Handshake);
        assert_eq!(Version::of(&json!({})).unwrap(), Version::Handshake);
        assert_eq!(of("2099-01-01").unwrap_err().code, -32022);
        assert_eq!(agree(Some("2025-03-26")), "2025-03-26");
        assert_eq!(agree(Some("2099-01-01")), "2025-11-25");
        // The stateless revision has no handshake to agree on it in.
        assert_eq!(agree(Some("2026-07-28")), "2025-11-25");
    }
}
