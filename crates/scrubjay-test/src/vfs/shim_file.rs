//! The files of the recording VFS: every method asks the fault board, forwards to the inner file and tells the log.
//!
//! SQLite allocates one block per file. Ours begins with [`ShimFile`], and the inner VFS's own file lies behind it:
//!
//! ```text
//! | sqlite3_file (method table) | *mut OpenFile | inner sqlite3_file ... |
//! ```
//!
//! Two things differ from a plain pass-through. A sync ends in the log and does not reach the real disk: images come
//! from the log, and a test that waits for a real flush only gets slower. And the methods stop at version 2, which
//! turns memory-mapped reading off, so that every read passes the fault board.
#![expect(
    unsafe_code,
    reason = "SQLite takes a file as a block of memory with a table of C functions; each block says why it is sound"
)]

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard};

use rusqlite::ffi;

use super::fault::{CallKind, Fault, Injected};
use super::record::{FileId, Log};
use super::shim::Shared;

#[repr(C)]
struct ShimFile {
    base: ffi::sqlite3_file,
    open_file: *mut OpenFile,
}

/// Where the inner file begins; SQLite aligns the whole block to 8 bytes, so this keeps the inner file aligned.
const INNER_OFFSET_BYTES: usize = size_of::<ShimFile>().next_multiple_of(8);
const _: () = assert!(align_of::<ShimFile>() <= 8);

/// Our part of an open file, on the Rust heap.
pub(super) struct OpenFile {
    shared: Arc<Shared>,
    /// For matching fault plans only; empty for temporary files, which have no name.
    path: String,
    /// Absent for files that are not recorded.
    id: Option<FileId>,
    /// The next successful sync also flushes the directory, as the unix VFS does once per new journal.
    syncs_directory: AtomicBool,
}

impl OpenFile {
    pub(super) fn new(shared: Arc<Shared>, path: String, id: Option<FileId>, syncs_directory: bool) -> Self {
        Self { shared, path, id, syncs_directory: AtomicBool::new(syncs_directory) }
    }

    fn on_call(&self, call: CallKind) -> Option<Injected> {
        self.shared.on_call(call, &self.path)
    }

    /// The log and this file's place in it, if the file is recorded. Whoever changes the disk takes this first and
    /// keeps it until the change is entered: then the log and the disk agree whenever another thread looks.
    fn locked_log(&self) -> Option<(FileId, MutexGuard<'_, Log>)> {
        self.id.map(|id| (id, self.shared.log()))
    }
}

/// How many bytes SQLite has to allocate for one file.
pub(super) fn size_with_inner(inner_file_bytes: c_int) -> c_int {
    INNER_OFFSET_BYTES as c_int + inner_file_bytes
}

/// # Safety
/// `file` must point to a block of [`size_with_inner`] bytes, open or not.
pub(super) unsafe fn inner_of(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    // SAFETY: the block is longer than the offset by the caller's promise.
    unsafe { file.byte_add(INNER_OFFSET_BYTES) }
}

/// Makes `file` a working file of ours.
///
/// # Safety
/// `file` must be a block of [`size_with_inner`] bytes whose inner file is open.
pub(super) unsafe fn install(file: *mut ffi::sqlite3_file, open_file: OpenFile) {
    *open_file.shared.open_files() += 1;
    let shim = file.cast::<ShimFile>();
    // SAFETY: the block begins with room for a `ShimFile`. The box comes back in `close`.
    unsafe {
        (*shim).open_file = Box::into_raw(Box::new(open_file));
        (*shim).base.pMethods = &raw const METHODS;
    }
}

/// # Safety
/// `inner_file` must have been passed to the inner VFS's open, with its method table null before.
pub(super) unsafe fn close_inner_if_open(inner_file: *mut ffi::sqlite3_file) {
    // SAFETY: a failed open leaves the table null, or sets it to ask for a close.
    unsafe {
        if let Some(methods) = (*inner_file).pMethods.as_ref()
            && let Some(close) = methods.xClose
        {
            close(inner_file);
        }
    }
}

