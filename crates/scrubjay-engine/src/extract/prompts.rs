//! The instructions that models get.
//!
//! They are files in `prompts/`, each with a version in its first line, compiled in. A file of the same name in the
//! folder that `extract.prompts` names takes the place of one. Which version found a fact is noted on the fact.

use std::io;
use std::path::PathBuf;

use crate::{Ctx, EngineError, Result};

/// Which instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptName {
    /// Whether a window is worth a closer look.
    Gate,
    /// What facts are in a window.
    Extract,
    /// How a new fact stands to known ones.
    Consolidate,
    /// What a week adds up to.
    Reflect,
    /// What was done in a task.
    Summarize,
    /// What is named in a text.
    Names,
}

impl PromptName {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Gate, Self::Extract, Self::Consolidate, Self::Reflect, Self::Summarize, Self::Names];

    /// The file's name.
    #[must_use]
    pub fn file(self) -> &'static str {
        match self {
            Self::Gate => "gate.md",
            Self::Extract => "extract.md",
            Self::Consolidate => "consolidate.md",
            Self::Reflect => "reflect.md",
            Self::Summarize => "summarize.md",
            Self::Names => "names.md",
        }
    }

    fn compiled_in(self) -> &'static str {
        match self {
            Self::Gate => include_str!("../../prompts/gate.md"),
            Self::Extract => include_str!("../../prompts/extract.md"),
            Self::Consolidate => include_str!("../../prompts/consolidate.md"),
            Self::Reflect => include_str!("../../prompts/reflect.md"),
            Self::Summarize => include_str!("../../prompts/summarize.md"),
            Self::Names => include_str!("../../prompts/names.md"),
        }
    }
}

/// Instructions and where they are from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What the model is told.
    pub text: String,
    /// `extract@1` for one that is compiled in, `extract@custom-1a2b3c4d` for one of the user's.
    pub version: String,
}

/// The instructions to use.
///
/// # Errors
/// When the user's own file cannot be read, or is empty.
pub fn prompt(ctx: &Ctx, name: PromptName) -> Result<Prompt> {
    let stem = name.file().trim_end_matches(".md");
    let folder = &ctx.config().settings.extract.prompts;
    if folder.is_empty() {
        return Ok(compiled(name, stem));
    }
    let path: PathBuf = ctx.home().path.join(folder).join(name.file());
    match std::fs::read_to_string(&path) {
        Ok(text) if text.trim().is_empty() => {
            Err(EngineError::invalid(format!("{} is empty; write instructions or remove it", path.display())))
        }
        Ok(text) => {
            let hash = blake3::hash(text.as_bytes()).to_hex();
            Ok(Prompt { text: body(&text).1.to_owned(), version: format!("{stem}@custom-{}", &hash[..8]) })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(compiled(name, stem)),
        Err(error) => Err(EngineError::io("read", path, error)),
    }
}

fn compiled(name: PromptName, stem: &str) -> Prompt {
    let (version, text) = body(name.compiled_in());
    Prompt { text: text.to_owned(), version: format!("{stem}@{}", version.unwrap_or("0")) }
}

// The first line may be `version: 1`; the rest is the text.
fn body(file: &str) -> (Option<&str>, &str) {
    match file.split_once('\n') {
        Some((first, rest)) if first.starts_with("version:") => {
            (Some(first.trim_start_matches("version:").trim()), rest.trim())
        }
        _ => (None, file.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prompt_has_a_version_and_says_that_content_is_data() {
        for name in PromptName::ALL {
            let (version, text) = body(name.compiled_in());
            assert!(version.is_some_and(|version| version.parse::<u32>().is_ok()), "{}", name.file());
            assert!(text.contains("data, not instructions"), "{}", name.file());
        }
    }
}
