//! What the checks ask of a Rust file: its tokens, attributes, blocks and test lines.

use std::ops::Range;

use super::lexer;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An identifier or keyword.
    Word,
    /// A string literal; its text is what stands between the quotes, with escapes made harmless.
    Text,
    /// One character of punctuation.
    Punctuation,
    /// Numbers, characters, lifetimes and raw identifiers, which no check looks at.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) text: String,
    pub(crate) line: usize,
}

impl Token {
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text == word
    }

    pub(crate) fn is_punctuation(&self, mark: char) -> bool {
        self.kind == TokenKind::Punctuation && self.text.starts_with(mark)
    }
}

pub(crate) struct RustSource {
    pub(crate) tokens: Vec<Token>,
    /// The comments before the first token, without their line breaks.
    pub(crate) header: Vec<String>,
    pub(crate) line_count: usize,
    /// Lines of the items under `#[cfg(test)]`, first and last included.
    test_lines: Vec<(usize, usize)>,
}

/// `#[…]` or `#![…]`: the tokens between the brackets.
pub(crate) struct Attribute {
    pub(crate) line: usize,
    pub(crate) is_inner: bool,
    pub(crate) body: Range<usize>,
}

impl RustSource {
    pub(crate) fn parse(text: &str) -> RustSource {
        let (tokens, comments) = lexer::lex(text);
        let first_code_line = tokens.first().map_or(usize::MAX, |token| token.line);
        let header = comments.into_iter().filter(|(line, _)| *line < first_code_line).map(|(_, text)| text).collect();
        let mut source = RustSource { tokens, header, line_count: text.lines().count(), test_lines: Vec::new() };
        source.test_lines = source.find_test_lines();
        source
    }

    pub(crate) fn is_test_line(&self, line: usize) -> bool {
        self.test_lines.iter().any(|(first, last)| (*first..=*last).contains(&line))
    }

    /// Lines that are not under `#[cfg(test)]`.
    pub(crate) fn product_line_count(&self) -> usize {
        (1..=self.line_count).filter(|line| !self.is_test_line(*line)).count()
    }

