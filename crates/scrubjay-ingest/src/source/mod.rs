//! Where text comes from: files of a workspace, and the formats of other programs.
//!
//! [`walk`] lists the files of a tree and says of each thing it leaves out why; [`kind`] tells by the path what a file
//! is; [`read`] gives its text if it is text. [`front_matter`] and [`knowledge_graph`] are formats.
//!
//! Nothing here knows what becomes of a file: the engine decides where records and chunks go. Nothing here writes.
//! To add a format, add its file and its line. Start reading at [`kind`].

pub mod front_matter;
pub mod kind;
pub mod knowledge_graph;
pub mod language;
pub mod notes;
pub mod read;
pub mod skip;
pub mod walk;
