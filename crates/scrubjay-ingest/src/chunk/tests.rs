//! What must hold for every chunker, on random texts and on the crate's own files.

use std::path::Path;

use proptest::prelude::*;

use super::{Chunk, Limits, chunk, count_tokens};
use crate::source::kind::{ConfigFormat, DocFormat, FileKind, classify};
use crate::source::language::Language;

fn kinds() -> Vec<FileKind> {
    let mut kinds = vec![
        FileKind::Memory,
        FileKind::Docs(DocFormat::Text),
        FileKind::Text,
        FileKind::Config(ConfigFormat::Yaml),
        FileKind::Config(ConfigFormat::Toml),
        FileKind::Config(ConfigFormat::Json),
        FileKind::Config(ConfigFormat::Other),
    ];
    kinds.extend(Language::ALL.map(FileKind::Code));
    kinds
}

/// All promises at once; the name is for the message.
fn check(name: &str, text: &str, chunks: &[Chunk], limits: &Limits) {
    let mut covered = 0;
    let mut last_start = 0;
    for chunk in chunks {
        let at = format!("{name}, chunk at line {}", chunk.start_line);
        let range = chunk.byte_range.clone();
        assert_eq!(text.get(range.clone()), Some(chunk.text.as_str()), "{at}: the text is not that of the range");
        assert!(!chunk.text.trim().is_empty(), "{at}: blank");
        assert!(range.start >= last_start, "{at}: out of order");
        last_start = range.start;
        if range.start > covered {
            let gap = &text[covered..range.start];
            assert!(gap.trim().is_empty(), "{at}: left out {gap:?}");
        }
        covered = covered.max(range.end);
        let line_of = |byte: usize| 1 + text[..byte].matches('\n').count();
        assert_eq!(chunk.start_line as usize, line_of(range.start), "{at}: first line");
        assert_eq!(
            chunk.end_line as usize,
            line_of(range.end - chunk.text.chars().next_back().unwrap().len_utf8()),
            "{at}: last line"
        );
        // Counted line by line, a text has at least as many tokens, up to a merge at a seam that goes the other way.
        let tokens = count_tokens(&chunk.text);
        let blank_lines = chunk.text.lines().filter(|line| line.trim().is_empty()).count();
        assert!(tokens <= limits.tokens + 8 + blank_lines, "{at}: {tokens} tokens");
        assert!(chunk.text.len() <= limits.max_bytes(), "{at}: {} bytes", chunk.text.len());
        assert!(chunk.context.len() <= 260 && !chunk.context.contains('\n'), "{at}: context {:?}", chunk.context);
        // A chunk is whole lines, or a part of one line.
        let starts_line = range.start == 0 || text.as_bytes()[range.start - 1] == b'\n';
        let ends_line = range.end == text.len() || text.as_bytes()[range.end - 1] == b'\n';
        let lines = chunk.end_line - chunk.start_line + 1;
        if !(starts_line && ends_line) {
            let long = text.lines().skip(chunk.start_line as usize - 1).take(lines as usize);
            assert!(
                long.into_iter()
                    .any(|line| count_tokens(line) + 1 >= limits.tokens || line.len() + 2 >= limits.max_bytes()),
                "{at}: a short line was cut"
            );
        }
    }
    assert!(text[covered..].trim().is_empty(), "{name}: the end was left out");
}

/// Pieces that mean something to one chunker or another, in an order that means nothing.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("# Title\n"),
        Just("## Part\n\n"),
        Just("Title\n===\n"),
        Just("```\n"),
        Just("~~~ rust\n"),
        Just("---\n"),
        Just("key: value\n"),
        Just("[table]\n"),
        Just("{\n"),
        Just("}\n"),
        Just("\"a\": [1, 2],\n"),
        Just("fn one() {}\n"),
        Just("impl A for B {\n"),
        Just("    /// Doc.\n    #[test]\n    fn two(&self) { loop {} }\n"),
        Just("class A:\n    def b(self):\n        pass\n\n"),
        Just("export const f = () => {\n"),
        Just("// comment\n"),
        Just("# comment\n"),
        Just("use a::b;\n"),
        Just("#ifdef X\n"),
        Just("#endif\n"),
        Just("\n"),
        Just("\r\n"),
        Just("\t  \n"),
        Just("Ada: hello\n"),
        Just("[12:30] Bob: hi there\n"),
        Just("日本語のテキスト🦀 ünï\n"),
        Just("\"\"\"\n"),
        Just("/* open\n"),
        Just("(((((((("),
        Just("no end of line "),
        Just("\u{2028}\u{85}\u{b}"),
    ];
    let part = prop_oneof![
        8 => piece.prop_map(str::to_owned),
        2 => "[a-zA-Z ,.]{0,120}\n",
        1 => "\\PC{0,60}",
        1 => ("[a-z ]{1,3}", 100_usize..900).prop_map(|(unit, times)| unit.repeat(times)),
    ];
    proptest::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn promises_hold_on_random_texts(
        kind in proptest::sample::select(kinds()), text in any_text(), tokens in 16_usize..120, overlap in 0_usize..60,
    ) {
        let limits = Limits::new(tokens, overlap);
        let chunks = chunk(kind, &text, &limits);
        check(kind.name(), &text, &chunks, &limits);
        prop_assert_eq!(&chunks, &chunk(kind, &text, &limits), "{}: not the same twice", kind.name());
    }
}

#[test]
fn promises_hold_on_the_crates_own_files() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.to_string_lossy().into_owned();
            let (Ok(kind), Ok(text)) = (classify(&name), std::fs::read_to_string(&path)) else { continue };
            for limits in [Limits::default(), Limits::new(64, 16)] {
                let chunks = chunk(kind, &text, &limits);
                check(&name, &text, &chunks, &limits);
            }
            files += 1;
        }
    }
    assert!(files > 10);
}

#[test]
fn hostile_texts_are_cut_all_the_same() {
    let limits = Limits::default();
    for text in [
        "x".repeat(100_000),
        "{".repeat(30_000),
        "(\n".repeat(5_000),
        "\n".repeat(100_000),
        " ".repeat(100_000),
        "é".repeat(20_000),
        "a b\n".repeat(3_000),
        "# h\n".repeat(2_000),
        "```\n".repeat(2_001),
        format!("fn f() {{ {} }}\n", "x + ".repeat(10_000)),
    ] {
        for kind in kinds() {
            let chunks = chunk(kind, &text, &limits);
            // The full check is quadratic, so this one only looks at the sums.
            let joined: usize = chunks.iter().map(|chunk| chunk.byte_range.len()).sum();
            assert!(joined >= text.trim().len(), "{}", kind.name());
            assert!(chunks.iter().all(|chunk| chunk.text.len() <= limits.max_bytes()), "{}", kind.name());
        }
    }
}
