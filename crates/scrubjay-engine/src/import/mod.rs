//! Coming from elsewhere: what other memory tools and chats export.
//!
//! One file per tool. It says what the tool is called and what its export looks
//! like ([`Importer`]), and turns the export into [`Record`]s: what was said or
//! held true, when, by whom, and under which stable key. `run.rs` stores records
//! of any tool: secrets out, origin `import`, each key once, so that an import
//! that was interrupted is simply repeated.
//!
//! To add a tool, write its file, name it in the list below, and give it a line
//! in the list of operations. `tests/it/importers.rs` holds every importer
//! against the same rules.

mod basic_memory;
mod chatgpt;
mod claude;
mod claude_mem;
mod importer;
mod json;
mod markdown;
mod mem0;
mod obsidian;
mod openmemory;
mod run;
mod slack;

pub use basic_memory::BasicMemory;
pub use chatgpt::ChatGpt;
pub use claude::Claude;
pub use claude_mem::ClaudeMem;
pub use importer::{Descriptor, Importer, Record, RecordLocation, Sink, Speaker};
pub use mem0::Mem0;
pub use obsidian::Obsidian;
pub use openmemory::OpenMemory;
pub use run::{Imported, Request, SkippedRecord, import};
pub use slack::Slack;

/// Every importer.
pub static IMPORTERS: &[Descriptor] = &[
    Descriptor::of::<ChatGpt>(),
    Descriptor::of::<Claude>(),
    Descriptor::of::<Mem0>(),
    Descriptor::of::<ClaudeMem>(),
    Descriptor::of::<BasicMemory>(),
    Descriptor::of::<OpenMemory>(),
    Descriptor::of::<Slack>(),
    Descriptor::of::<Obsidian>(),
];
