//! Files kept fresh for tools that only read files.
//!
//! A file is registered once; whoever works for the agent writes it again when
//! what it should say has changed. Only the part between our two marks is ours:
//! the rest of the file stays as it is.

use std::fs;
use std::path::{Path, PathBuf};

use scrubjay_core::fence;
use scrubjay_core::scope::View;
use serde::{Deserialize, Serialize};

use crate::clients::{read_regular, target};
use crate::context::unfenced;
use crate::home::Home;
use crate::replace_file::put;
use crate::{Ctx, EngineError, Result};

const BEGIN: &str = "<!-- scrubjay:begin (kept fresh by Scrubjay; edits between these marks are lost) -->";
const END: &str = "<!-- scrubjay:end -->";

/// The most that is written, in characters.
const ROOM: usize = 8000;

/// A registered file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextFile {
    /// The file.
    pub path: PathBuf,
    /// The project it is about; none means global memories.
    pub project: Option<String>,
    // What was written last, as a hash, so that nothing is written in vain.
    #[serde(default)]
    written: String,
}

/// The registered files of an agent.
///
/// # Errors
/// When the list cannot be read.
pub fn registered(ctx: &Ctx) -> Result<Vec<ContextFile>> {
    let path = list_path(ctx);
    match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map_err(|error| EngineError::invalid(format!("{} is damaged: {error}; remove it", path.display()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(EngineError::io("read", &path, error)),
    }
}

/// Registers a file for the project at hand and writes it. A link is followed if
/// it stays in its own folder; then the file is written and the link stays.
///
/// # Errors
/// When it cannot be written, or is not a regular file.
pub async fn register(ctx: &Ctx, path: &Path) -> Result<()> {
    place(path)?;
    let mut files = registered(ctx)?;
    files.retain(|file| file.path != path);
    let project = ctx.view().project_id().map(ToString::to_string);
    files.push(ContextFile { path: path.to_owned(), project, written: String::new() });
    save(ctx, &files)?;
    refresh(ctx).await.map(|_| ())
}

/// Takes a file off the list, and our part out of it. False if it was not on it.
///
/// # Errors
/// When it cannot be written.
pub fn unregister(ctx: &Ctx, path: &Path) -> Result<bool> {
    let mut files = registered(ctx)?;
    let before = files.len();
    files.retain(|file| file.path != path);
    if files.len() == before {
        return Ok(false);
    }
    save(ctx, &files)?;
    let path = place(path)?;
    let Some(text) = read_regular(&path)? else { return Ok(true) };
    let without = replaced(&text, "");
    if without.trim().is_empty() {
        fs::remove_file(&path).map_err(|error| EngineError::io("remove", &path, error))?;
    } else if without != text {
        put(ctx, &path, &without)?;
    }
    Ok(true)
}

/// Writes those files whose text has changed. Returns how many.
///
/// # Errors
/// When the store fails, or a file cannot be written; the others are written all
/// the same.
pub async fn refresh(ctx: &Ctx) -> Result<usize> {
    let mut files = registered(ctx)?;
    let mut changed = 0;
    let mut failure = None;
    for file in &mut files {
        let view = match &file.project {
            Some(project) => View::project(project.parse().map_err(EngineError::invalid)?),
            None => View::global(),
        };
        let body = unfenced(&ctx.at(view)?, ROOM).await?.unwrap_or_default();
        let hash = blake3::hash(body.as_bytes()).to_hex().to_string();
        if file.written == hash && file.path.exists() {
            continue;
        }
        let nonce = ctx.nonce()?;
        let ours = if body.is_empty() { String::new() } else { fence::wrap(&body, &nonce) };
        match write(ctx, &file.path, &ours) {
            Ok(()) => {
                file.written = hash;
                changed += 1;
            }
            Err(error) => failure = Some(error),
        }
    }
    if changed > 0 {
        save(ctx, &files)?;
    }
    failure.map_or(Ok(changed), Err)
}

fn write(ctx: &Ctx, path: &Path, ours: &str) -> Result<()> {
    let path = place(path)?;
    let text = read_regular(&path)?.unwrap_or_default();
    put(ctx, &path, &replaced(&text, &format!("{BEGIN}\n{ours}\n{END}\n")))
}

// Where the file lies. It stands in a folder that others may have filled, so a link in it must not lead out.
fn place(path: &Path) -> Result<PathBuf> {
    Ok(target(path, &[path.parent().unwrap_or(path)])?.path)
}

// The text with our part replaced; at the end if it has none.
fn replaced(text: &str, ours: &str) -> String {
    let begin = text.find(BEGIN);
    let end = begin.and_then(|begin| Some(begin + text[begin..].find(END)? + END.len()));
    match (begin, end) {
        (Some(begin), Some(end)) => {
            let rest = text[end..].strip_prefix('\n').unwrap_or(&text[end..]);
            format!("{}{ours}{rest}", &text[..begin])
        }
        _ if text.is_empty() || text.ends_with('\n') => format!("{text}{ours}"),
        _ => format!("{text}\n{ours}"),
    }
}

fn list_path(ctx: &Ctx) -> PathBuf {
    ctx.home().path.join("context-files").join(format!("{}.json", ctx.home().agent))
}

fn save(ctx: &Ctx, files: &[ContextFile]) -> Result<()> {
    let text = serde_json::to_string_pretty(files)
        .map_err(|source| EngineError::Encode { operation: "context-file", source })?;
    let path = list_path(ctx);
    if let Some(folder) = path.parent() {
        Home::private_folder(folder)?;
    }
    put(ctx, &path, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_part_is_replaced() {
        let ours = |text: &str| format!("{BEGIN}\n{text}\n{END}\n");
        assert_eq!(replaced("", &ours("a")), ours("a"));
        assert_eq!(replaced("# Mine", &ours("a")), format!("# Mine\n{}", ours("a")));
        let text = format!("before\n{}after\n", ours("a"));
        assert_eq!(replaced(&text, &ours("b")), format!("before\n{}after\n", ours("b")));
        assert_eq!(replaced(&text, ""), "before\nafter\n");
        assert_eq!(replaced(&format!("x {BEGIN} cut"), ""), format!("x {BEGIN} cut\n"));
    }
}
