//! Reads the lines of a file that grows, from where it was left.
//!
//! A [`Cursor`] is what the caller keeps between two times: how far it got, and fingerprints of the file's beginning
//! and of the bytes right before that place. If both still fit, reading goes on there, whatever the file is called
//! now and whichever disk it is on; if the file got shorter or they do not fit, it is another file in the same place
//! and reading begins anew. A last line without an end is still being written and is left for the next time.
//!
//! A line is never given twice for the same bytes as long as the caller keeps the cursor together with what it made
//! of the lines. Memory is bounded by the longest line allowed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::packed;

/// The longest line that is given out.
pub const LINE_BYTES: usize = 64 * 1024 * 1024;
/// How much of the beginning, and of what was read last, is remembered by its hash.
const FINGERPRINT_BYTES: u64 = 1024;
const READ_BYTES: usize = 64 * 1024;

/// Where reading stopped, and how to know the file again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    /// How many bytes are done.
    pub offset: u64,
    /// The file itself, to find it again under another name.
    pub identity: Identity,
    /// A hash of the first bytes: as many as were done, at most 1,024.
    pub head_hash: u64,
    /// A hash of the last bytes that were done, at most 1,024.
    pub tail_hash: u64,
}

/// Which file it is, whatever its name. Zeros where the system does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Identity {
    /// The device.
    pub device: u64,
    /// The number on it.
    pub inode: u64,
}

/// How reading began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// There was no cursor.
    New,
    /// From the cursor.
    Continued,
    /// From the cursor, in another file with the same content: it was copied or restored.
    Moved,
    /// From the beginning: the file is shorter than it was.
    Truncated,
    /// From the beginning: another file stands in its place.
    Replaced,
}

/// A line as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawLine<'a> {
    /// A line that is not blank, without its end.
    Whole {
        /// Where it begins.
        offset: u64,
        /// What it holds.
        bytes: &'a [u8],
    },
    /// A line longer than allowed. It is passed over.
    TooLong {
        /// Where it begins.
        offset: u64,
        /// How long it is.
        size_bytes: u64,
    },
}

/// Goes through the lines of a file.
#[derive(Debug)]
pub struct LineReader<R> {
    source: R,
    identity: Identity,
    start: Start,
    limit_bytes: usize,
    /// Where the next line begins in the file.
    offset: u64,
    /// What was read ahead, from the next line on.
    buffer: Vec<u8>,
    /// Where the next line begins in the buffer.
    from: usize,
}

/// Opens a file where the cursor left it, or at its beginning. In a compressed one, places are those of its text.
///
/// # Errors
/// When it is no file, or cannot be read.
pub fn open(path: &Path, cursor: Option<&Cursor>) -> io::Result<LineReader<File>> {
    // Asked before opening, because opening a pipe waits for its writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let file = File::open(path)?;
    let identity = identity(&file.metadata()?);
    let file = if packed::is_packed(path) { packed::unpack(file)? } else { file };
    LineReader::new(file, identity, cursor, LINE_BYTES)
}

/// Which file it is.
#[must_use]
pub fn identity(metadata: &std::fs::Metadata) -> Identity {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Identity { device: metadata.dev(), inode: metadata.ino() }
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        Identity::default()
    }
}

