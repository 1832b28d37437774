//! `cargo xtask freeze-migrations`: records every migration that has no checksum yet, as part of making a release.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

use crate::tidy::{CHECKSUMS, migration_checksum, unreleased_migrations};
use crate::tree::{Tree, repository_root};

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(arguments.is_empty(), "usage: cargo xtask freeze-migrations");
    for frozen in freeze(&repository_root()?)? {
        writeln!(std::io::stdout(), "frozen {frozen}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Appends to each list and answers with the paths of the migrations added.
fn freeze(root: &Path) -> anyhow::Result<Vec<String>> {
    let tree = Tree::load(root)?;
    let lists = unreleased_migrations(&tree);
    anyhow::ensure!(!lists.is_empty(), "there is no {CHECKSUMS} file: begin with an empty one beside the migrations");
    let mut frozen = Vec::new();
    for (list, names) in lists {
        let mut file = OpenOptions::new()
            .append(true)
            .open(root.join(list))
            .with_context(|| format!("cannot append to {list}"))?;
        for name in names {
            let path = format!("{}{name}", list.trim_end_matches(CHECKSUMS));
            let text = tree.text(&path).with_context(|| format!("{path} is not text"))?;
            writeln!(file, "{}  {name}", migration_checksum(text))?;
            frozen.push(path);
        }
    }
    Ok(frozen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::findings;

    #[test]
    fn what_is_frozen_can_no_longer_change() {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("crates/scrubjay-store/migrations");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("0001_start.sql"), "one").unwrap();
        assert!(freeze(directory.path()).is_err(), "without a list nothing could be recorded");
        std::fs::write(folder.join(CHECKSUMS), "").unwrap();

        assert_eq!(freeze(directory.path()).unwrap(), ["crates/scrubjay-store/migrations/0001_start.sql"]);
        assert_eq!(freeze(directory.path()).unwrap(), [""; 0]);
        assert_eq!(findings(&Tree::load(directory.path()).unwrap()), []);

        std::fs::write(folder.join("0001_start.sql"), "uno").unwrap();
        let found = findings(&Tree::load(directory.path()).unwrap());
        assert!(found.iter().any(|finding| finding.message.contains("was changed")), "{found:?}");
    }
}
