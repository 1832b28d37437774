//! Paths of files and folders.

use scrubjay_core::entity::EntityType;

use super::findings::{Findings, character_before, is_spaced_letter, reach_left, reach_right};

const SURE: f32 = 0.85;
const LIKELY: f32 = 0.75;
const MAX_REACH_BYTES: usize = 512;

/// Folders that stand for a path alone after a slash; other words there are commands or routes.
const ROOT_FOLDERS: [&str; 14] =
    ["bin", "boot", "dev", "etc", "home", "lib", "mnt", "opt", "proc", "root", "srv", "tmp", "usr", "var"];

/// Endings that make a path of two words with a slash between them.
const EXTENSIONS: &str = "
c h cc cpp cxx hh hpp hxx cs java kt kts scala groovy gradle go rs py pyi pyx ipynb rb php pl pm lua r jl swift m mm
dart ex exs erl hrl hs ml mli fs fsx clj cljs elm zig nim v sv vhd asm s js mjs cjs jsx ts mts cts tsx vue svelte astro
html htm xhtml css scss sass less styl json jsonl json5 ndjson yaml yml toml ini cfg conf config properties env xml xsd
xsl svg md mdx markdown rst adoc txt text tex bib org csv tsv parquet arrow avro sql sqlite sqlite3 db proto thrift
graphql gql sh bash zsh fish bat cmd ps1 psm1 mk cmake bazel bzl nix tf hcl dockerfile lock log diff patch map wasm so
a o dll dylib exe jar war class pdf doc docx xls xlsx ppt pptx odt ods png jpg jpeg gif webp ico bmp tiff mp3 mp4 wav
ogg flac mov avi mkv webm zip tar gz tgz bz2 xz zst 7z rar deb rpm dmg iso img bin dat bak tmp pem crt key pub service
gitignore gitattributes editorconfig eslintrc prettierrc npmrc dockerignore
";

/// Last words of a host, so that `example.org/index.html` is not taken for a file.
const TOP_DOMAINS: [&str; 16] =
    ["com", "org", "net", "io", "dev", "edu", "gov", "co", "uk", "de", "fr", "eu", "ai", "app", "info", "me"];

pub(super) fn find(text: &str, findings: &mut Findings<'_>) {
    findings.make_room();
    let bytes = text.as_bytes();
    let mut searched = 0;
    while let Some(found) =
        bytes.get(searched..).and_then(|rest| rest.iter().position(|byte| matches!(byte, b'/' | b'\\')))
    {
        if findings.is_full() {
            return;
        }
        let separator = searched + found;
        let left_limit = (separator - searched).min(MAX_REACH_BYTES);
        let start = reach_left(text, separator, left_limit, is_path_character);
        let end = reach_right(text, separator, MAX_REACH_BYTES, |character| {
            is_path_character(character) || matches!(character, '/' | '\\')
        });
        searched = end.max(separator + 1);
        let start = with_drive(text, start);
        let path = text[start..end].trim_end_matches(['.', '-', '+', '@', '%', '~']);
        if let Some(confidence) = plausibility(path, character_before(text, start)) {
            findings.add(start..start + path.len(), canonical(path), EntityType::Other, confidence);
        }
    }
}

fn is_path_character(character: char) -> bool {
    is_spaced_letter(character) || matches!(character, '_' | '-' | '.' | '+' | '@' | '%' | '~' | '$')
}

/// Moves the start of a path before its drive letter, if it has one.
fn with_drive(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let begins_with_separator = matches!(bytes.get(start), Some(b'/' | b'\\'));
    if let Some(drive) = start.checked_sub(2)
        && begins_with_separator
        && bytes.get(drive + 1) == Some(&b':')
        && bytes.get(drive).is_some_and(u8::is_ascii_alphabetic)
        && !character_before(text, drive).is_some_and(is_spaced_letter)
    {
        return drive;
    }
    start
}

/// How sure it is that `path` is one, by how it begins and ends.
fn plausibility(path: &str, before: Option<char>) -> Option<f32> {
    let first = path.chars().next()?;
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    // `</b>`, `://`, `${HOME}/bin` and the like begin elsewhere.
    let begins_path = !matches!(before, Some('<' | '}' | ')' | ']' | '&' | '#' | '?' | '*' | '=' | ':')) || has_drive;
    let follows_key = matches!(before, Some('=' | ':')) && !path.starts_with("//");
    // Markdown writes `\_` for an underscore.
    if !begins_path && !follows_key || path.contains("\\_") {
        return None;
    }
    let rest = if has_drive { &path[2..] } else { path };
    let is_rooted = rest.starts_with(['/', '\\']);
    let steps: Vec<&str> = rest.trim_start_matches("\\\\").split(['/', '\\']).collect();
    let inner = if is_rooted && !rest.starts_with("\\\\") { &steps[1..] } else { &steps[..] };
    let inner = if inner.last() == Some(&"") { &inner[..inner.len() - 1] } else { inner };
    let last = *inner.last()?;
    if inner
        .iter()
        .any(|step| step.is_empty() || step.chars().all(|one| !one.is_alphanumeric() && !matches!(one, '.' | '~')))
    {
        return None;
    }
    let has_word = inner.iter().any(|step| step.chars().filter(|one| one.is_alphabetic()).count() > 1);
    let is_known = extension(last).is_some_and(is_known_extension);
    if has_drive {
        return (is_rooted && has_word).then_some(SURE);
    }
    match (first, inner) {
        ('~', [home, ..]) if *home == "~" && inner.len() > 1 => Some(SURE),
        ('.', [here, ..]) if matches!(*here, "." | "..") => (inner.len() > 1 && has_word).then_some(SURE),
        ('/', [only]) => (is_known || ROOT_FOLDERS.contains(only)).then_some(LIKELY),
        ('/', [_, flags]) if flags.chars().all(|flag| "gimsuy".contains(flag)) => None,
        ('/', _) => has_word.then_some(if is_known { SURE } else { LIKELY }),
        ('\\', _) => (rest.starts_with("\\\\") && inner.len() > 1 && has_word).then_some(LIKELY),
        (_, [host, ..]) if is_host(host) => None,
        (_, [_, _, ..]) if is_known => Some(SURE),
        (_, [_, _, _, ..]) => (has_word && extension(last).is_some_and(is_plausible_extension)).then_some(LIKELY),
        _ => None,
    }
}

fn extension(step: &str) -> Option<&str> {
    step.rsplit_once('.').map(|(_, extension)| extension).filter(|extension| !extension.is_empty())
}

fn is_known_extension(extension: &str) -> bool {
    let is_even = !extension.bytes().any(|byte| byte.is_ascii_uppercase())
        || !extension.bytes().any(|byte| byte.is_ascii_lowercase());
    is_even && EXTENSIONS.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(extension))
}

fn is_plausible_extension(extension: &str) -> bool {
    (2..=5).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && extension.starts_with(|first: char| first.is_ascii_lowercase())
}

fn is_host(step: &str) -> bool {
    step.rsplit_once('.').is_some_and(|(name, top)| !name.is_empty() && TOP_DOMAINS.contains(&top))
}

/// Without `./` in front and a slash at the end.
fn canonical(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    path.trim_end_matches(['/', '\\']).to_owned()
}