impl<R: Read + Seek> LineReader<R> {
    /// Begins to read where the cursor left off, if it fits.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn new(mut source: R, identity: Identity, cursor: Option<&Cursor>, limit_bytes: usize) -> io::Result<Self> {
        let start = match cursor {
            None => Start::New,
            Some(cursor) if source.seek(SeekFrom::End(0))? < cursor.offset => Start::Truncated,
            Some(cursor) if fingerprints(&mut source, cursor.offset)? != (cursor.head_hash, cursor.tail_hash) => {
                Start::Replaced
            }
            Some(cursor) if cursor.identity != identity => Start::Moved,
            Some(_) => Start::Continued,
        };
        let offset = match (start, cursor) {
            (Start::Continued | Start::Moved, Some(cursor)) => cursor.offset,
            _ => 0,
        };
        source.seek(SeekFrom::Start(offset))?;
        Ok(Self { source, identity, start, limit_bytes, offset, buffer: Vec::new(), from: 0 })
    }

    /// How reading began.
    pub fn start(&self) -> Start {
        self.start
    }

    /// The next complete line that is not blank, or nothing when there is none yet. The last one is complete without an
    /// end, too, if it is a whole JSON object, which cannot be the beginning of a longer one: the last line of a finished
    /// file may never get its end.
    ///
    /// # Errors
    /// When the source cannot be read. What was given out before stays done.
    pub fn next_line(&mut self) -> io::Result<Option<RawLine<'_>>> {
        let mut scanned = self.from;
        loop {
            let found = self.buffer[scanned..].iter().position(|&byte| byte == b'\n');
            if let Some(at) = found {
                let (begin, end) = (self.from, scanned + at);
                let offset = self.offset;
                self.from = end + 1;
                self.offset += (end + 1 - begin) as u64;
                scanned = self.from;
                if end - begin > self.limit_bytes {
                    return Ok(Some(RawLine::TooLong { offset, size_bytes: (end - begin) as u64 }));
                }
                if self.buffer[begin..end].trim_ascii().is_empty() {
                    continue;
                }
                return Ok(Some(RawLine::Whole { offset, bytes: without_return(&self.buffer[begin..end]) }));
            }
            if self.buffer.len() - self.from > self.limit_bytes {
                return self.pass_over();
            }
            self.buffer.drain(..self.from);
            self.from = 0;
            scanned = self.buffer.len();
            if self.read_more()? == 0 {
                return Ok(self.take_unterminated());
            }
        }
    }

    fn take_unterminated(&mut self) -> Option<RawLine<'_>> {
        let last = self.buffer[self.from..].trim_ascii();
        if !serde_json::from_slice::<serde_json::Value>(last).is_ok_and(|value| value.is_object()) {
            return None;
        }
        let (begin, offset) = (self.from, self.offset);
        self.from = self.buffer.len();
        self.offset += (self.from - begin) as u64;
        Some(RawLine::Whole { offset, bytes: without_return(&self.buffer[begin..]) })
    }

    /// Where to go on next time: behind the last line that was given out.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn cursor(&mut self) -> io::Result<Cursor> {
        let ahead = self.source.stream_position()?;
        let (head_hash, tail_hash) = fingerprints(&mut self.source, self.offset)?;
        self.source.seek(SeekFrom::Start(ahead))?;
        Ok(Cursor { offset: self.offset, identity: self.identity, head_hash, tail_hash })
    }

    /// Passes over the rest of a line that is too long. If it has no end yet, it is left for the next time.
    fn pass_over(&mut self) -> io::Result<Option<RawLine<'_>>> {
        let offset = self.offset;
        let mut size_bytes = (self.buffer.len() - self.from) as u64;
        self.buffer.clear();
        self.from = 0;
        while self.read_more()? > 0 {
            if let Some(at) = self.buffer.iter().position(|&byte| byte == b'\n') {
                size_bytes += at as u64;
                self.from = at + 1;
                self.offset += size_bytes + 1;
                return Ok(Some(RawLine::TooLong { offset, size_bytes }));
            }
            size_bytes += self.buffer.len() as u64;
            self.buffer.clear();
        }
        // Read ahead from the line's beginning again, should the caller go on.
        self.source.seek(SeekFrom::Start(offset))?;
        Ok(None)
    }

    fn read_more(&mut self) -> io::Result<usize> {
        let length = self.buffer.len();
        self.buffer.resize(length + READ_BYTES, 0);
        let result = loop {
            match self.source.read(&mut self.buffer[length..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.buffer.truncate(length + *result.as_ref().unwrap_or(&0));
        result
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Hashes of the first and the last bytes before `offset`.
fn fingerprints<R: Read + Seek>(source: &mut R, offset: u64) -> io::Result<(u64, u64)> {
    let length = offset.min(FINGERPRINT_BYTES);
    let mut hash_from = |at: u64| -> io::Result<u64> {
        source.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        Read::by_ref(source).take(length).read_to_end(&mut bytes)?;
        Ok(xxh3_64(&bytes))
    };
    Ok((hash_from(0)?, hash_from(offset - length)?))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor as Memory;

    use proptest::prelude::*;

    use super::*;

    /// All complete lines from the cursor on, how reading began, and where it stopped.
    fn read(content: &[u8], cursor: Option<&Cursor>, limit: usize) -> (Vec<Vec<u8>>, Start, Cursor) {
        let mut reader = LineReader::new(Memory::new(content), Identity::default(), cursor, limit).unwrap();
        let mut lines = Vec::new();
        while let Some(line) = reader.next_line().unwrap() {
            match line {
                RawLine::Whole { offset, bytes } => {
                    let at = usize::try_from(offset).unwrap();
                    assert_eq!(&content[at..at + bytes.len()], bytes);
                    lines.push(bytes.to_vec());
                }
                RawLine::TooLong { size_bytes, .. } => lines.push(format!("{size_bytes} bytes").into_bytes()),
            }
        }
        (lines, reader.start(), reader.cursor().unwrap())
    }

    #[test]
    fn a_torn_line_is_left_for_the_next_time() {
        let (lines, start, cursor) = read(b"one\r\n\n \ntwo\nthr", None, 100);
        assert_eq!((lines, start, cursor.offset), (vec![b"one".to_vec(), b"two".to_vec()], Start::New, 12));
        let (lines, start, cursor) = read(b"one\r\n\n \ntwo\nthree\n", Some(&cursor), 100);
        assert_eq!((lines, start, cursor.offset), (vec![b"three".to_vec()], Start::Continued, 18));
    }

    #[test]
    fn a_file_that_was_cut_or_replaced_is_read_anew() {
        let (_, _, cursor) = read(b"one\ntwo\n", None, 100);
        for (content, expected) in [
            (&b"one\n"[..], Start::Truncated),
            (b"ONE\ntwo\nthree\n", Start::Replaced),
            (b"one\nTWO\nthree\n", Start::Replaced),
        ] {
            let (lines, start, _) = read(content, Some(&cursor), 100);
            assert_eq!((lines[0].to_ascii_lowercase().as_slice(), start), (&b"one"[..], expected));
        }
        let moved = Cursor { identity: Identity { device: 1, inode: 2 }, ..cursor };
        let (lines, start, _) = read(b"one\ntwo\nthree\n", Some(&moved), 100);
        assert_eq!((lines, start), (vec![b"three".to_vec()], Start::Moved));
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_once_it_ends() {
        let long = "x".repeat(200_000);
        let content = format!("one\n{long}\ntwo\n");
        let (lines, _, _) = read(content.as_bytes(), None, 1000);
        assert_eq!(lines, [b"one".to_vec(), b"200000 bytes".to_vec(), b"two".to_vec()]);
        let (lines, _, cursor) = read(&content.as_bytes()[..150_000], None, 1000);
        assert_eq!((lines, cursor.offset), (vec![b"one".to_vec()], 4));
    }

    #[test]
    fn a_finished_file_may_lack_its_last_line_end() {
        for (content, expected) in [
            ("{\"a\":1}\n{\"b\":2}", &["{\"a\":1}", "{\"b\":2}"][..]),
            ("{\"a\":1}\n{\"b\":", &["{\"a\":1}"]),
            ("{}\n", &["{}"]),
        ] {
            let (lines, _, cursor) = read(content.as_bytes(), None, 100);
            assert_eq!(lines.iter().map(|line| str::from_utf8(line).unwrap()).collect::<Vec<_>>(), expected);
            let (lines, start, _) = read(format!("{content}\n{{}}\n").as_bytes(), Some(&cursor), 100);
            assert_eq!(start, Start::Continued);
            assert!(lines.ends_with(&[b"{}".to_vec()]));
        }
    }

    #[test]
    fn only_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        assert!(open(folder.path(), None).is_err());
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, "{}\n").unwrap();
        let cursor = open(&path, None).unwrap().cursor().unwrap();
        let other = folder.path().join("b.jsonl");
        std::fs::hard_link(&path, &other).unwrap();
        assert_eq!(open(&other, None).unwrap().cursor().unwrap().identity, cursor.identity);
    }

    proptest! {
        #[test]
        fn pieces_give_what_the_whole_gives(
            parts in proptest::collection::vec(prop_oneof!["[a-z]{0,40}", Just("\n".to_owned()), Just("\r\n".to_owned()), "x{1500,3000}"], 0..60),
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
            limit in 20_usize..4000,
        ) {
            let content = parts.concat().into_bytes();
            let (whole, _, end) = read(&content, None, limit);
            let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(content.len() + 1)).collect();
            ends.sort_unstable();
            ends.push(content.len());
            let (mut pieces, mut cursor) = (Vec::new(), None);
            for end in ends {
                let (lines, start, next) = read(&content[..end], cursor.as_ref(), limit);
                prop_assert!(matches!(start, Start::New | Start::Continued));
                pieces.extend(lines);
                cursor = Some(next);
            }
            prop_assert_eq!(pieces, whole);
            prop_assert_eq!(cursor, Some(end));
        }
    }
}
