//! Records from files of JSON lines.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use scrubjay_engine::eval::everyday::Numbered;
use serde::de::DeserializeOwned;

use super::super::lines::Lines;
use crate::failure::Failure;

/// The longest line of a file.
const LINE_BYTES: usize = 64 << 20;

/// Reads a record from each line that is not empty.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<Numbered<T>>, Failure> {
    let file = File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound if compressed(path).exists() => Failure::invalid(format!(
            "{} is compressed; unpack it first: gunzip --keep {0}",
            compressed(path).display()
        )),
        _ => Failure::io(&format!("open {}", path.display()), error),
    })?;
    let mut lines = Lines::new(file, LINE_BYTES);
    let mut read = Vec::new();
    while let Some(line) = lines.next().map_err(|error| Failure::io(&format!("read {}", path.display()), error))? {
        let parsed = line.text.and_then(|text| serde_json::from_str(&text).map_err(|error| fault(&error)));
        let parsed =
            parsed.map_err(|why| Failure::invalid(format!("{}, line {}: {why}", path.display(), line.number)))?;
        read.push(Numbered { line: line.number, record: parsed });
    }
    Ok(read)
}

fn compressed(path: &Path) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".gz");
    name.into()
}

// Each line is a text of its own to the parser, so that it calls every line the first.
fn fault(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", ", column ")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docs.jsonl");
        std::fs::write(&path, "{\"a\": 1}\n\n{\"a\": \n").unwrap();
        let message = read::<Value>(&path).unwrap_err().message();
        assert!(message.ends_with("docs.jsonl, line 3: EOF while parsing a value, column 5"), "{message}");
        let missing = folder.path().join("queries.jsonl");
        assert!(read::<Value>(&missing).unwrap_err().message().contains("could not open"));
        std::fs::write(compressed(&missing), "").unwrap();
        assert!(read::<Value>(&missing).unwrap_err().message().contains("unpack it first: gunzip --keep"));
    }
}
