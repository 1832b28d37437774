//! The programming languages whose structure is understood.

/// A language with a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// Bash, and near enough sh and zsh.
    Bash,
    /// C, also its headers.
    C,
    /// C#.
    CSharp,
    /// C++.
    Cpp,
    /// Go.
    Go,
    /// Java.
    Java,
    /// JavaScript, also with JSX.
    JavaScript,
    /// PHP.
    Php,
    /// Python.
    Python,
    /// Ruby.
    Ruby,
    /// Rust.
    Rust,
    /// TypeScript with JSX.
    Tsx,
    /// TypeScript.
    TypeScript,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Bash,
        Self::C,
        Self::CSharp,
        Self::Cpp,
        Self::Go,
        Self::Java,
        Self::JavaScript,
        Self::Php,
        Self::Python,
        Self::Ruby,
        Self::Rust,
        Self::Tsx,
        Self::TypeScript,
    ];

    /// Its name, for tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::C => "c",
            Self::CSharp => "c#",
            Self::Cpp => "c++",
            Self::Go => "go",
            Self::Java => "java",
            Self::JavaScript => "javascript",
            Self::Php => "php",
            Self::Python => "python",
            Self::Ruby => "ruby",
            Self::Rust => "rust",
            Self::Tsx => "tsx",
            Self::TypeScript => "typescript",
        }
    }

    /// By the end of a file's name, in small letters and without the dot.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "sh" | "bash" | "zsh" | "ksh" | "bats" => Self::Bash,
            "c" | "h" => Self::C,
            "cs" | "csx" => Self::CSharp,
            "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "ipp" | "inl" | "cu" | "cuh" | "ino" => {
                Self::Cpp
            }
            "go" => Self::Go,
            "java" => Self::Java,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "php" | "phtml" | "php5" | "php7" => Self::Php,
            "py" | "pyi" | "pyw" => Self::Python,
            "rb" | "rake" | "gemspec" | "ru" => Self::Ruby,
            "rs" => Self::Rust,
            "tsx" => Self::Tsx,
            "ts" | "mts" | "cts" => Self::TypeScript,
            _ => return None,
        })
    }

    /// Whether what may be C is C++, by lines that only C++ has.
    #[must_use]
    pub fn is_cpp(text: &str) -> bool {
        const BEGINNINGS: [&str; 8] =
            ["namespace ", "template <", "template<", "class ", "using ", "public:", "private:", "protected:"];
        // Headers tell it near their top; the rest of a long one need not be looked at.
        text.lines().take(2_000).any(|line| BEGINNINGS.iter().any(|begin| line.trim_start().starts_with(begin)))
    }

    /// By the first line of a script: `#!/usr/bin/env python3`.
    #[must_use]
    pub fn of_first_line(line: &str) -> Option<Self> {
        let command = line.strip_prefix("#!")?.trim();
        let mut words = command.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        let program = words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
        let program = program.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
        Some(match program {
            "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" => Self::Bash,
            "python" | "pypy" => Self::Python,
            "ruby" => Self::Ruby,
            "node" | "bun" => Self::JavaScript,
            "deno" | "ts-node" | "tsx" => Self::TypeScript,
            "php" => Self::Php,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_known_by_their_first_line() {
        for (line, expected) in [
            ("#!/bin/sh", Some(Language::Bash)),
            ("#!/usr/bin/env -S python3.12 -u", Some(Language::Python)),
            ("#! /usr/bin/env node", Some(Language::JavaScript)),
            ("#!/usr/bin/perl", None),
            ("no script", None),
        ] {
            assert_eq!(Language::of_first_line(line), expected, "{line}");
        }
    }
}
