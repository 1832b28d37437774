//! Transcripts that their program compressed once they were old: `name.jsonl.zst`.
//!
//! Such a file is finished. It is unpacked into a file without a name, which goes away with its handle, and read like
//! any other; memory stays bounded. One that holds far more than its size lets expect was made to fill a disk, and is
//! refused before anything of it is read: see [`TooMuch`].

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};

/// The most that a file may unpack to.
pub const UNPACKED_BYTES: u64 = 4 << 30;

/// The most bytes that one compressed byte may stand for. Conversations have about ten to thirty.
pub const RATIO: u64 = 200;

/// What a file may unpack to however small it is.
const SMALL_BYTES: u64 = 1 << 20;

/// The most lines of a file.
pub const UNPACKED_LINES: u64 = 500_000;

/// The lines that a file may have however small it is, beside one for every two of its bytes.
const SMALL_LINES: u64 = 1000;

/// The most frames that a file may consist of.
pub const FRAMES: u64 = 10_000;

/// How every frame begins.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Why a compressed transcript is not read. Its message is a sentence for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooMuch {
    /// It holds more than any transcript.
    #[error("it unpacks to more than {limit} bytes")]
    Bytes {
        /// How many are allowed.
        limit: u64,
    },
    /// It holds far more than its size lets expect.
    #[error("it unpacks to more than {limit} bytes, {RATIO} times its size")]
    Ratio {
        /// How many are allowed.
        limit: u64,
    },
    /// It has far more lines than its size lets expect.
    #[error("it unpacks to more than {limit} lines")]
    Lines {
        /// How many are allowed.
        limit: u64,
    },
    /// It is in too many parts.
    #[error("it consists of more than {FRAMES} frames")]
    Frames,
    /// What it holds is compressed once more.
    #[error("it is compressed more than once")]
    Depth,
}

impl TooMuch {
    /// Its name, for counting and for machines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes { .. } => "unpacks-too-large",
            Self::Ratio { .. } => "unpacks-too-far",
            Self::Lines { .. } => "unpacks-to-too-many-lines",
            Self::Frames => "too-many-frames",
            Self::Depth => "packed-twice",
        }
    }

    /// The one that made reading fail, if one did.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref::<Self>().copied()
    }
}

impl From<TooMuch> for io::Error {
    fn from(why: TooMuch) -> Self {
        Self::new(io::ErrorKind::FileTooLarge, why)
    }
}

/// Whether a file is a compressed transcript, by its name.
#[must_use]
pub fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// Whether a file is a transcript, compressed or not, by its name.
#[must_use]
pub fn is_transcript(path: &Path) -> bool {
    plain(path).extension().is_some_and(|extension| extension == "jsonl")
}

/// The name that a compressed transcript had before; the name itself of any other.
#[must_use]
pub fn plain(path: &Path) -> PathBuf {
    if is_packed(path) { path.with_extension("") } else { path.to_owned() }
}

/// What a compressed file holds, in a file without a name.
///
/// # Errors
/// When it cannot be read, is not what its name says, or holds too much.
pub fn unpack(packed: File) -> io::Result<File> {
    let size_bytes = packed.metadata()?.len();
    let mut packed = BufReader::new(packed);
    let mut unpacked = Unpacked::of_size(size_bytes)?;
    let mut frames = 0;
    // A file is one frame or several, with frames for programs' own notes between them.
    while packed.stream_position()? < size_bytes {
        frames += 1;
        if frames > FRAMES {
            return Err(TooMuch::Frames.into());
        }
        let mut frame = match StreamingDecoder::new(&mut packed) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                packed.seek_relative(i64::from(length))?;
                continue;
            }
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error.to_string())),
        };
        io::copy(&mut frame, &mut unpacked)?;
    }
    let mut file = unpacked.file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.flush()?;
    file.seek(SeekFrom::Start(0))?;
    let mut begins = [0; MAGIC.len()];
    if unpacked.bytes >= MAGIC.len() as u64 {
        file.read_exact(&mut begins)?;
        file.seek(SeekFrom::Start(0))?;
    }
    if begins == MAGIC { Err(TooMuch::Depth.into()) } else { Ok(file) }
}

