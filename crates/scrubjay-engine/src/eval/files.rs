//! Documents as the files that they could have come from.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Component, Path, PathBuf};

use super::TestDocument;
use crate::{EngineError, Result};

/// A folder of files in which documents stand one after the other.
pub(super) struct Files {
    folder: PathBuf,
    ending: String,
    // By name within the folder.
    written: BTreeMap<PathBuf, Written>,
}

#[derive(Default)]
struct Written {
    text: String,
    lines: u32,
    documents: Vec<(String, RangeInclusive<u32>)>,
}

impl Files {
    pub(super) fn new(folder: PathBuf, ending: &str) -> Self {
        Self { folder, ending: ending.to_owned(), written: BTreeMap::new() }
    }

    /// Appends documents to the files of their sessions; gives the folder.
    pub(super) fn write(&mut self, documents: &[TestDocument]) -> Result<PathBuf> {
        let mut touched = BTreeSet::new();
        for document in documents {
            let name = self.name(document);
            self.written.entry(name.clone()).or_default().append(document);
            touched.insert(name);
        }
        let failed = |error| EngineError::io("write the files to", &self.folder, error);
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        for (name, written) in self.written.iter().filter(|(name, _)| touched.contains(*name)) {
            let path = self.folder.join(name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(failed)?;
            }
            std::fs::write(path, &written.text).map_err(failed)?;
        }
        self.folder = self.folder.canonicalize().map_err(failed)?;
        Ok(self.folder.clone())
    }

    /// The documents that a reader of these lines has before them: those of which they are half or more, and where
    /// there are none, the one with most of the lines.
    pub(super) fn documents(&self, path: &str, lines: RangeInclusive<u32>) -> Vec<String> {
        let written = Path::new(path).strip_prefix(&self.folder).ok().and_then(|name| self.written.get(name));
        let Some(written) = written else { return Vec::new() };
        let shared = written.documents.iter().map(|(id, whole)| {
            let both = *whole.start().max(lines.start())..=*whole.end().min(lines.end());
            (id, both.count(), whole.clone().count())
        });
        let shared: Vec<_> = shared.filter(|(_, both, _)| *both > 0).collect();
        let most: Vec<String> =
            shared.iter().filter(|(_, both, whole)| both * 2 >= *whole).map(|(id, ..)| (*id).clone()).collect();
        if !most.is_empty() {
            return most;
        }
        shared.iter().max_by_key(|(_, both, _)| *both).map(|(id, ..)| (*id).clone()).into_iter().collect()
    }

    /// The session's path if it is one with this ending, and otherwise a new name for it.
    fn name(&self, document: &TestDocument) -> PathBuf {
        let session = document.session_id.as_deref().filter(|session| !session.is_empty()).unwrap_or(&document.id);
        let path = Path::new(session);
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        if is_plain && path.extension().is_some_and(|ending| ending == self.ending.as_str()) {
            return path.to_owned();
        }
        let name: String = session.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        PathBuf::from(format!("{name}.{}", self.ending))
    }
}

impl Written {
    fn append(&mut self, document: &TestDocument) {
        let start = self.lines + 1;
        let text = document.text.trim_end();
        self.text.push_str(text);
        self.text.push_str("\n\n");
        let count = u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX).saturating_add(1);
        self.documents.push((document.id.clone(), start..=start + count - 1));
        self.lines += count + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(id: &str, session: &str, text: &str) -> TestDocument {
        TestDocument {
            id: id.to_owned(),
            text: text.to_owned(),
            session_id: Some(session.to_owned()),
            timestamp: None,
            role: None,
        }
    }

    #[test]
    fn lines_belong_to_documents() {
        let home = tempfile::tempdir().expect("a folder");
        let mut files = Files::new(home.path().join("files"), "rs");
        let given = [
            document("one", "src/a.rs", "fn one() {\n}"),
            document("two", "src/a.rs", "fn two() {}\n"),
            document("far", "../../outside.rs", "fn far() {}"),
        ];
        let folder = files.write(&given).expect("they are written");
        let path = folder.join("src/a.rs");
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "fn one() {\n}\n\nfn two() {}\n\n");
        let path = path.display().to_string();
        assert_eq!(files.documents(&path, 1..=2), ["one"]);
        assert_eq!(files.documents(&path, 4..=4), ["two"]);
        assert_eq!(files.documents(&path, 1..=4), ["one", "two"]);
        assert_eq!(files.documents(&path, 3..=3), [""; 0]);
        let outside = folder.join("______outside_rs.rs").display().to_string();
        assert_eq!(files.documents(&outside, 1..=1), ["far"]);
    }
}
