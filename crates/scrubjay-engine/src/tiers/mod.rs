//! Task, project and global memory, and how things move between them.
//!
//! For those who embed the library there are three stores with the methods an
//! agent needs: [`TaskMemory`] (gone when the task ends), [`ProjectMemory`]
//! (decisions, conventions, failures, patterns; bounded) and [`GlobalMemory`]
//! (preferences and patterns; preferences need consent). Each stands on a
//! [`Backend`]: the store itself, on disk or in memory, or one JSON file.
//!
//! Things move by promotion only (`promotion.rs`), which is explicit, recorded
//! and undone like any change. `eviction.rs` keeps a project in bounds,
//! `consent.rs` puts off what a person must allow, `proposal.rs` is a memory that is asked for, `tasks.rs` finds tasks.
//!
//! A handle for one project cannot name another one's rows: it is made from a
//! context, and that sees its own scopes alone. Start with `backend.rs`.

mod backend;
mod consent;
mod eviction;
mod global_memory;
mod item;
mod json_backend;
mod project_memory;
mod promotion;
mod proposal;
mod store_backend;
mod task_memory;
mod tasks;

pub use backend::Backend;
pub use consent::{Ask, ask};
pub use eviction::evict;
pub use global_memory::{GlobalMemory, Kept};
pub use item::{NewItem, make};
pub use json_backend::JsonBackend;
pub use project_memory::{Failure, ProjectMemory};
pub use promotion::promoted;
pub use proposal::RememberInput;
pub use store_backend::StoreBackend;
pub use task_memory::TaskMemory;
pub(crate) use tasks::inside;
pub use tasks::{clear_changes, current, new_task_id, standing_in};
