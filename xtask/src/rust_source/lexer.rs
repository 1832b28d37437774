//! Cuts Rust text into tokens and comments.

use super::{Token, TokenKind};

/// The tokens, and the comments with the line each begins on.
pub(super) fn lex(text: &str) -> (Vec<Token>, Vec<(usize, String)>) {
    let mut lexer = Lexer { characters: text.chars().collect(), position: 0, line: 1, tokens: Vec::new() };
    let mut comments = Vec::new();
    if text.starts_with("#!") && !text.starts_with("#![") {
        lexer.take_line();
    }
    while let Some(character) = lexer.peek(0) {
        let line = lexer.line;
        match (character, lexer.peek(1)) {
            ('/', Some('/')) => comments.push((line, lexer.take_line())),
            ('/', Some('*')) => comments.push((line, lexer.take_block_comment())),
            ('"', _) => lexer.take_string(),
            ('\'', _) => lexer.take_character_or_lifetime(),
            _ if is_word_start(character) => lexer.take_word(),
            _ if character.is_ascii_digit() => {
                lexer.take_while_word();
                lexer.push(TokenKind::Other, String::new(), line);
            }
            _ => {
                lexer.advance();
                if !character.is_whitespace() {
                    lexer.push(TokenKind::Punctuation, character.to_string(), line);
                }
            }
        }
    }
    (lexer.tokens, comments)
}

fn is_word_start(character: char) -> bool {
    character == '_' || character.is_alphabetic()
}

struct Lexer {
    characters: Vec<char>,
    position: usize,
    line: usize,
    tokens: Vec<Token>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.position + ahead).copied()
    }

    fn advance(&mut self) -> Option<char> {
        let character = self.peek(0)?;
        self.position += 1;
        if character == '\n' {
            self.line += 1;
        }
        Some(character)
    }

    fn push(&mut self, kind: TokenKind, text: String, line: usize) {
        self.tokens.push(Token { kind, text, line });
    }

    fn take_line(&mut self) -> String {
        let mut text = String::new();
        while let Some(character) = self.peek(0).filter(|character| *character != '\n') {
            text.push(character);
            self.advance();
        }
        text
    }

    fn take_block_comment(&mut self) -> String {
        let mut text = String::new();
        let mut depth = 0usize;
        while let Some(character) = self.advance() {
            text.push(character);
            match (character, self.peek(0)) {
                ('/', Some('*')) => depth += 1,
                ('*', Some('/')) => depth -= 1,
                _ => continue,
            }
            text.extend(self.advance());
            if depth == 0 {
                break;
            }
        }
        text
    }

    fn take_while_word(&mut self) -> String {
        let mut word = String::new();
        while let Some(character) = self.peek(0).filter(|character| *character == '_' || character.is_alphanumeric()) {
            word.push(character);
            self.advance();
        }
        word
    }

    /// An identifier, or the prefix of a literal such as `br#"…"#`, `c"…"` or `b'x'`.
    fn take_word(&mut self) {
        let line = self.line;
        let word = self.take_while_word();
        let is_raw = matches!(word.as_str(), "r" | "br" | "cr");
        match self.peek(0) {
            Some('"' | '#') if is_raw => self.take_raw(word, line),
            Some('"') if matches!(word.as_str(), "b" | "c") => self.take_string(),
            Some('\'') if word == "b" => self.take_character_or_lifetime(),
            _ => self.push(TokenKind::Word, word, line),
        }
    }

    fn take_raw(&mut self, word: String, line: usize) {
        let hashes = (0..).take_while(|ahead| self.peek(*ahead) == Some('#')).count();
        if self.peek(hashes) != Some('"') {
            if hashes == 1 && self.peek(1).is_some_and(is_word_start) {
                self.advance();
                self.take_while_word();
                self.push(TokenKind::Other, String::new(), line);
            } else {
                self.push(TokenKind::Word, word, line);
            }
            return;
        }
        for _ in 0..=hashes {
            self.advance();
        }
        let mut text = String::new();
        while let Some(character) = self.advance() {
            if character == '"' && (0..hashes).all(|ahead| self.peek(ahead) == Some('#')) {
                for _ in 0..hashes {
                    self.advance();
                }
                break;
            }
            text.push(character);
        }
        self.push(TokenKind::Text, text, line);
    }

    /// Line breaks in the text are those of the file, so that a place inside the literal has a line of its own;
    /// an escaped one becomes a space.
    fn take_string(&mut self) {
        let line = self.line;
        self.advance();
        let mut text = String::new();
        while let Some(character) = self.advance() {
            match character {
                '"' => break,
                '\\' => match self.advance() {
                    Some('n' | 'r' | 't' | '0') => text.push(' '),
                    Some(escaped) => text.push(escaped),
                    None => break,
                },
                _ => text.push(character),
            }
        }
        self.push(TokenKind::Text, text, line);
    }

    fn take_character_or_lifetime(&mut self) {
        let line = self.line;
        self.advance();
        if self.peek(0) == Some('\\') {
            self.advance();
            self.advance();
            while self.advance().is_some_and(|character| character != '\'') {}
        } else if self.peek(1) == Some('\'') {
            self.advance();
            self.advance();
        } else {
            self.take_while_word();
        }
        self.push(TokenKind::Other, String::new(), line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words are bare, strings quoted, punctuation bare, everything else `~`.
    fn check(text: &str, expect: &str) {
        let (tokens, _) = lex(text);
        let shown: Vec<String> = tokens
            .iter()
            .map(|token| match token.kind {
                TokenKind::Text => format!("\"{}\"", token.text),
                TokenKind::Other => "~".to_string(),
                _ => token.text.clone(),
            })
            .collect();
        assert_eq!(shown.join(" "), expect, "{text}");
    }

    #[test]
    fn comments_are_no_tokens() {
        check("a // fn b\n/* fn /* c */ d */ e", "a e");
        check("/* torn", "");
        check("#!/usr/bin/env run\nfn", "fn");
        check("#![x]", "# ! [ x ]");
    }

    #[test]
    fn strings_in_all_their_forms() {
        check(r#"a("x \" y", b"z", c"w")"#, "a ( \"x \" y\" , \"z\" , \"w\" )");
        check("r\"a\\\" r#\"b\"c\"# br##\"d\"#e\"## f", "\"a\\\" \"b\"c\" \"d\"#e\" f");
        check(r#""a\nb""#, "\"a b\"");
        check("\"torn", "\"torn\"");
        check("r#\"torn", "\"torn\"");
    }

    #[test]
    fn quotes_of_characters_and_lifetimes_open_no_string() {
        check("'\"' 'a c 'x' '\\'' '\\u{1F}' b'\"' d", "~ ~ c ~ ~ ~ ~ d");
        check("&'static str", "& ~ str");
        check("r#type r", "~ r");
    }

    #[test]
    fn lines_are_counted_through_literals_and_comments() {
        let (tokens, comments) = lex("// one\n\"two\nthree\" four\n/* five\nsix */ seven");
        assert_eq!(tokens.iter().map(|token| token.line).collect::<Vec<_>>(), [2, 3, 5]);
        assert_eq!(comments.iter().map(|comment| comment.0).collect::<Vec<_>>(), [1, 4]);
    }
}