/// Reads a file through SQLite's own descriptor: closing one of ours would drop this process's locks on the file.
///
/// # Safety
/// `inner_file` must be an open file of the inner VFS.
pub(super) unsafe fn read_whole(inner_file: *mut ffi::sqlite3_file) -> Result<Vec<u8>, c_int> {
    const CHUNK_BYTES: usize = 1 << 20;
    // SAFETY: an open file has a method table that stays for its life.
    let methods = unsafe { &*(*inner_file).pMethods };
    let (Some(file_size), Some(read)) = (methods.xFileSize, methods.xRead) else {
        return Err(ffi::SQLITE_IOERR);
    };
    let mut size_bytes = 0;
    // SAFETY: the file is open and the result lives through the call.
    let code = unsafe { file_size(inner_file, &raw mut size_bytes) };
    if code != ffi::SQLITE_OK {
        return Err(code);
    }
    let mut contents = vec![0; usize::try_from(size_bytes).map_err(|_| ffi::SQLITE_IOERR)?];
    let mut offset_bytes = 0;
    for chunk in contents.chunks_mut(CHUNK_BYTES) {
        // SAFETY: the buffer is exactly as long as the length passed, and a chunk fits in a C int.
        let code = unsafe { read(inner_file, chunk.as_mut_ptr().cast(), chunk.len() as c_int, offset_bytes) };
        if code != ffi::SQLITE_OK {
            return Err(code);
        }
        offset_bytes += chunk.len() as ffi::sqlite3_int64;
    }
    Ok(contents)
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

/// # Safety
/// `file` must be a file that [`install`] made and `close` has not yet taken, which is so for every method of this
/// table: SQLite finds the table in the file and stops using it after closing.
unsafe fn open_file_of<'a>(file: *mut ffi::sqlite3_file) -> &'a OpenFile {
    // SAFETY: `install` put a leaked box there, and only `close` takes it back.
    unsafe { &*(*file.cast::<ShimFile>()).open_file }
}

/// Calls a method of the inner file with the inner file as its first argument, or gives the fallback.
macro_rules! forward {
    ($file:expr, $method:ident($($argument:expr),*), $fallback:expr) => {{
        // SAFETY: SQLite passes an open file of ours, behind which the inner file is open, and the other arguments come
        // from SQLite, which calls every VFS by the same contract.
        unsafe {
            let inner = inner_of($file);
            match (*(*inner).pMethods).$method {
                Some(method) => method(inner, $($argument),*),
                None => $fallback,
            }
        }
    }};
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    let code = forward!(file, xClose(), ffi::SQLITE_OK);
    // SAFETY: `install` made the box, and SQLite closes a file once. The null table makes any later use plain.
    let open_file = unsafe {
        (*file).pMethods = ptr::null();
        Box::from_raw((*file.cast::<ShimFile>()).open_file)
    };
    *open_file.shared.open_files() -= 1;
    code
}

unsafe extern "C" fn read(
    file: *mut ffi::sqlite3_file,
    buffer: *mut c_void,
    length: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite passes an open file of ours.
    if let Some(injected) = unsafe { open_file_of(file) }.on_call(CallKind::Read) {
        return injected.code;
    }
    forward!(file, xRead(buffer, length, offset), ffi::SQLITE_IOERR_READ)
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    buffer: *const c_void,
    length: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite passes an open file of ours.
    let open_file = unsafe { open_file_of(file) };
    let injected = open_file.on_call(CallKind::Write);
    let written = match injected {
        None => length,
        // A VFS may not be asked to write nothing, so half of a single byte is a plain failure.
        Some(Injected { fault: Fault::ShortWrite, .. }) if length > 1 => length / 2,
        Some(injected) => return injected.code,
    };
    let log = open_file.locked_log();
    let code = forward!(file, xWrite(buffer, written, offset), ffi::SQLITE_IOERR_WRITE);
    if let Some((id, mut log)) = log {
        if code == ffi::SQLITE_OK {
            // SAFETY: SQLite passes `length` readable bytes, and `written` is neither negative nor more than that.
            let bytes = unsafe { std::slice::from_raw_parts(buffer.cast::<u8>(), written as usize) };
            // SQLite never passes a negative offset.
            log.write(id, offset as u64, bytes);
        } else {
            // The real disk failed; how much of the write it took cannot be known.
            log.note_flaw(format!("writing {} gave SQLite result code {code}", open_file.path));
        }
    }
    injected.map_or(code, |injected| injected.code)
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: ffi::sqlite3_int64) -> c_int {
    // SAFETY: SQLite passes an open file of ours.
    let open_file = unsafe { open_file_of(file) };
    if let Some(injected) = open_file.on_call(CallKind::Truncate) {
        return injected.code;
    }
    let log = open_file.locked_log();
    let code = forward!(file, xTruncate(size), ffi::SQLITE_IOERR_TRUNCATE);
    if let Some((id, mut log)) = log {
        if code == ffi::SQLITE_OK {
            // SQLite never passes a negative size.
            log.truncate(id, size as u64);
        } else {
            log.note_flaw(format!("truncating {} gave SQLite result code {code}", open_file.path));
        }
    }
    code
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: SQLite passes an open file of ours.
    let open_file = unsafe { open_file_of(file) };
    let injected = open_file.on_call(CallKind::Sync);
    if let Some((id, mut log)) = open_file.locked_log() {
        if injected.is_some() {
            log.sync_failed(id);
        } else {
            let with_directory = open_file.syncs_directory.swap(false, Ordering::Relaxed);
            log.sync(id, flags, with_directory);
        }
    }
    injected.map_or(ffi::SQLITE_OK, |injected| injected.code)
}

unsafe extern "C" fn file_size(file: *mut ffi::sqlite3_file, size: *mut ffi::sqlite3_int64) -> c_int {
    forward!(file, xFileSize(size), ffi::SQLITE_IOERR_FSTAT)
}

unsafe extern "C" fn lock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    forward!(file, xLock(level), ffi::SQLITE_IOERR_LOCK)
}

