//! The formats, one file each.
//!
//! A parser here knows how one format looks and nothing about what becomes of
//! it. To add a format, add its file and its line; the engine decides where its
//! records go.

pub mod knowledge_graph;
