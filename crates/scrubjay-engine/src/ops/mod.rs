//! Operations: the only way in.
//!
//! One file per operation, each with a typed input and output, and one line in
//! the list below. The command line, HTTP and MCP are made from that list; none
//! of them has behaviour of its own. To add an operation, write its file, add
//! its line here, and the surfaces follow.
//!
//! `operation.rs` says what an operation is; `record.rs` and `pick.rs` hold the
//! shapes that several of them share. An operation never sees a protocol, never
//! prints and never asks: what needs a person's consent takes it as input.

mod backup;
mod capture;
mod config_path;
mod config_set;
mod config_show;
mod confirm;
mod confirmations_answer;
mod confirmations_list;
mod context;
mod correct;
mod doctor;
mod edit;
mod entities;
mod entity;
mod entity_merge;
mod export;
mod forget;
mod history;
mod import;
mod import_notes;
mod import_transcripts;
mod index;
mod inject;
mod jobs;
mod jobs_cancel;
mod jobs_retry;
mod jobs_run;
mod link;
mod list;
mod operation;
mod pick;
mod promote;
mod purge;
mod recall;
mod receipts;
mod record;
mod reembed;
mod registry;
mod remember;
mod restore;
mod restore_backup;
mod session_end;
mod sessions;
mod show;
mod sources;
mod sources_add;
mod sources_remove;
mod stats;
mod sync;
mod sync_status;
mod task_add;
mod task_begin;
mod task_end;
mod task_show;
mod tune;
mod turn;
mod undo;

pub use backup::Backup;
pub(crate) use capture::clean_attributes;
pub use capture::{Capture, CaptureInput, CaptureOutput, CaptureResult, Message};
pub use config_path::ConfigPath;
pub use config_set::ConfigSet;
pub use config_show::ConfigShow;
pub use confirm::Confirm;
pub use confirmations_answer::ConfirmationsAnswer;
pub use confirmations_list::ConfirmationsList;
pub use context::{Context, ContextInput, ContextOutput};
pub use correct::Correct;
pub use doctor::Doctor;
pub use edit::Edit;
pub use entities::Entities;
pub use entity::Entity;
pub use entity_merge::EntityMerge;
pub use export::{Export, ExportInput, ExportOutput};
pub use forget::Forget;
pub use history::History;
pub use import::{Import, ImportInput, ImportOutput};
pub use import_notes::ImportNotes;
pub use import_transcripts::ImportTranscripts;
pub use index::{Index, IndexInput, IndexOutput};
pub use inject::{Inject, InjectInput, InjectOutput};
pub use jobs::Jobs;
pub use jobs_cancel::JobsCancel;
pub use jobs_retry::JobsRetry;
pub use jobs_run::JobsRun;
pub use link::Link;
pub use list::List;
pub use operation::{Access, Entry, Operation, Risk, Surfaces, run};
pub use promote::Promote;
pub use purge::Purge;
pub use recall::Recall;
pub use receipts::Receipts;
pub use record::{EntityRecord, LinkRecord, MemoryRecord, OriginRecord};
pub use reembed::Reembed;
pub use registry::{REGISTRY, find, suggest};
pub use remember::{Remember, RememberInput, RememberOutput};
pub use restore::Restore;
pub use restore_backup::RestoreBackup;
pub use session_end::SessionEnd;
pub use sessions::Sessions;
pub use show::Show;
pub use sources::Sources;
pub use sources_add::SourcesAdd;
pub use sources_remove::SourcesRemove;
pub use stats::Stats;
pub use sync::{Sync, SyncInput, SyncRecord};
pub use sync_status::SyncStatus;
pub use task_add::{TaskAdd, TaskAddInput};
pub use task_begin::{TaskBegin, TaskBeginInput, TaskRecord};
pub use task_end::{TaskEnd, TaskEndInput};
pub use task_show::TaskShow;
pub use tune::Tune;
pub use turn::{ToolResult, Turn};
pub use undo::Undo;
