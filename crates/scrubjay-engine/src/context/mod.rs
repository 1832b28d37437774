//! Handing an agent what it needs.
//!
//! `inject.rs` makes the few lines before each turn: `question.rs` tells what the
//! last messages ask for, `relevant.rs` finds it and says of the rest why it is left
//! out (`rejection.rs`), `shown_before.rs` knows what the conversation was shown,
//! `injection.rs` what a person said about handing a memory over,
//! `reflection.rs` when the latest reflection comes along, `piece.rs` gives each hit
//! its lines, `pack.rs` fits them into the budget and `cut.rs` shortens at the ends of
//! sentences. Counts are exact, in the vocabulary that `settings.rs` names. What
//! was handed over is noted by `receipt.rs`, which later tells whether a reply
//! used it.
//!
//! `loop_profile.rs` and `tiers_profile.rs` make larger contexts: `working.rs` holds
//! the work at hand, `section.rs` a part with recalled text, and `assemble.rs`
//! divides the budget among them. `crate::agent_loop` is all of it in three calls. `brief.rs`
//! is what a session begins with.
//!
//! Recalled text is data: it stands between marks with a random nonce, and what a
//! tool printed or a page said is never handed on as known. Nothing here changes
//! a memory or its rank, and nothing relevant gives nothing.

mod assemble;
mod brief;
mod cut;
mod hook_preview;
mod inject;
mod injection;
mod left_out;
mod loop_profile;
mod pack;
mod piece;
mod question;
mod receipt;
mod reflection;
mod rejection;
mod relevant;
mod section;
mod settings;
mod shown_before;
mod standpoint;
mod tiers_profile;
mod working;

pub use assemble::{Assembled, ContextSection};
pub use brief::{Brief, brief};
pub(crate) use brief::{brief_text, unfenced};
pub use cut::{excerpt, shorten};
pub(crate) use hook_preview::preview as hook_preview;
pub(crate) use inject::preview_after;
pub use inject::{Block, Injected, Wanted, inject, inject_in_past, preview};
pub use injection::{INJECTION, Injection};
pub use left_out::LeftOut;
pub use loop_profile::{LoopRequest, loop_context};
pub use pack::{Packed, Room, pack};
pub use piece::{Piece, Rendered, is_trusted, shown};
pub use question::{InjectionQuery, last_messages};
pub use receipt::{compare, judge, keep, look_for_use, text_of};
pub use reflection::{REFLECTION_SECTION, latest_reflection, reflection_came_along, room_for_reflection};
pub use rejection::{Rejected, Rejection};
pub use relevant::{following_threshold, near_misses};
pub use section::{FittedSection, Section};
pub use settings::{check_budget, vocabulary};
pub(crate) use shown_before::ShownBefore;
pub use tiers_profile::{TiersRequest, tiers_context};
pub use working::{Fitted, Message, Work, recency_buffer};
