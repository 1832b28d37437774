//! Every relative link in a Markdown file leads to a file or folder, and its `#fragment` to a heading there.
//!
//! Samples that tests feed to a parser are not documentation and are left alone.

use super::Finding;
use super::markdown::{Markdown, parse};
use crate::tree::{Tree, has_folder};

const SAMPLE_FOLDERS: [&str; 5] = ["fixtures", "golden", "corpus", "snapshots", "samples"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        if !path.ends_with(".md") || SAMPLE_FOLDERS.iter().any(|folder| has_folder(path, folder)) {
            continue;
        }
        let markdown = parse(text);
        for (line, target) in &markdown.links {
            if let Some(message) = objection(tree, path, &markdown, target) {
                findings.push(Finding::violation(path, *line, message));
            }
        }
    }
    findings
}

fn objection(tree: &Tree, path: &str, own: &Markdown, target: &str) -> Option<String> {
    if leads_outside(target) {
        return None;
    }
    let (file, fragment) = match target.split_once('#') {
        Some((file, fragment)) => (file, Some(decoded(fragment))),
        None => (target, None),
    };
    if file.is_empty() {
        let fragment = fragment.unwrap_or_default();
        return (!own.anchors.contains(&fragment)).then(|| format!("there is no heading `#{fragment}` in this file"));
    }
    let Some(place) = resolve(path, &decoded(file)) else {
        return Some(format!("`{target}` leads out of the repository"));
    };
    if !tree.exists(&place) {
        return Some(format!("`{target}` leads nowhere: there is no `{place}`"));
    }
    let fragment = fragment?;
    let text = tree.text(&place).unwrap_or_default();
    (!has_fragment(&place, text, &fragment)).then(|| format!("there is no `#{fragment}` in `{place}`"))
}

/// Whether a target has a scheme (`https:`, `mailto:`) or a host.
fn leads_outside(target: &str) -> bool {
    let scheme = target.split(['/', '#', '?']).next().unwrap_or_default();
    target.starts_with("//") || scheme.contains(':')
}

/// Headings of Markdown, lines of source files (`#L10`, `#L10-L20`), ids of anything else.
fn has_fragment(path: &str, text: &str, fragment: &str) -> bool {
    if path.ends_with(".md") {
        return parse(text).anchors.contains(fragment);
    }
    if let Some(lines) = fragment.strip_prefix('L') {
        let last = text.lines().count();
        return lines.split("-L").all(|line| line.parse::<usize>().is_ok_and(|line| (1..=last).contains(&line)));
    }
    text.contains(&format!("id=\"{fragment}\""))
}

/// The path from the root that a link in `from` means; nothing when it climbs above the root.
fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = match target.starts_with('/') {
        true => Vec::new(),
        false => from.split('/').collect(),
    };
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The text with `%20` and its like turned back into bytes.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::findings::expect_findings;
    use super::*;

    #[test]
    fn broken_links_are_found() {
        expect_findings(
            check,
            &[
                (
                    "README.md",
                    "[a](docs/gone.md)\n[b](#nowhere)\n[c](docs/a.md#gone)\n[d](../up.md)\n[e](src/a.rs#L3)\n",
                ),
                ("docs/a.md", "# Title\n[f](/docs/gone)\n"),
                ("src/a.rs", "fn a() {}\n"),
            ],
            &[
                "README.md:1: `docs/gone.md` leads nowhere",
                "README.md:2: there is no heading `#nowhere`",
                "README.md:3: there is no `#gone` in `docs/a.md`",
                "README.md:4: `../up.md` leads out of the repository",
                "README.md:5: there is no `#L3`",
                "docs/a.md:2: `/docs/gone` leads nowhere",
            ],
        );
    }

    #[test]
    fn good_links_are_not() {
        expect_findings(
            check,
            &[
                (
                    "docs/a.md",
                    "# A title\n[a](#a-title) [b](../README.md) [c](./b%20c.md#one) [d](/docs) [e](..) [f](../src/a.rs#L1-L2)\n\
                     [g](https://example.org/x#y) [h](mailto:a@example.org) [i](//example.org)\n",
                ),
                ("docs/b c.md", "# One\n"),
                ("README.md", "# Read\n"),
                ("src/a.rs", "fn a() {\n}\n"),
                ("crates/a/tests/fixtures/note.md", "[a](gone.md)\n"),
            ],
            &[],
        );
    }
}
