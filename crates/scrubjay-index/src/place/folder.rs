//! An index in a folder.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::contract::{Place, Written};
use crate::error::{IndexError, Result};
use crate::mapping::Mapping;
use crate::segment::{Parts, Segment};

const MANIFEST: &str = "manifest";
const NEW_MANIFEST: &str = "manifest.new";
const LOCK: &str = "lock";
const SEGMENT_SUFFIX: &str = ".segment";

/// A folder with the files `manifest`, `lock` and one for each segment.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new(path: &Path) -> Folder {
        Folder { path: path.to_owned() }
    }

    fn segment_path(&self, file: u64) -> PathBuf {
        self.path.join(format!("{file:016x}{SEGMENT_SUFFIX}"))
    }

    fn sync(&self) -> Result<()> {
        let synced = File::open(&self.path).and_then(|folder| folder.sync_all());
        synced.map_err(failed("write to disk the folder", &self.path))
    }
}

impl Place for Folder {
    fn manifest_head(&self, count: usize) -> Result<Option<Vec<u8>>> {
        let path = self.path.join(MANIFEST);
        let read = || -> io::Result<Vec<u8>> {
            let mut head = Vec::with_capacity(count);
            File::open(&path)?.take(count as u64).read_to_end(&mut head)?;
            Ok(head)
        };
        unless_missing(read()).map_err(failed("read", &path))
    }

    fn manifest(&self) -> Result<Option<Vec<u8>>> {
        let path = self.path.join(MANIFEST);
        unless_missing(fs::read(&path)).map_err(failed("read", &path))
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the renamed file is the temporary one made here, and it holds the whole new manifest of derived data"
    )]
    fn replace_manifest(&self, bytes: &[u8]) -> Result<()> {
        let (new, path) = (self.path.join(NEW_MANIFEST), self.path.join(MANIFEST));
        // A left-over of a writer that died may have any content; it is written anew.
        unless_missing(fs::remove_file(&new)).map_err(failed("remove", &new))?;
        let mut file = create_private(&new).map_err(failed("create", &new))?;
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed("write", &new))?;
        // The names of new segments must be on disk before a manifest that names them.
        self.sync()?;
        fs::rename(&new, &path).map_err(failed("put in place", &path))?;
        self.sync()
    }

    fn remove_manifest(&self) -> Result<()> {
        let path = self.path.join(MANIFEST);
        unless_missing(fs::remove_file(&path)).map_err(failed("remove", &path))?;
        self.sync()
    }

    fn segment(&self, file: u64) -> Result<Arc<Segment>> {
        let path = self.segment_path(file);
        let mapping = unless_missing(File::open(&path).and_then(Mapping::of)).map_err(failed("map", &path))?;
        let missing = || IndexError::Damaged(format!("{} is missing", path.display()));
        Segment::mapped(mapping.ok_or_else(missing)?).map(Arc::new)
    }

    fn write_segment(&self, file: u64, parts: &Parts) -> Result<Written> {
        let path = self.segment_path(file);
        let write = || -> io::Result<Written> {
            // A change that failed may have left a file that no manifest names under the same number.
            unless_missing(fs::remove_file(&path))?;
            let out = BufWriter::with_capacity(1 << 18, create_private(&path)?);
            let (out, checksum, length_bytes) = parts.write(out)?;
            out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            Ok(Written { checksum, length_bytes })
        };
        write().map_err(|source| {
            // No manifest names it. What cannot be removed now, the next writer removes.
            let _ = fs::remove_file(&path);
            failed("write", &path)(source)
        })
    }

    fn remove_segment(&self, file: u64) -> Result<()> {
        let path = self.segment_path(file);
        unless_missing(fs::remove_file(&path)).map(drop).map_err(failed("remove", &path))
    }

    fn segments(&self) -> Result<Vec<u64>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(failed("list", &self.path))? {
            let name = entry.map_err(failed("list", &self.path))?.file_name();
            let number = name.to_str().and_then(|name| name.strip_suffix(SEGMENT_SUFFIX));
            files.extend(number.and_then(|number| u64::from_str_radix(number, 16).ok()));
        }
        Ok(files)
    }

    fn lock(&self) -> Result<Option<Box<dyn Send + Sync>>> {
        create_private_folder(&self.path).map_err(failed("create", &self.path))?;
        let path = self.path.join(LOCK);
        let mut options = private_options();
        let file = options.create(true).truncate(false).open(&path).map_err(failed("open", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(failed("lock", &path)(source)),
        }
    }

    fn size_bytes(&self) -> Result<u64> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(failed("list", &self.path)(error)),
        };
        let mut total = 0;
        for entry in entries {
            let found = entry.and_then(|entry| unless_missing(entry.metadata()));
            total += found.map_err(failed("list", &self.path))?.map_or(0, |found| found.len());
        }
        Ok(total)
    }
}

fn failed(attempted: &'static str, path: &Path) -> impl Fn(io::Error) -> IndexError {
    move |source| IndexError::Io { attempted, path: path.to_owned(), source }
}

fn unless_missing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn create_private(path: &Path) -> io::Result<File> {
    private_options().create_new(true).open(path)
}

/// Options for files that only their owner can read: hashes of words can be guessed back.
fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
