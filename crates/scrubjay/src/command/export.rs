//! `export`: all pages of the operation, joined, to standard output or a file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use scrubjay_core::count::counted;
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::Ctx;
use scrubjay_engine::ops::{self, Entry, Export, ExportInput};
use serde_json::{Value, json};

use super::progress::Progress;
use crate::derive::{argument, collect, fields};
use crate::failure::Failure;
use crate::invocation::{Invocation, block_on};
use crate::output::safe;

/// Adds its arguments: those of the operation, and where to write.
pub(crate) fn arguments(command: Command, schema: &Value) -> Command {
    let output = Arg::new("output").long("output").short('o').value_name("FILE").value_parser(value_parser!(PathBuf));
    command
        .args(fields(schema).iter().filter_map(argument))
        .arg(output.help("Write to this file instead of standard output"))
        .arg(Arg::new("force").long("force").action(ArgAction::SetTrue).help("Replace the file if it exists"))
}

/// Writes the export.
pub(crate) fn run(invocation: &mut Invocation<'_>, entry: &Entry, matches: &ArgMatches) -> Result<u8, Failure> {
    let input = collect(&fields(entry.input_schema()), matches, invocation.console)?;
    let input: ExportInput =
        serde_json::from_value(Value::Object(input)).map_err(|error| Failure::invalid(error.to_string()))?;
    let file = matches.get_one::<PathBuf>("output").filter(|path| path.as_os_str() != "-");
    let ctx = invocation.context()?;
    match file {
        None => block_on(to_output(invocation, &ctx, input)),
        Some(path) => block_on(to_file(invocation, &ctx, input, path, matches.get_flag("force"))),
    }
}

async fn to_output(invocation: &mut Invocation<'_>, ctx: &Ctx, mut input: ExportInput) -> Result<u8, Failure> {
    let is_terminal = invocation.console.facts.output_is_terminal;
    let is_markdown = input.format.as_deref() == Some("markdown");
    loop {
        let page = ops::run::<Export>(ctx, input.clone()).await?;
        for line in &page.lines {
            let line = match (is_terminal, is_markdown) {
                (false, _) => line.clone(),
                (true, true) => safe::text(line),
                (true, false) => safe::escaped_json(line),
            };
            invocation.console.data(&line)?;
            invocation.console.data("\n")?;
        }
        match page.next {
            Some(next) => input.cursor = Some(next),
            None => return Ok(0),
        }
    }
}

async fn to_file(
    invocation: &mut Invocation<'_>,
    ctx: &Ctx,
    mut input: ExportInput,
    path: &Path,
    replace: bool,
) -> Result<u8, Failure> {
    if !replace && fs::symlink_metadata(path).is_ok() {
        return Err(exists(path));
    }
    let mut file = NewFile::beside(path, &ctx.uuid()?.to_string())?;
    let progress = Progress::of_lines(invocation, "exporting");
    let mut lines = 0;
    loop {
        let page = ops::run::<Export>(ctx, input.clone()).await?;
        for line in &page.lines {
            file.line(line)?;
        }
        lines += page.lines.len();
        progress.at(lines as u64);
        match page.next {
            Some(next) => input.cursor = Some(next),
            None => break,
        }
    }
    file.publish(replace)?;
    drop(progress);
    if invocation.json() {
        invocation.console.json(&json!({"path": path, "lines": lines}))?;
    } else {
        invocation.console.data(&format!(
            "{} written to {}\n",
            counted(lines as u64, "line", "lines"),
            safe::text(&path.to_string_lossy())
        ))?;
    }
    Ok(0)
}

fn exists(path: &Path) -> Failure {
    let message = format!("{} exists already; --force replaces it", path.display());
    Failure::plain(ErrorCode::Refused, message)
}

/// A file that gets its name only when it is complete and on disk. Private to
/// the user, like all that holds memories.
struct NewFile {
    temporary: PathBuf,
    path: PathBuf,
    writer: BufWriter<File>,
    published: bool,
}

impl NewFile {
    fn beside(path: &Path, unique: &str) -> Result<Self, Failure> {
        let Some(name) = path.file_name() else {
            return Err(Failure::invalid(format!("{} does not name a file", path.display())));
        };
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{unique}.part"));
        let temporary = path.with_file_name(temporary);
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary);
        let file = opened.map_err(|error| Failure::io(&format!("create a file beside {}", path.display()), error))?;
        Ok(Self {
            temporary,
            path: path.to_owned(),
            writer: BufWriter::with_capacity(64 << 10, file),
            published: false,
        })
    }

    fn line(&mut self, line: &str) -> Result<(), Failure> {
        let written = self.writer.write_all(line.as_bytes()).and_then(|()| self.writer.write_all(b"\n"));
        written.map_err(|error| self.failed(error))
    }

    fn publish(mut self, replace: bool) -> Result<(), Failure> {
        let synced = self.writer.flush().and_then(|()| self.writer.get_ref().sync_all());
        synced.map_err(|error| self.failed(error))?;
        let flags = if replace { RenameFlags::empty() } else { RenameFlags::NOREPLACE };
        match renameat_with(CWD, &self.temporary, CWD, &self.path, flags) {
            Ok(()) => {}
            Err(rustix::io::Errno::EXIST) => return Err(exists(&self.path)),
            Err(error) => return Err(self.failed(error.into())),
        }
        self.published = true;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // The new name is durable when its folder is.
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> Failure {
        Failure::io(&format!("write {}", self.path.display()), error)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.published {
            // It is incomplete and carries a name that only we know.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
