//! The text of a file, if it is text.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::skip::SkipReason;

/// How much of the beginning is looked at for signs of a binary file.
const PROBE_BYTES: usize = 8 * 1024;

/// Reads a whole file as text.
///
/// A link as the last part of the path is not followed, and whatever is not a regular file is refused after it was
/// opened, so that nothing put in its place meanwhile can make us wait or leave the root. A byte order mark is left out.
///
/// # Errors
/// When it is not a text within the limit, and why.
pub fn read_text(path: &Path, limit_bytes: u64) -> Result<String, SkipReason> {
    let file = open(path)?;
    let metadata = file.metadata().map_err(|error| SkipReason::of_error(&error))?;
    if !metadata.is_file() {
        return Err(SkipReason::NotAFile);
    }
    let too_large = |size_bytes| SkipReason::TooLarge { size_bytes, limit_bytes };
    if metadata.len() > limit_bytes {
        return Err(too_large(metadata.len()));
    }
    // The size is only a hint: the file may be growing, or be one of those whose size is always 0.
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    let mut limited = file.take(limit_bytes.saturating_add(1));
    let probe = Read::by_ref(&mut limited).take(PROBE_BYTES as u64).read_to_end(&mut bytes);
    probe.map_err(|error| SkipReason::of_error(&error))?;
    if bytes.contains(&0) {
        return Err(SkipReason::Binary);
    }
    limited.read_to_end(&mut bytes).map_err(|error| SkipReason::of_error(&error))?;
    if bytes.len() as u64 > limit_bytes {
        return Err(too_large(bytes.len() as u64));
    }
    to_text(bytes)
}

/// The text of bytes that are already read.
///
/// # Errors
/// When they are not text, and why.
pub fn to_text(bytes: Vec<u8>) -> Result<String, SkipReason> {
    if bytes.iter().take(PROBE_BYTES).any(|&byte| byte == 0) {
        return Err(SkipReason::Binary);
    }
    let mut text =
        String::from_utf8(bytes).map_err(|error| SkipReason::NotUtf8 { at_byte: error.utf8_error().valid_up_to() })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    if text.trim().is_empty() { Err(SkipReason::Empty) } else { Ok(text) }
}

#[cfg(unix)]
fn open(path: &Path) -> Result<File, SkipReason> {
    use rustix::fs::{Mode, OFlags};
    // Without NONBLOCK, opening a pipe that replaced the file would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(descriptor) => Ok(File::from(descriptor)),
        Err(rustix::io::Errno::LOOP) => Err(SkipReason::LinkInside),
        // Sockets, and devices without a driver.
        Err(rustix::io::Errno::NXIO | rustix::io::Errno::NODEV) => Err(SkipReason::NotAFile),
        Err(error) => Err(SkipReason::of_error(&error.into())),
    }
}

#[cfg(not(unix))]
fn open(path: &Path) -> Result<File, SkipReason> {
    File::open(path).map_err(|error| SkipReason::of_error(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_text_or_there_is_a_reason() {
        for (bytes, expected) in [
            (&b"hello"[..], Ok("hello")),
            (b"\xef\xbb\xbfhello", Ok("hello")),
            (b"a\0b", Err(SkipReason::Binary)),
            (b"caf\xe9", Err(SkipReason::NotUtf8 { at_byte: 3 })),
            (b" \n", Err(SkipReason::Empty)),
            (b"", Err(SkipReason::Empty)),
        ] {
            assert_eq!(to_text(bytes.to_vec()), expected.map(str::to_owned), "{bytes:?}");
        }
    }

    #[test]
    fn files_are_read_within_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "hello").unwrap();
        assert_eq!(read_text(&path, 5).as_deref(), Ok("hello"));
        assert_eq!(read_text(&path, 4), Err(SkipReason::TooLarge { size_bytes: 5, limit_bytes: 4 }));
        assert_eq!(read_text(folder.path(), 4), Err(SkipReason::NotAFile));
        assert_eq!(read_text(&folder.path().join("no"), 4), Err(SkipReason::Gone));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_or_pipe_in_its_place_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/etc/hostname", &link).unwrap();
        assert_eq!(read_text(&link, 100), Err(SkipReason::LinkInside));
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        assert_eq!(read_text(&pipe, 100), Err(SkipReason::NotAFile));
    }
}
