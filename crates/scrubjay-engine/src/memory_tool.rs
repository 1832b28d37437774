//! Anthropic's memory tool: files under `/memories`, kept as memories.
//!
//! A file is a confirmed fact of the project at hand that carries its path, so it
//! is searched, exported, backed up, undone and kept apart from other projects
//! like everything else. Secrets are taken out of it, and the space around its
//! text; an empty file holds the word "(empty)".

use serde::Deserialize;
use serde_json::{Value, json};

use crate::ops;
use crate::{Ctx, EngineError, Result};

const ROOT: &str = "/memories";

/// The attribute that holds a file's path.
const PATH: &str = "memory_path";

const EMPTY: &str = "(empty)";

/// More files than this in one project are not looked through.
const FILES: usize = 1000;

/// A command, as a model gives it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Shows a file with its line numbers, or what is in a folder.
    View {
        /// The file or folder.
        path: String,
        /// The first and the last line.
        #[serde(default)]
        view_range: Option<[i64; 2]>,
    },
    /// Writes a file.
    Create {
        /// The file.
        path: String,
        /// Its text.
        file_text: String,
    },
    /// Replaces a text that occurs once.
    StrReplace {
        /// The file.
        path: String,
        /// What goes.
        old_str: String,
        /// What comes.
        #[serde(default)]
        new_str: String,
    },
    /// Inserts lines.
    Insert {
        /// The file.
        path: String,
        /// After this line; 0 is the beginning.
        insert_line: usize,
        /// What comes.
        insert_text: String,
    },
    /// Deletes a file or a folder; it can be restored.
    Delete {
        /// The file or folder.
        path: String,
    },
    /// Gives a file or folder another name.
    Rename {
        /// The name it has.
        old_path: String,
        /// The name it gets.
        new_path: String,
    },
}

struct File {
    id: String,
    path: String,
    text: String,
}

/// Runs a command and gives what the model is told.
///
/// # Errors
/// When the command makes no sense, or the store fails.
pub async fn run(ctx: &Ctx, command: Command) -> Result<String> {
    match command {
        Command::View { path, view_range } => view(ctx, &checked(&path)?, view_range).await,
        Command::Create { path, file_text } => create(ctx, &file_path(&path)?, &file_text).await,
        Command::StrReplace { path, old_str, new_str } => {
            let file = find(ctx, &file_path(&path)?).await?;
            match file.text.matches(old_str.as_str()).count() {
                1 if !old_str.is_empty() => write(ctx, &file, &file.text.replacen(&old_str, &new_str, 1)).await?,
                0 => return Err(EngineError::invalid(format!("old_str does not occur in {}", file.path))),
                count => {
                    let message = format!("old_str occurs {count} times in {}; make it longer", file.path);
                    return Err(EngineError::invalid(message));
                }
            }
            Ok(format!("The file {} has been edited.", file.path))
        }
        Command::Insert { path, insert_line, insert_text } => {
            let file = find(ctx, &file_path(&path)?).await?;
            let mut lines: Vec<&str> = file.text.lines().collect();
            if insert_line > lines.len() {
                let message = format!("insert_line is {insert_line}, but {} has {} lines", file.path, lines.len());
                return Err(EngineError::invalid(message));
            }
            lines.insert(insert_line, insert_text.trim_end_matches('\n'));
            write(ctx, &file, &lines.join("\n")).await?;
            Ok(format!("The file {} has been edited.", file.path))
        }
        Command::Delete { path } => delete(ctx, &file_path(&path)?).await,
        Command::Rename { old_path, new_path } => rename(ctx, &file_path(&old_path)?, &file_path(&new_path)?).await,
    }
}

async fn view(ctx: &Ctx, path: &str, range: Option<[i64; 2]>) -> Result<String> {
    let files = files(ctx).await?;
    if let Some(file) = files.iter().find(|file| file.path == path) {
        let lines: Vec<&str> = file.text.lines().collect();
        let count = i64::try_from(lines.len()).unwrap_or(i64::MAX);
        let [first, last] = range.unwrap_or([1, -1]);
        let last = if last == -1 { count } else { last.min(count) };
        if first < 1 || last < first {
            return Err(EngineError::invalid(format!("view_range does not fit; {path} has {count} lines")));
        }
        let shown = lines.iter().enumerate().map(|(at, line)| (at + 1, line));
        let within = |number: &usize| i64::try_from(*number).is_ok_and(|number| (first..=last).contains(&number));
        let shown: Vec<String> =
            shown.filter(|(number, _)| within(number)).map(|(number, line)| format!("{number:>6}\t{line}")).collect();
        return Ok(format!("Here is the content of {path} with line numbers:\n{}", shown.join("\n")));
    }
    let folder = format!("{}/", path.trim_end_matches('/'));
    let inside: Vec<&str> =
        files.iter().map(|file| file.path.as_str()).filter(|path| path.starts_with(&folder)).collect();
    if inside.is_empty() && path != ROOT {
        return Err(EngineError::not_found(format!("the path {path} does not exist")));
    }
    Ok(format!("Here are the files in {path}:\n{}", inside.join("\n")))
}

