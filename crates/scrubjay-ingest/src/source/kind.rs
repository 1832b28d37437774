//! Which file is what, by its path alone.

use super::language::Language;
use super::skip::SkipReason;

/// What a file is, and so how it is cut into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A note file of an agent: `MEMORY.md`, `memory.md` at the root, and Markdown below `memory/`.
    Memory,
    /// A document for people.
    Docs(DocFormat),
    /// Code in a language that we can parse.
    Code(Language),
    /// Settings.
    Config(ConfigFormat),
    /// Any other text, as lines. It counts as code: sources of other languages, queries, build files.
    Text,
}

/// How a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocFormat {
    /// Markdown.
    Markdown,
    /// Plain text.
    Text,
}

/// How settings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConfigFormat {
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
    /// JSON, also with comments.
    Json,
    /// `ini`, `cfg`, `conf`, `properties`.
    Other,
}

impl FileKind {
    /// What a search calls it.
    #[must_use]
    pub fn source(self) -> scrubjay_core::source::Source {
        use scrubjay_core::source::Source;
        match self {
            Self::Memory => Source::Memory,
            Self::Docs(_) => Source::Docs,
            Self::Code(_) | Self::Config(_) | Self::Text => Source::Code,
        }
    }

    /// Its name, for tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Docs(DocFormat::Markdown) => "markdown",
            Self::Docs(DocFormat::Text) => "document",
            Self::Code(language) => language.name(),
            Self::Config(ConfigFormat::Yaml) => "yaml",
            Self::Config(ConfigFormat::Toml) => "toml",
            Self::Config(ConfigFormat::Json) => "json",
            Self::Config(ConfigFormat::Other) => "settings",
            Self::Text => "text",
        }
    }

    /// The same, now that the text is known: a script without an extension tells its language in the first line, and
    /// a header may be one of C or of C++.
    #[must_use]
    pub fn refined(self, text: &str) -> Self {
        match self {
            Self::Text => Language::of_first_line(text.lines().next().unwrap_or("")).map_or(self, Self::Code),
            Self::Code(Language::C) if Language::is_cpp(text) => Self::Code(Language::Cpp),
            _ => self,
        }
    }
}

/// What the file is. The path is relative to the workspace's root, with `/` between its parts.
///
/// # Errors
/// When such files are not read, and why.
pub fn classify(path: &str) -> Result<FileKind, SkipReason> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    let extension = lower.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, extension)| extension);
    if is_memory(path, extension) {
        return Ok(FileKind::Memory);
    }
    if is_secret(&lower, extension) {
        return Err(SkipReason::Secret);
    }
    if is_generated(&lower) {
        return Err(SkipReason::Generated);
    }
    if BINARY.binary_search(&extension).is_ok() {
        return Err(SkipReason::Binary);
    }
    if let Some(language) = Language::of_extension(extension) {
        return Ok(FileKind::Code(language));
    }
    Ok(match extension {
        "md" | "markdown" | "mdx" | "mdown" | "qmd" | "rmd" => FileKind::Docs(DocFormat::Markdown),
        "txt" | "text" | "rst" | "adoc" | "asciidoc" | "org" | "tex" | "log" | "wiki" | "pod" => {
            FileKind::Docs(DocFormat::Text)
        }
        "yaml" | "yml" => FileKind::Config(ConfigFormat::Yaml),
        "toml" => FileKind::Config(ConfigFormat::Toml),
        "json" | "jsonc" | "json5" | "webmanifest" => FileKind::Config(ConfigFormat::Json),
        "ini" | "cfg" | "conf" | "properties" | "editorconfig" | "desktop" | "service" => {
            FileKind::Config(ConfigFormat::Other)
        }
        "" => match lower.as_str() {
            "readme" | "license" | "licence" | "copying" | "changelog" | "changes" | "authors" | "notice" | "news"
            | "todo" | "contributing" | "install" | "history" => FileKind::Docs(DocFormat::Text),
            "rakefile" | "gemfile" | "vagrantfile" | "brewfile" | "podfile" => FileKind::Code(Language::Ruby),
            _ => FileKind::Text,
        },
        _ => FileKind::Text,
    })
}

/// The note files of a workspace: at its root by name, and all Markdown below its `memory` folder.
fn is_memory(path: &str, extension: &str) -> bool {
    path == "MEMORY.md" || path == "memory.md" || (path.starts_with("memory/") && extension == "md")
}

/// Files whose whole content is a key or a password. Secrets inside other files are the redaction's business.
fn is_secret(name: &str, extension: &str) -> bool {
    matches!(extension, "pem" | "key" | "p12" | "pfx" | "jks" | "keystore" | "kdbx" | "asc" | "gpg" | "ppk")
        || matches!(name, "id_rsa" | "id_dsa" | "id_ecdsa" | "id_ed25519" | "credentials" | "secrets.json" | "htpasswd")
        || name == ".env"
        || name.starts_with(".env.")
        || extension == "env"
}

