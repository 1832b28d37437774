//! Running a program.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// The most that is read of what a program prints.
pub(super) const OUTPUT_BYTES: usize = 4 << 20;

/// The most that is kept of its messages.
const MESSAGE_BYTES: usize = 64 << 10;

/// How long to wait for the rest of the output once the program has ended: something that it started may hold on to it.
const LINGER: Duration = Duration::from_secs(1);

/// A program with everything that it is given.
pub(super) struct Started<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: &'a [String],
    pub(super) variables: &'a BTreeMap<String, String>,
    pub(super) folder: &'a Path,
    pub(super) input: &'a [u8],
}

/// What became of it.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) output: Vec<u8>,
    pub(super) messages: Vec<u8>,
}

/// Why it did not end by itself.
pub(super) enum Stopped {
    /// It could not be started.
    NotStarted(io::Error),
    /// It took too long.
    TimedOut,
    /// It printed more than anybody reads.
    TooMuch,
}

/// Runs a program to its end. If it takes too long, prints too much, or the future is dropped, the program and
/// everything that it started is killed.
pub(super) async fn run(started: &Started<'_>, timeout: Duration) -> Result<Ended, Stopped> {
    let mut command = Command::new(started.program);
    command.args(started.arguments).env_clear().envs(started.variables).current_dir(started.folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    // A group of its own, so that all of it can be ended at once, and no terminal's key reaches it.
    command.process_group(0);
    let mut child = command.spawn().map_err(Stopped::NotStarted)?;
    let group = Group::of(child.id());
    let mut input = child.stdin.take();
    let (output, messages) = (child.stdout.take(), child.stderr.take());
    let write = async {
        if let Some(mut input) = input.take() {
            // A program that does not read its input to the end says in its output what came of it.
            drop(input.write_all(started.input).await);
        }
    };
    let streams = async { tokio::try_join!(read(output), read_messages(messages)) };
    let ended = async {
        tokio::pin!(write, streams);
        let mut written = false;
        loop {
            tokio::select! {
                () = &mut write, if !written => written = true,
                streams = &mut streams => {
                    let (output, messages) = streams?;
                    let status = child.wait().await.map_err(Stopped::NotStarted)?;
                    return Ok(Ended { status, output, messages });
                }
                status = child.wait() => {
                    let status = status.map_err(Stopped::NotStarted)?;
                    // Something that it left behind may hold on to its output.
                    let streams = tokio::time::timeout(LINGER, &mut streams).await.map_err(|_| Stopped::TimedOut)?;
                    let (output, messages) = streams?;
                    return Ok(Ended { status, output, messages });
                }
            }
        }
    };
    let ended = tokio::time::timeout(timeout, ended).await.map_err(|_| Stopped::TimedOut)??;
    group.keep();
    Ok(ended)
}

/// The program in these folders.
pub(super) fn find(program: &Path, folders: &[PathBuf]) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.is_file().then(|| program.to_owned());
    }
    folders.iter().map(|folder| folder.join(program)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

// All of the output, unless that is too much.
async fn read(stream: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, Stopped> {
    let mut output = Vec::new();
    if let Some(stream) = stream {
        // What cannot be read is not there; the caller finds fault with what is missing.
        drop(stream.take(OUTPUT_BYTES as u64 + 1).read_to_end(&mut output).await);
    }
    if output.len() > OUTPUT_BYTES { Err(Stopped::TooMuch) } else { Ok(output) }
}

// The end of the messages, where the reason is. All of them are read, so that the program can go on.
async fn read_messages(stream: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, Stopped> {
    let mut kept = Vec::new();
    let Some(mut stream) = stream else { return Ok(kept) };
    let mut piece = vec![0; 16 << 10];
    while let Ok(read @ 1..) = stream.read(&mut piece).await {
        kept.extend_from_slice(&piece[..read]);
        let surplus = kept.len().saturating_sub(MESSAGE_BYTES);
        kept.drain(..surplus);
    }
    Ok(kept)
}

/// The processes of a call; killed when this value goes, unless they are to be kept.
struct Group(Option<Pid>);

impl Group {
    fn of(id: Option<u32>) -> Self {
        Self(id.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // Nothing of it may be left, which is as well.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
