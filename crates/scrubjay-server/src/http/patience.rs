//! How patient the daemon is with those whom it does not know yet, and with slow
//! ones.

use std::time::Duration;

/// Time and room for requests before their work begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How long the head of a request may take, and how long a connection may
    /// wait for the next one.
    pub head: Duration,
    /// How long the body of someone with a token may take.
    pub body: Duration,
    /// How long the body of a stranger may take.
    pub stranger_body: Duration,
    /// The largest body of a stranger, in bytes: a form with a token in it.
    pub stranger_body_bytes: usize,
    /// How many connections on which nobody has shown a token are kept at once;
    /// the oldest goes when another comes.
    pub strangers: usize,
    /// The same for one address.
    pub strangers_per_address: usize,
    /// How much longer each wrong token of an address takes to be answered,
    /// after the first few.
    pub slow_down: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(60),
            stranger_body: Duration::from_secs(5),
            stranger_body_bytes: 4096,
            strangers: 256,
            strangers_per_address: 64,
            slow_down: Duration::from_millis(100),
        }
    }
}