/// Lock files and the output of bundlers: large, for machines, and the same facts stand elsewhere.
fn is_generated(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        "bun.lock",
        "cargo.lock",
        "composer.lock",
        "flake.lock",
        "gemfile.lock",
        "go.sum",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "packages.lock.json",
        "pdm.lock",
        "pipfile.lock",
        "pnpm-lock.yaml",
        "poetry.lock",
        "uv.lock",
    ];
    const ENDS: [&str; 6] = [".min.js", ".min.css", ".map", ".snap", ".pb.go", "_pb2.py"];
    NAMES.contains(&name) || name == "yarn.lock" || ENDS.iter().any(|end| name.ends_with(end))
}

/// Extensions of files that are never text, in order. Others are found out by their first bytes.
const BINARY: [&str; 101] = [
    "7z",
    "a",
    "aac",
    "ai",
    "apk",
    "avi",
    "avif",
    "bin",
    "blend",
    "bmp",
    "bz2",
    "class",
    "cur",
    "dat",
    "db",
    "deb",
    "dex",
    "dll",
    "dmg",
    "doc",
    "docx",
    "dylib",
    "eot",
    "epub",
    "exe",
    "fbx",
    "flac",
    "gguf",
    "gif",
    "glb",
    "gz",
    "heic",
    "icns",
    "ico",
    "img",
    "iso",
    "jar",
    "jpeg",
    "jpg",
    "lib",
    "lockb",
    "lz4",
    "lzma",
    "m4a",
    "m4v",
    "mkv",
    "mo",
    "mov",
    "mp3",
    "mp4",
    "mpeg",
    "msi",
    "npy",
    "npz",
    "o",
    "obj",
    "odp",
    "ods",
    "odt",
    "ogg",
    "onnx",
    "otf",
    "parquet",
    "pdf",
    "pkl",
    "png",
    "ppt",
    "pptx",
    "psd",
    "pt",
    "pth",
    "pyc",
    "pyd",
    "rar",
    "rkyv",
    "rlib",
    "rmeta",
    "rpm",
    "safetensors",
    "ser",
    "so",
    "sqlite",
    "sqlite3",
    "swf",
    "tar",
    "tgz",
    "tif",
    "tiff",
    "ttf",
    "war",
    "wasm",
    "wav",
    "webm",
    "webp",
    "woff",
    "woff2",
    "xls",
    "xlsx",
    "xz",
    "zip",
    "zst",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_extensions_are_in_order() {
        assert!(BINARY.is_sorted());
    }

    #[test]
    fn files_are_known_by_their_path() {
        for (path, expected) in [
            ("MEMORY.md", Ok(FileKind::Memory)),
            ("memory.md", Ok(FileKind::Memory)),
            ("memory/2026/05/01.md", Ok(FileKind::Memory)),
            ("docs/MEMORY.md", Ok(FileKind::Docs(DocFormat::Markdown))),
            ("memory/data.json", Ok(FileKind::Config(ConfigFormat::Json))),
            ("README", Ok(FileKind::Docs(DocFormat::Text))),
            ("src/lib.rs", Ok(FileKind::Code(Language::Rust))),
            ("web/App.TSX", Ok(FileKind::Code(Language::Tsx))),
            ("Rakefile", Ok(FileKind::Code(Language::Ruby))),
            ("a/Cargo.toml", Ok(FileKind::Config(ConfigFormat::Toml))),
            ("schema.sql", Ok(FileKind::Text)),
            ("Makefile", Ok(FileKind::Text)),
            ("a/logo.PNG", Err(SkipReason::Binary)),
            ("data.zst", Err(SkipReason::Binary)),
            ("Cargo.lock", Err(SkipReason::Generated)),
            ("jquery.min.js", Err(SkipReason::Generated)),
            ("tls/server.key", Err(SkipReason::Secret)),
            (".env", Err(SkipReason::Secret)),
            ("prod.env", Err(SkipReason::Secret)),
        ] {
            assert_eq!(classify(path), expected, "{path}");
        }
    }

    #[test]
    fn a_first_line_tells_the_language() {
        assert_eq!(FileKind::Text.refined("#!/bin/bash\n"), FileKind::Code(Language::Bash));
        assert_eq!(FileKind::Text.refined("hello"), FileKind::Text);
        let header = FileKind::Code(Language::C);
        assert_eq!(header.refined("#pragma once\nnamespace a {\n"), FileKind::Code(Language::Cpp));
        assert_eq!(header.refined("// namespace a\nstruct a { int class; };\n"), header);
    }
}
