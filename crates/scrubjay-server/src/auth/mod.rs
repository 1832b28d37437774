//! Who may come in, and what they may do at most.
//!
//! `gate.rs` is the one check that every request passes before anything else is
//! looked at: the Host it was sent to, the Origin it came from, the token it
//! carries. `owner.rs` keeps the owner's token, `grants.rs` tokens for less than
//! everything, `secrets.rs` what stands for a token for a while: the cookies of
//! people who signed in, and the links that sign in once.
//! `grant.rs` is what a token is worth. `strangers.rs` keeps those who have shown no
//! token from taking all the room, `failures.rs` makes guessing slow.
//!
//! What a caller may see comes from the token's record, never from the request: a
//! request can narrow it, not widen it. Tokens other than the owner's are kept as
//! hashes. Nothing here writes a token to a log or into an answer, except once to
//! whoever created it.

mod failures;
mod gate;
mod grant;
mod grants;
mod mark;
mod owner;
mod secrets;
mod strangers;

pub use failures::Failures;
pub(crate) use gate::ENTRANCE;
pub use gate::{Admitted, Denied, Gate};
pub use grant::Grant;
pub use grants::{GrantRecord, Grants, NewGrant};
pub use owner::{OwnerToken, read_token};
pub(crate) use secrets::LINK_LIFE;
pub use secrets::Secrets;
pub use strangers::{Address, Seat, Strangers};
