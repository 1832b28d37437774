//! Lines from outside: of any length, in any encoding, torn or endless.

use std::io::{self, BufRead, BufReader, Read};

/// A line that is not empty.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// Its text, or why it has none.
    pub(crate) text: Result<String, String>,
}

/// Reads lines, none of them longer than a limit.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    limit_bytes: usize,
    number: usize,
    read_bytes: u64,
}

impl<R: Read> Lines<R> {
    /// Lines of at most `limit_bytes`.
    pub(crate) fn new(reader: R, limit_bytes: usize) -> Self {
        Self { reader: BufReader::with_capacity(64 << 10, reader), limit_bytes, number: 0, read_bytes: 0 }
    }

    /// How many bytes were read so far.
    pub(crate) fn read_bytes(&self) -> u64 {
        self.read_bytes
    }

    /// The next line that is not empty; none at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let mut bytes = Vec::new();
            let limit = self.limit_bytes as u64 + 1;
            let read = (&mut self.reader).take(limit).read_until(b'\n', &mut bytes)?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            self.read_bytes += read as u64;
            let complete = bytes.last() == Some(&b'\n');
            if bytes.len() > self.limit_bytes && !complete {
                self.skip_rest()?;
                let reason = format!("the line is longer than {} MiB", self.limit_bytes >> 20);
                return Ok(Some(Line { number: self.number, text: Err(reason) }));
            }
            let mut text = bytes.as_slice();
            if self.number == 1 {
                text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
            }
            let text = text.trim_ascii();
            if !text.is_empty() {
                let text = str::from_utf8(text).map(str::to_owned);
                let text =
                    text.map_err(|error| format!("not valid UTF-8 (byte {} of the line)", error.valid_up_to() + 1));
                return Ok(Some(Line { number: self.number, text }));
            }
        }
    }

    fn skip_rest(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(());
            }
            let (skipped, ended) = match buffer.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (buffer.len(), false),
            };
            self.reader.consume(skipped);
            self.read_bytes += skipped as u64;
            if ended {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8], limit: usize) -> Vec<(usize, Result<String, String>)> {
        let mut lines = Lines::new(bytes, limit);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push((line.number, line.text));
        }
        assert_eq!(lines.read_bytes(), bytes.len() as u64);
        found
    }

    #[test]
    fn lines_keep_their_numbers() {
        let text = |text: &str| Ok(text.to_owned());
        assert_eq!(read(b"a\n\n  \nb\r\nc", 10), [(1, text("a")), (4, text("b")), (5, text("c"))]);
        assert_eq!(read(b"\xef\xbb\xbfa\n", 10), [(1, text("a"))]);
        assert_eq!(read(b"", 10), []);
        assert_eq!(read(b"a\0b", 10), [(1, text("a\0b"))]);
    }

    #[test]
    fn long_and_foreign_lines_are_named_and_passed() {
        let found = read(b"0123456789x\nok\n\xff\xfe\nend", 10);
        assert!(found[0].1.as_ref().is_err_and(|reason| reason.contains("longer")));
        assert_eq!(found[1], (2, Ok("ok".to_owned())));
        assert!(found[2].1.as_ref().is_err_and(|reason| reason.contains("UTF-8")));
        assert_eq!(found[3], (4, Ok("end".to_owned())));
        assert_eq!(read(b"0123456789\n", 10)[0].1, Ok("0123456789".to_owned()));
    }

    proptest! {
        #[test]
        fn any_bytes_give_lines_in_order(bytes in proptest::collection::vec(any::<u8>(), 0..200), limit in 1usize..20) {
            let found = read(&bytes, limit);
            prop_assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
    }
}