unsafe extern "C" fn unlock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    forward!(file, xUnlock(level), ffi::SQLITE_IOERR_UNLOCK)
}

unsafe extern "C" fn check_reserved_lock(file: *mut ffi::sqlite3_file, result: *mut c_int) -> c_int {
    forward!(file, xCheckReservedLock(result), ffi::SQLITE_IOERR_CHECKRESERVEDLOCK)
}

unsafe extern "C" fn file_control(file: *mut ffi::sqlite3_file, operation: c_int, argument: *mut c_void) -> c_int {
    match operation {
        // Both would let the inner VFS grow files without a write that the log could see. Neither is obligatory.
        ffi::SQLITE_FCNTL_SIZE_HINT | ffi::SQLITE_FCNTL_CHUNK_SIZE => ffi::SQLITE_NOTFOUND,
        _ => forward!(file, xFileControl(operation, argument), ffi::SQLITE_NOTFOUND),
    }
}

unsafe extern "C" fn sector_size(file: *mut ffi::sqlite3_file) -> c_int {
    forward!(file, xSectorSize(), 0)
}

/// Promises the images do not keep, such as atomic or ordered writes, must not be made to SQLite either.
unsafe extern "C" fn device_characteristics(file: *mut ffi::sqlite3_file) -> c_int {
    let kept = ffi::SQLITE_IOCAP_POWERSAFE_OVERWRITE
        | ffi::SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN
        | ffi::SQLITE_IOCAP_SUBPAGE_READ;
    forward!(file, xDeviceCharacteristics(), 0) & kept
}

unsafe extern "C" fn shm_map(
    file: *mut ffi::sqlite3_file,
    region: c_int,
    region_size: c_int,
    extend: c_int,
    result: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite passes an open file of ours.
    if let Some(injected) = unsafe { open_file_of(file) }.on_call(CallKind::ShmMap) {
        // SAFETY: SQLite passes a place for the result, which must not be left unset.
        unsafe { *result = ptr::null_mut() };
        return injected.code;
    }
    forward!(file, xShmMap(region, region_size, extend, result), ffi::SQLITE_IOERR_SHMMAP)
}

unsafe extern "C" fn shm_lock(file: *mut ffi::sqlite3_file, offset: c_int, count: c_int, flags: c_int) -> c_int {
    forward!(file, xShmLock(offset, count, flags), ffi::SQLITE_IOERR_SHMLOCK)
}

unsafe extern "C" fn shm_barrier(file: *mut ffi::sqlite3_file) {
    forward!(file, xShmBarrier(), ());
}

unsafe extern "C" fn shm_unmap(file: *mut ffi::sqlite3_file, delete: c_int) -> c_int {
    forward!(file, xShmUnmap(delete), ffi::SQLITE_OK)
}
