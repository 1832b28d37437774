//! Plain text, and anything that has no better chunker: windows of lines.

use super::lines::Lines;
use super::{Chunk, Limits, pack};

/// Chunks of lines with overlap, ending at blank lines where one is near.
#[must_use]
pub fn chunk(text: &str, limits: &Limits) -> Vec<Chunk> {
    let lines = Lines::new(text);
    let mut out = Vec::new();
    pack::push_lines(&lines, 0..lines.len(), "", "", limits, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_chunk() {
        let chunks = chunk("one\ntwo\n", &Limits::default());
        assert_eq!(chunks.len(), 1);
        assert_eq!((chunks[0].start_line, chunks[0].end_line, chunks[0].text.as_str()), (1, 2, "one\ntwo\n"));
        assert!(chunk("", &Limits::default()).is_empty());
        assert!(chunk(" \n\n\t\n", &Limits::default()).is_empty());
    }

    #[test]
    fn neighbours_share_lines() {
        let text: String = (0..200).map(|n| format!("line number {n} says something\n")).collect();
        let chunks = chunk(&text, &Limits::default());
        assert!(chunks.len() > 2);
        for pair in chunks.windows(2) {
            let shared = pair[0].end_line + 1 - pair[1].start_line;
            assert!((5..=14).contains(&shared), "{shared} lines are shared");
        }
    }

    #[test]
    fn the_last_window_is_not_a_mere_rest() {
        for lines in [60, 70, 100, 130] {
            let text: String = (0..lines).map(|n| format!("line number {n} says something\n")).collect();
            let chunks = chunk(&text, &Limits::default());
            let (longest, last) =
                (chunks.iter().map(|c| c.text.len()).max().unwrap(), chunks.last().unwrap().text.len());
            assert!(last * 2 > longest, "{lines} lines: {last} of {longest} bytes");
        }
    }

    #[test]
    fn a_long_line_is_cut_with_overlap() {
        let chunks = chunk(&"word ".repeat(3_000), &Limits::default());
        assert!(chunks.len() > 5);
        for pair in chunks.windows(2) {
            assert_eq!((pair[0].start_line, pair[0].end_line), (1, 1));
            let shared = pair[0].byte_range.end - pair[1].byte_range.start;
            assert!((200..=400).contains(&shared), "{shared} bytes are shared");
        }
    }

    #[test]
    fn a_window_ends_at_a_paragraph() {
        let paragraph = "Some words that fill a line of the paragraph well enough.\n".repeat(8) + "\n";
        let chunks = chunk(&paragraph.repeat(6), &Limits::default());
        assert!(chunks.len() > 1);
        assert!(chunks.iter().all(|chunk| chunk.text.ends_with("\n\n")));
    }
}
