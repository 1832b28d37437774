//! Transcripts that their program compressed once they were old: `name.jsonl.zst`.
//!
//! Such a file is finished. It is unpacked into a file without a name, which goes away with its handle, and read like
//! any other; memory stays bounded, and a file that would unpack to more than [`UNPACKED_BYTES`] is refused.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};

/// The most that a file may unpack to.
pub const UNPACKED_BYTES: u64 = 4 << 30;

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
    unpack_up_to(packed, UNPACKED_BYTES)
}

fn unpack_up_to(packed: File, most_bytes: u64) -> io::Result<File> {
    let size_bytes = packed.metadata()?.len();
    let mut packed = BufReader::new(packed);
    let mut unpacked = BufWriter::new(tempfile::tempfile()?);
    let mut left = most_bytes;
    // A file is one frame or several, with frames for programs' own notes between them.
    while packed.stream_position()? < size_bytes {
        let mut frame = match StreamingDecoder::new(&mut packed) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                packed.seek_relative(i64::from(length))?;
                continue;
            }
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error.to_string())),
        };
        let copied = io::copy(&mut Read::by_ref(&mut frame).take(left + 1), &mut unpacked)?;
        left = left.checked_sub(copied).ok_or_else(|| {
            let why = format!("it unpacks to more than {most_bytes} bytes");
            io::Error::new(io::ErrorKind::FileTooLarge, why)
        })?;
    }
    let mut file = unpacked.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.flush()?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
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
        assert_eq!(unpack_up_to(file(&whole), 100).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(unpack(file(b"")).is_ok(), "nothing in it");
    }

    #[test]
    fn names() {
        assert!(is_transcript(Path::new("a.jsonl")) && is_transcript(Path::new("a.jsonl.zst")));
        assert!(!is_transcript(Path::new("a.zst")) && !is_transcript(Path::new("a.json.zst")));
        assert_eq!(plain(Path::new("x/a.jsonl.zst")), Path::new("x/a.jsonl"));
        assert_eq!(plain(Path::new("x/a.jsonl")), Path::new("x/a.jsonl"));
    }
}