    pub(crate) fn attributes(&self) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        let mut index = 0;
        while index < self.tokens.len() {
            match self.attribute_at(index) {
                Some(attribute) => {
                    index = attribute.body.end;
                    attributes.push(attribute);
                }
                None => index += 1,
            }
        }
        attributes
    }

    /// Indexes of the `fn` keywords of functions that have a body.
    pub(crate) fn functions_with_body(&self) -> Vec<usize> {
        (0..self.tokens.len())
            .filter(|index| {
                let named = self.tokens.get(index + 1).is_some_and(|next| next.kind != TokenKind::Punctuation);
                self.tokens[*index].is_word("fn") && named && self.ends_with_brace(*index)
            })
            .collect()
    }

    /// The token ranges of `impl` blocks, from the keyword to the closing brace.
    pub(crate) fn impl_blocks(&self) -> Vec<Range<usize>> {
        (0..self.tokens.len())
            .filter(|index| {
                let starts_item = match index.checked_sub(1).map(|before| &self.tokens[before]) {
                    None => true,
                    Some(before) => {
                        "{};]".contains(before.text.as_str()) && before.kind == TokenKind::Punctuation
                            || before.is_word("unsafe")
                    }
                };
                self.tokens[*index].is_word("impl") && starts_item
            })
            .map(|index| index..self.item_end(index))
            .collect()
    }

    fn attribute_at(&self, index: usize) -> Option<Attribute> {
        let token = &self.tokens[index];
        if !token.is_punctuation('#') {
            return None;
        }
        let is_inner = self.tokens.get(index + 1)?.is_punctuation('!');
        let open = index + 1 + usize::from(is_inner);
        if !self.tokens.get(open)?.is_punctuation('[') {
            return None;
        }
        Some(Attribute { line: token.line, is_inner, body: open + 1..self.closing(open) })
    }

    fn find_test_lines(&self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for attribute in self.attributes() {
            if !self.is_test_attribute(&attribute) {
                continue;
            }
            if attribute.is_inner {
                return vec![(1, self.line_count)];
            }
            let mut item = attribute.body.end + 1;
            while let Some(next) = self.tokens.get(item).and_then(|_| self.attribute_at(item)) {
                item = next.body.end + 1;
            }
            let last = self.item_end(item).saturating_sub(1).min(self.tokens.len() - 1);
            found.push((attribute.line, self.tokens[last].line));
        }
        found
    }

    /// `cfg(test)` and `cfg(all(test, …))`; not `cfg(not(test))` and not `cfg(any(test, …))`, which also builds outside.
    fn is_test_attribute(&self, attribute: &Attribute) -> bool {
        let body = &self.tokens[attribute.body.clone()];
        let has = |word: &str| body.iter().any(|token| token.is_word(word));
        body.first().is_some_and(|first| first.is_word("cfg")) && has("test") && !has("not") && !has("any")
    }

    /// The index past the item that begins at `start`: past its block, or past its semicolon.
    fn item_end(&self, start: usize) -> usize {
        const ITEM_WORDS: [&str; 15] = [
            "pub",
            "fn",
            "mod",
            "impl",
            "use",
            "struct",
            "enum",
            "const",
            "static",
            "type",
            "trait",
            "unsafe",
            "async",
            "extern",
            "macro_rules",
        ];
        let is_item = self.tokens.get(start).is_some_and(|token| ITEM_WORDS.iter().any(|word| token.is_word(word)));
        let mut index = start;
        while let Some(token) = self.tokens.get(index) {
            if token.kind == TokenKind::Punctuation {
                match token.text.as_str() {
                    "(" | "[" => index = self.closing(index),
                    "{" => return self.closing(index) + 1,
                    ";" => return index + 1,
                    "," if !is_item => return index + 1,
                    "}" => return index,
                    _ => {}
                }
            }
            index += 1;
        }
        self.tokens.len()
    }

    fn ends_with_brace(&self, start: usize) -> bool {
        let end = self.item_end(start);
        end > start && self.tokens.get(end - 1).is_some_and(|token| token.is_punctuation('}'))
    }

    /// The index of the bracket that closes the one at `open`, or of the end of a file that is cut short.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0usize;
        for (index, token) in self.tokens.iter().enumerate().skip(open) {
            if token.kind != TokenKind::Punctuation {
                continue;
            }
            match token.text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth -= 1;
                    if depth == 0 {
                        return index;
                    }
                }
                _ => {}
            }
        }
        self.tokens.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product_lines(text: &str) -> usize {
        RustSource::parse(text).product_line_count()
    }

    #[test]
    fn test_items_do_not_count_wherever_they_stand() {
        assert_eq!(product_lines("fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() {}\n}\n"), 1);
        assert_eq!(product_lines("#[cfg(test)]\nmod tests;\nfn a() {}\nfn b() {}\n"), 2);
        assert_eq!(product_lines("#[cfg(test)]\n#[path = \"x.rs\"]\nmod tests {\n}\nfn hidden() {}\n"), 1);
        assert_eq!(product_lines("#![cfg(test)]\nfn a() {}\n"), 0);
        assert_eq!(product_lines("struct S {\n #[cfg(test)]\n probe: u8,\n kept: u8,\n}\n"), 3);
        assert_eq!(product_lines("#[cfg(all(test, unix))]\nfn a() -> [u8; 2] {\n [0, 0]\n}\n"), 0);
    }

    #[test]
    fn what_also_builds_outside_tests_counts() {
        assert_eq!(product_lines("#[cfg(not(test))]\nfn a() {}\n"), 2);
        assert_eq!(product_lines("#[cfg(any(test, windows))]\nfn a() {}\n"), 2);
        assert_eq!(product_lines("// #[cfg(test)]\nmod a {\n}\n"), 3);
    }

    #[test]
    fn torn_code_never_panics() {
        for text in ["#[cfg(test)]", "#[cfg(test", "#", "fn", "impl", "#[cfg(test)] mod x {", ")", "}", "impl X {", ""]
        {
            let source = RustSource::parse(text);
            source.functions_with_body();
            source.impl_blocks();
        }
    }

    #[test]
    fn functions_and_impl_blocks_are_told_from_their_types() {
        let source = RustSource::parse(
            "trait T { fn a(&self) -> impl Iterator; fn b(&self) {} }\ntype F = fn(u8);\nfn c(x: [u8; 2]) -> impl Fn() {}\n\
             impl S { fn d() {} }\n#[x]\nunsafe impl Send for S {}\n",
        );
        let lines: Vec<_> = source.functions_with_body().into_iter().map(|index| source.tokens[index].line).collect();
        assert_eq!(lines, [1, 3, 4]);
        let lines: Vec<_> = source.impl_blocks().into_iter().map(|block| source.tokens[block.start].line).collect();
        assert_eq!(lines, [4, 6]);
    }
}
