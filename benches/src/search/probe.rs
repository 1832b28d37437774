//! A fresh process: what it takes until the first answer, and how much memory it has afterwards.
//!
//! The bench starts itself again with the name of a side and a folder. The new process opens the side, answers one
//! question by words and vector, says so, answers the other questions, and says what memory it holds.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::baseline::Baseline;
use super::contender::{Among, Contender};
use super::corpus::{DIMS, Question};
use super::ours::Ours;
use super::product::Product;
use super::vectors::CorpusVectors;
use crate::measure::{Taken, medians, on_this_thread, percentiles, process_cpu_time};

/// The first argument of the fresh process.
pub(crate) const ARGUMENT: &str = "fresh-process";

const WORDS: &str = "questions.txt";
const VECTORS: &str = "questions.f32";
const TIMES: usize = 9;
const TIMES_FROM_DISK: usize = 5;

/// The names of the sides.
pub(super) const OURS: &str = "ours";
pub(super) const BASELINE: &str = "baseline";
pub(super) const RECALL: &str = "recall";
pub(super) const INJECT: &str = "inject";

/// What fresh processes took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fresh {
    /// To the first answer, the files being in the memory of the system.
    pub(super) from_memory: Taken,
    /// The longest of these.
    pub(super) late: Taken,
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
    Ok(Fresh { from_memory: medians(&from_memory), late: percentiles(&from_memory, 100), from_disk, resident })
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
    let questions: Vec<Question> = words
        .lines()
        .zip(vectors.chunks_exact(DIMS))
        .map(|(words, vector)| Question {
            words: words.to_owned(),
            telling_words: String::new(),
            vector: vector.to_vec(),
        })
        .collect();
    let answers = side_named(side, folder, &questions)?;
    let mut output = std::io::stdout().lock();
    for (number, question) in questions.iter().enumerate() {
        answers(question)?;
        if number == 0 {
            writeln!(output, "{}", process_cpu_time().as_nanos())?;
            output.flush()?;
        }
    }
    let resident =
        resident().map_or_else(String::new, |memory| format!("{} {}", memory.private_bytes, memory.mapped_bytes));
    Ok(writeln!(output, "{resident}")?)
}

/// A side that is open, and answers a question.
type Answers = Box<dyn Fn(&Question) -> anyhow::Result<()>>;

fn side_named(name: &str, folder: &Path, questions: &[Question]) -> anyhow::Result<Answers> {
    let contender = |side: Box<dyn Contender>| -> Answers {
        Box::new(move |question| {
            let found = side.by_both(&question.words, &question.vector, Among::All)?;
            anyhow::ensure!(!found.is_empty(), "nothing was found");
            Ok(())
        })
    };
    let product = || Product::open(folder, CorpusVectors::new(None, questions), "auto");
    Ok(match name {
        OURS => contender(Box::new(Ours::open(folder)?)),
        BASELINE => contender(Box::new(Baseline::open(folder)?)),
        RECALL => {
            let product = product()?;
            Box::new(move |question| product.recall(question, Among::All).map(drop))
        }
        INJECT => {
            let (product, session) = (product()?, format!("fresh-{}", std::process::id()));
            Box::new(move |question| product.inject(question, &session).map(drop))
        }
        other => anyhow::bail!("there is no side `{other}`"),
    })
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