async fn create(ctx: &Ctx, path: &str, text: &str) -> Result<String> {
    let text = if text.trim().is_empty() { EMPTY } else { text };
    let files = files(ctx).await?;
    if let Some(file) = files.iter().find(|file| file.path == path) {
        write(ctx, file, text).await?;
        return Ok(format!("The file {path} has been overwritten."));
    }
    let below = format!("{path}/");
    if files.iter().any(|file| file.path.starts_with(&below) || path.starts_with(&format!("{}/", file.path))) {
        return Err(EngineError::invalid(format!("{path} is a folder, or lies in a file")));
    }
    // A key of its own keeps it from being merged into a file that says the same.
    let input = json!({"content": text, "type": "note", "attributes": {PATH: path}, "id": ctx.uuid()?.to_string()});
    let made = call(ctx, "remember", input).await?;
    // Files do not fade.
    call(ctx, "confirm", json!({"id": made["id"]})).await?;
    Ok(format!("The file {path} has been created."))
}

async fn delete(ctx: &Ctx, path: &str) -> Result<String> {
    let ids = at_or_below(ctx, path).await?.into_iter().map(|file| file.id).collect::<Vec<_>>();
    call(ctx, "forget", json!({"ids": ids})).await?;
    Ok(format!("{path} has been deleted."))
}

async fn rename(ctx: &Ctx, from: &str, to: &str) -> Result<String> {
    if files(ctx).await?.iter().any(|file| file.path == to || file.path.starts_with(&format!("{to}/"))) {
        return Err(EngineError::invalid(format!("{to} exists already")));
    }
    for file in at_or_below(ctx, from).await? {
        let path = format!("{to}{}", &file.path[from.len()..]);
        call(ctx, "edit", json!({"id": file.id, "attributes": {PATH: path}})).await?;
    }
    Ok(format!("{from} has been renamed to {to}."))
}

async fn write(ctx: &Ctx, file: &File, text: &str) -> Result<()> {
    let text = if text.trim().is_empty() { EMPTY } else { text };
    call(ctx, "edit", json!({"id": file.id, "content": text})).await.map(|_| ())
}

async fn find(ctx: &Ctx, path: &str) -> Result<File> {
    let found = files(ctx).await?.into_iter().find(|file| file.path == path);
    found.ok_or_else(|| EngineError::not_found(format!("the path {path} does not exist")))
}

async fn at_or_below(ctx: &Ctx, path: &str) -> Result<Vec<File>> {
    let below = format!("{path}/");
    let mut found = files(ctx).await?;
    found.retain(|file| file.path == path || file.path.starts_with(&below));
    if found.is_empty() {
        return Err(EngineError::not_found(format!("the path {path} does not exist")));
    }
    Ok(found)
}

// All files of the project at hand, by path.
async fn files(ctx: &Ctx) -> Result<Vec<File>> {
    let home = ctx.view().home().to_string();
    let input = json!({"where": {format!("attributes.{PATH}"): {"$gte": ROOT}, "scope": home}, "limit": FILES});
    let found = call(ctx, "list", input).await?;
    let file = |memory: &Value| {
        Some(File {
            id: memory["id"].as_str()?.to_owned(),
            path: memory["attributes"][PATH].as_str()?.to_owned(),
            text: memory["content"].as_str()?.to_owned(),
        })
    };
    let mut files: Vec<File> = found["memories"].as_array().into_iter().flatten().filter_map(file).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

async fn call(ctx: &Ctx, operation: &str, input: Value) -> Result<Value> {
    let entry = ops::find(operation);
    let entry = entry.ok_or_else(|| EngineError::defect(format!("there is no operation `{operation}`")))?;
    entry.call(ctx, input).await
}

// A path that stays beneath the root, in its plain form.
fn checked(path: &str) -> Result<String> {
    let plain = path.trim_end_matches('/');
    let rest = plain.strip_prefix(ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let fine = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && !part.contains(['\\', '%'])
            && !part.chars().any(char::is_control)
    };
    match rest {
        Some(rest) if plain.len() <= 512 && rest.split('/').skip(1).all(fine) => Ok(plain.to_owned()),
        _ => Err(EngineError::invalid(format!("a path begins with {ROOT} and stays beneath it"))),
    }
}

fn file_path(path: &str) -> Result<String> {
    let path = checked(path)?;
    if path == ROOT {
        return Err(EngineError::invalid(format!("{ROOT} itself cannot be changed")));
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_beneath_the_root() {
        for good in ["/memories", "/memories/", "/memories/a.md", "/memories/a/b c.txt", "/memories/ü"] {
            assert!(checked(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "/",
            "/etc/passwd",
            "memories/a",
            "/memoriesx",
            "/memories/../etc/passwd",
            "/memories/a/../../b",
            "/memories//a",
            "/memories/./a",
            "/memories/%2e%2e/a",
            "/memories/a\\..\\b",
            "/memories/a\nb",
        ] {
            assert!(checked(bad).is_err(), "{bad}");
        }
        assert!(file_path("/memories/").is_err());
    }
}