/// What was unpacked so far. Writing more than is allowed fails.
struct Unpacked {
    file: BufWriter<File>,
    bytes: u64,
    lines: u64,
    most_bytes: u64,
    most_lines: u64,
}

impl Unpacked {
    fn of_size(size_bytes: u64) -> io::Result<Self> {
        Ok(Self {
            file: BufWriter::new(tempfile::tempfile()?),
            bytes: 0,
            lines: 0,
            most_bytes: size_bytes.saturating_mul(RATIO).clamp(SMALL_BYTES, UNPACKED_BYTES),
            most_lines: (SMALL_LINES + size_bytes / 2).min(UNPACKED_LINES),
        })
    }
}

impl Write for Unpacked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        if self.bytes > self.most_bytes {
            let limit = self.most_bytes;
            let is_whole = limit == UNPACKED_BYTES;
            return Err(if is_whole { TooMuch::Bytes { limit } } else { TooMuch::Ratio { limit } }.into());
        }
        if self.lines > self.most_lines {
            return Err(TooMuch::Lines { limit: self.most_lines }.into());
        }
        self.file.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        file
    }

    fn packed(text: &str) -> Vec<u8> {
        compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
    }

    #[test]
    fn frames_and_what_stands_between_them() {
        let note = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let bytes = [packed("{\"a\":1}\n"), note, packed("{\"b\":2}\n")].concat();
        let mut text = String::new();
        unpack(file(&bytes)).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "{\"a\":1}\n{\"b\":2}\n");
    }

    #[test]
    fn what_cannot_be_unpacked_is_an_error() {
        assert!(unpack(file(b"{\"role\":\"user\"}\n")).is_err());
        let whole = packed(&"a line that repeats\n".repeat(50));
        for length in 1..whole.len() {
            assert!(unpack(file(&whole[..length])).is_err(), "cut after {length} bytes");
        }
        assert!(unpack(file(b"")).is_ok(), "nothing in it");
    }

    #[test]
    fn what_was_made_to_fill_a_disk_is_refused() {
        let refused = |bytes: &[u8]| TooMuch::of(&unpack(file(bytes)).unwrap_err()).map(TooMuch::name);
        let long = packed(&"x".repeat(8 << 20));
        assert!(long.len() < 4096, "{} bytes", long.len());
        assert_eq!(refused(&long), Some("unpacks-too-far"));
        let lines = packed(&"{}\n".repeat(100_000));
        assert_eq!(refused(&lines), Some("unpacks-to-too-many-lines"));
        let twice = compress_to_vec(&packed("{\"a\":1}\n")[..], CompressionLevel::Fastest);
        assert_eq!(refused(&twice), Some("packed-twice"));
        let frames = [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0].repeat(20_000);
        assert_eq!(refused(&frames), Some("too-many-frames"));
    }

    #[test]
    fn a_conversation_that_repeats_itself_is_read() {
        let line = |number: u32| {
            format!("{{\"uuid\":\"{:x}\",\"text\":\"the tests pass again\"}}\n", number.wrapping_mul(2_654_435_761))
        };
        let text: String = (0..50_000).map(line).collect();
        let mut read = String::new();
        unpack(file(&packed(&text))).unwrap().read_to_string(&mut read).unwrap();
        assert_eq!(read.len(), text.len());
    }

    #[test]
    fn names() {
        assert!(is_transcript(Path::new("a.jsonl")) && is_transcript(Path::new("a.jsonl.zst")));
        assert!(!is_transcript(Path::new("a.zst")) && !is_transcript(Path::new("a.json.zst")));
        assert_eq!(plain(Path::new("x/a.jsonl.zst")), Path::new("x/a.jsonl"));
        assert_eq!(plain(Path::new("x/a.jsonl")), Path::new("x/a.jsonl"));
    }
}
