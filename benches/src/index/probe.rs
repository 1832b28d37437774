//! A fresh process: what it takes until the first answer, and how much memory it has afterwards.
//!
//! The bench starts itself again with the name of a side and a folder. The new process opens the side, answers one
//! question by words and by vector, says so, answers the other questions, and says what memory it holds.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::baseline::Baseline;
use super::contender::{Among, Contender};
use super::corpus::{DIMS, Question};
use super::ours::Ours;
use crate::measure::{Taken, medians, on_this_thread, process_cpu_time};

/// The first argument of the fresh process.
pub(crate) const ARGUMENT: &str = "fresh-process";

const WORDS: &str = "questions.txt";
const VECTORS: &str = "questions.f32";
const TIMES: usize = 9;
const TIMES_FROM_DISK: usize = 5;

/// The names of the sides.
pub(super) const OURS: &str = "ours";
pub(super) const BASELINE: &str = "baseline";

/// What fresh processes took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fresh {
    /// To the first answer, the files being in the memory of the system.
    pub(super) from_memory: Taken,
    /// The same when they have to be read; none where the system cannot be told to forget them.
    pub(super) from_disk: Option<Taken>,
    /// After all questions; none where the system does not say.
    pub(super) resident: Option<Resident>,
}

/// The memory of a process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resident {
    pub(super) private_bytes: u64,
    /// Pages of files, which the system can take back.
    pub(super) mapped_bytes: u64,
}

/// Puts the questions where the fresh processes find them.
pub(super) fn write_questions(folder: &Path, questions: &[Question]) -> anyhow::Result<()> {
    let words: String = questions.iter().map(|question| format!("{}\n", question.words)).collect();
    let vectors: Vec<u8> =
        questions.iter().flat_map(|question| &question.vector).flat_map(|value| value.to_le_bytes()).collect();
    fs::write(folder.join(WORDS), words)?;
    Ok(fs::write(folder.join(VECTORS), vectors)?)
}

/// Starts fresh processes of a side. Nobody may have its files open.
pub(super) fn measure(side: &str, folder: &Path) -> anyhow::Result<Fresh> {
    let (mut from_memory, mut from_disk, mut resident) = (Vec::new(), Vec::new(), None);
    start(side, folder)?;
    for _ in 0..TIMES {
        let (taken, memory) = start(side, folder)?;
        from_memory.push(taken);
        resident = memory;
    }
    for _ in 0..TIMES_FROM_DISK {
        if forget_files(folder)? {
            from_disk.push(start(side, folder)?.0);
        }
    }
    let from_disk = (!from_disk.is_empty()).then(|| medians(&from_disk));
    Ok(Fresh { from_memory: medians(&from_memory), from_disk, resident })
}

fn start(side: &str, folder: &Path) -> anyhow::Result<(Taken, Option<Resident>)> {
    let program = std::env::current_exe()?;
    let ((mut child, mut lines, first), taken) = on_this_thread(|| {
        let mut child = Command::new(program).arg(ARGUMENT).arg(side).arg(folder).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().ok_or_else(|| anyhow::anyhow!("the process has no output"))?;
        let mut lines = BufReader::new(output).lines();
        let first = lines.next().transpose()?.unwrap_or_default();
        Ok((child, lines, first))
    })?;
    let second = lines.next().transpose()?.unwrap_or_default();
    anyhow::ensure!(child.wait()?.success(), "the fresh process failed");
    let cpu = Duration::from_nanos(first.parse()?);
    let resident = second.split_once(' ').map(|(private, mapped)| -> anyhow::Result<Resident> {
        Ok(Resident { private_bytes: private.parse()?, mapped_bytes: mapped.parse()? })
    });
    Ok((Taken { wall: taken.wall, cpu }, resident.transpose()?))
}

/// What the fresh process does: its arguments are the side and the folder.
pub(crate) fn answer(arguments: &[String]) -> anyhow::Result<()> {
    let [side, folder] = arguments else { anyhow::bail!("a fresh process takes a side and a folder") };
    let folder = Path::new(folder);
    let words = fs::read_to_string(folder.join(WORDS))?;
    let vectors: Vec<f32> =
        fs::read(folder.join(VECTORS))?.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let side: Box<dyn Contender> = match side.as_str() {
        OURS => Box::new(Ours::open(folder)?),
        BASELINE => Box::new(Baseline::open(folder)?),
        other => anyhow::bail!("there is no side `{other}`"),
    };
    let mut output = std::io::stdout().lock();
    for (number, (words, vector)) in words.lines().zip(vectors.chunks_exact(DIMS)).enumerate() {
        let found = side.by_words(words, Among::All)?.len() + side.by_vector(vector, Among::All)?.len();
        anyhow::ensure!(found > 0, "nothing was found");
        if number == 0 {
            writeln!(output, "{}", process_cpu_time().as_nanos())?;
            output.flush()?;
        }
    }
    let resident =
        resident().map_or_else(String::new, |memory| format!("{} {}", memory.private_bytes, memory.mapped_bytes));
    Ok(writeln!(output, "{resident}")?)
}

/// The memory of this process, where the system tells.
fn resident() -> Option<Resident> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let bytes = |name: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_ascii_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
    };
    Some(Resident { private_bytes: bytes("RssAnon:")?, mapped_bytes: bytes("RssFile:")? })
}

/// Asks the system to drop what it has of the files of a folder, and tells whether that can be asked for.
#[cfg(target_os = "linux")]
fn forget_files(folder: &Path) -> anyhow::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            forget_files(&entry.path())?;
        } else {
            let file = fs::File::open(entry.path())?;
            file.sync_all()?;
            rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
        }
    }
    Ok(true)
}

#[cfg(not(target_os = "linux"))]
fn forget_files(_folder: &Path) -> anyhow::Result<bool> {
    Ok(false)
}
