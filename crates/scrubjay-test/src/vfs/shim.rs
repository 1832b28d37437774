//! The VFS that SQLite sees: registration, and the methods that concern paths.
//!
//! This file and `shim_file.rs` hold all the unsafe code, and each is a thin layer: turn the raw arguments into safe
//! ones, ask the fault board, do the real thing through SQLite's own `unix` VFS, tell the log. What makes it sound:
//!
//! - `sqlite3_vfs` and its [`Instance`] are leaked on registration (less than a kilobyte). SQLite keeps the bare
//!   pointer in every open connection, and there is no moment at which one could prove that none is left. What
//!   grows, the log, is freed when the handle goes.
//! - The `sqlite3_vfs` is reached through raw pointers only, because SQLite links registered ones into a list
//!   and so writes into it whenever it likes, under its own mutex.
//! - All state behind [`Instance`] sits in mutexes. None is held while another is taken, and SQLite never calls
//!   back into a VFS from within one of its calls, so nothing can deadlock.
//! - No method panics; if one did, `extern "C"` would end the process rather than unwind into C.
#![expect(unsafe_code, reason = "SQLite takes a VFS as a table of C functions; each block says why it is sound")]

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::ffi;

use super::error::VfsError;
use super::fault::{CallKind, FaultBoard, Injected};
use super::record::{FileId, Log, Opening, Seen};
use super::shim_file;

/// The files that outlive a connection. Temporary files are lost at a power cut by design and are not recorded.
const RECORDED_KINDS: c_int =
    ffi::SQLITE_OPEN_MAIN_DB | ffi::SQLITE_OPEN_MAIN_JOURNAL | ffi::SQLITE_OPEN_SUPER_JOURNAL | ffi::SQLITE_OPEN_WAL;

/// The files whose first sync makes the unix VFS flush their directory too, if they were opened for creation.
const DIRECTORY_SYNCED_KINDS: c_int =
    ffi::SQLITE_OPEN_MAIN_JOURNAL | ffi::SQLITE_OPEN_SUPER_JOURNAL | ffi::SQLITE_OPEN_WAL;

/// Finding a free name and taking it must be one step.
static REGISTRATION: Mutex<()> = Mutex::new(());

/// What the handle and all files of one VFS share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    log: Mutex<Log>,
    faults: Mutex<FaultBoard>,
    open_files: Mutex<usize>,
}

impl Shared {
    pub(super) fn log(&self) -> MutexGuard<'_, Log> {
        locked(&self.log)
    }

    pub(super) fn faults(&self) -> MutexGuard<'_, FaultBoard> {
        locked(&self.faults)
    }

    pub(super) fn open_files(&self) -> MutexGuard<'_, usize> {
        locked(&self.open_files)
    }

    pub(super) fn on_call(&self, call: CallKind, path: &str) -> Option<Injected> {
        self.faults().on_call(call, path)
    }
}

/// The state is plain data that every step leaves whole, so a panic in another test thread does not spoil it.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `pAppData` of a registered VFS points to.
pub(super) struct Instance {
    shared: Arc<Shared>,
    inner: *mut ffi::sqlite3_vfs,
}

/// A registered VFS; dropping it takes the name away from new connections and leaves open ones working.
pub(super) struct Registration {
    vfs: *mut ffi::sqlite3_vfs,
}

// SAFETY: the pointer is only ever handed to sqlite3_vfs_unregister, which may be called from any thread.
unsafe impl Send for Registration {}
// SAFETY: as above; nothing can be reached through a shared reference.
unsafe impl Sync for Registration {}

impl Registration {
    pub(super) fn new(name: &str, shared: Arc<Shared>) -> Result<Self, VfsError> {
        let c_name = CString::new(name).map_err(|_| VfsError::NameHoldsNul { name: name.to_owned() })?;
        let _guard = locked(&REGISTRATION);
        // SAFETY: both arguments are NUL-terminated strings that live through the call.
        let (taken, inner) =
            unsafe { (ffi::sqlite3_vfs_find(c_name.as_ptr()), ffi::sqlite3_vfs_find(c"unix".as_ptr())) };
        if !taken.is_null() {
            return Err(VfsError::NameTaken { name: name.to_owned() });
        }
        if inner.is_null() {
            return Err(VfsError::NoUnixVfs);
        }
        // SAFETY: SQLite's built-in VFS objects are static and these two fields never change.
        let (inner_file_bytes, path_bytes) = unsafe { ((*inner).szOsFile, (*inner).mxPathname) };
        let instance = Box::into_raw(Box::new(Instance { shared, inner }));
        let vfs = Box::into_raw(Box::new(ffi::sqlite3_vfs {
            // Version 2 leaves out the replacement of system calls, which belongs to the inner VFS alone.
            iVersion: 2,
            szOsFile: shim_file::size_with_inner(inner_file_bytes),
            mxPathname: path_bytes,
            pNext: ptr::null_mut(),
            zName: c_name.into_raw(),
            pAppData: instance.cast(),
            xOpen: Some(open),
            xDelete: Some(delete),
            xAccess: Some(access),
            xFullPathname: Some(full_pathname),
            xDlOpen: Some(dl_open),
            xDlError: Some(dl_error),
            xDlSym: Some(dl_sym),
            xDlClose: Some(dl_close),
            xRandomness: Some(randomness),
            xSleep: Some(sleep),
            xCurrentTime: Some(current_time),
            xGetLastError: Some(get_last_error),
            xCurrentTimeInt64: Some(current_time_int64),
            xSetSystemCall: None,
            xGetSystemCall: None,
            xNextSystemCall: None,
        }));
        // SAFETY: `vfs` is fully initialised and never freed, as sqlite3_vfs_register requires.
        let code = unsafe { ffi::sqlite3_vfs_register(vfs, 0) };
        if code == ffi::SQLITE_OK { Ok(Self { vfs }) } else { Err(VfsError::Register { name: name.to_owned(), code }) }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        // SAFETY: `vfs` was registered by `new` and stays allocated, so unlinking it from SQLite's list is sound.
        // The call only fails where SQLite cannot initialise, and then nothing was registered.
        let _ = unsafe { ffi::sqlite3_vfs_unregister(self.vfs) };
    }
}

/// # Safety
/// `vfs` must be one that [`Registration::new`] made, which is so for every VFS method of this file: SQLite passes
/// each method the VFS it belongs to.
unsafe fn instance_of<'a>(vfs: *mut ffi::sqlite3_vfs) -> &'a Instance {
    // SAFETY: `pAppData` was set once, to a leaked `Instance` that is never written again.
    unsafe { &*(*vfs).pAppData.cast::<Instance>() }
}

/// Calls a method of the inner VFS with the inner VFS as its first argument, or gives the fallback.
macro_rules! forward {
    ($vfs:expr, $method:ident($($argument:expr),*), $fallback:expr) => {{
        // SAFETY: SQLite passed the VFS this method belongs to, and the other arguments unchanged from SQLite, which
        // calls every VFS by the same contract. The inner VFS is static.
        unsafe {
            let inner = instance_of($vfs).inner;
            match (*inner).$method {
                Some(method) => method(inner, $($argument),*),
                None => $fallback,
            }
        }
    }};
}

unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes the VFS this method belongs to.
    let instance = unsafe { instance_of(vfs) };
    // SAFETY: `file` is at least szOsFile bytes, ours to fill. A null method table tells SQLite not to close it.
    unsafe { (*file).pMethods = ptr::null() };
    let path = if name.is_null() {
        None
    } else {
        // SAFETY: a file name is a NUL-terminated string that SQLite keeps at least until the file is closed.
        Some(path_of(unsafe { CStr::from_ptr(name) }))
    };
    let shown = path.map_or_else(String::new, |path| path.to_string_lossy().into_owned());
    let shared = &instance.shared;
    if let Some(injected) = shared.on_call(CallKind::Open, &shown) {
        return injected.code;
    }
    let recorded = path.filter(|_| flags & RECORDED_KINDS != 0);
    // The log stays locked over the look, the open and the entry, so that two connections opening the same new
    // file agree about which of them created it.
    let mut log = shared.log();
    let recorded = recorded.filter(|_| !log.is_retired());
    let before = recorded.map(Seen::look).transpose().map(Option::flatten);
    // SAFETY: the inner file lies inside `file` behind our part, and `size_with_inner` reserved its bytes.
    let inner_file = unsafe { shim_file::inner_of(file) };
    // SAFETY: as for `file` above; the inner open may fail before it sets the method table itself.
    unsafe { (*inner_file).pMethods = ptr::null() };
    let code = forward!(vfs, xOpen(name, inner_file, flags, out_flags), ffi::SQLITE_CANTOPEN);
    if code != ffi::SQLITE_OK {
        // SAFETY: the inner VFS has just returned from opening this file, and it will not be used again.
        unsafe { shim_file::close_inner_if_open(inner_file) };
        return code;
    }
    let id = recorded.and_then(|path| match before {
        Ok(before) => {
            // SAFETY: the inner file was opened just above.
            unsafe { enter_into_log(&mut log, path, before, inner_file) }
        }
        Err(error) => {
            log.note_flaw(format!("{} cannot be examined: {error}", path.display()));
            None
        }
    });
    drop(log);
    let syncs_directory = flags & DIRECTORY_SYNCED_KINDS != 0 && flags & ffi::SQLITE_OPEN_CREATE != 0;
    let open_file = shim_file::OpenFile::new(Arc::clone(shared), shown, id, syncs_directory);
    // SAFETY: `file` is ours to fill and the inner file behind it is open.
    unsafe { shim_file::install(file, open_file) };
    ffi::SQLITE_OK
}

/// # Safety
/// `inner_file` must be an open file of the inner VFS.
unsafe fn enter_into_log(
    log: &mut Log,
    path: &Path,
    before: Option<Seen>,
    inner_file: *mut ffi::sqlite3_file,
) -> Option<FileId> {
    match (log.classify(path, before), before) {
        (Opening::Known(file), _) => Some(file),
        (Opening::Unseen, Some(seen)) => {
            // SAFETY: the caller vouches for `inner_file`.
            match unsafe { shim_file::read_whole(inner_file) } {
                Ok(contents) => Some(log.adopt(path, seen, contents)),
                Err(code) => {
                    log.note_flaw(format!("reading {} gave SQLite result code {code}", path.display()));
                    None
                }
            }
        }
        (Opening::Created | Opening::Unseen, _) => match Seen::look(path) {
            Ok(Some(seen)) => Some(log.create(path, seen.inode)),
            Ok(None) => {
                log.note_flaw(format!("{} was removed while it was opened", path.display()));
                None
            }
            Err(error) => {
                log.note_flaw(format!("{} cannot be examined: {error}", path.display()));
                None
            }
        },
    }
}

unsafe extern "C" fn delete(vfs: *mut ffi::sqlite3_vfs, name: *const c_char, sync_directory: c_int) -> c_int {
    // SAFETY: SQLite passes the VFS this method belongs to.
    let shared = unsafe { &instance_of(vfs).shared };
    // SAFETY: SQLite passes a NUL-terminated path.
    let path = path_of(unsafe { CStr::from_ptr(name) });
    let mut log = shared.log();
    if !log.is_retired() && !log.is_live(path) {
        adopt_unopened(&mut log, path);
    }
    // The directory is flushed in the log only; see `shim_file` about the real disk.
    let code = forward!(vfs, xDelete(name, 0), ffi::SQLITE_IOERR_DELETE);
    if code == ffi::SQLITE_OK {
        log.delete(path, sync_directory & 1 != 0);
    }
    code
}

/// Journals left by an earlier process may be deleted without ever being opened. No file of that kind carries
/// locks, so reading it directly drops none.
fn adopt_unopened(log: &mut Log, path: &Path) {
    match Seen::look(path).and_then(|seen| seen.map(|seen| Ok((seen, std::fs::read(path)?))).transpose()) {
        Ok(Some((seen, contents))) => {
            if log.classify(path, Some(seen)) == Opening::Unseen {
                log.adopt(path, seen, contents);
            }
        }
        Ok(None) => {}
        Err(error) => log.note_flaw(format!("{} cannot be read: {error}", path.display())),
    }
}

fn path_of(name: &CStr) -> &Path {
    Path::new(OsStr::from_bytes(name.to_bytes()))
}

unsafe extern "C" fn access(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    flags: c_int,
    result: *mut c_int,
) -> c_int {
    forward!(vfs, xAccess(name, flags, result), ffi::SQLITE_IOERR_ACCESS)
}

unsafe extern "C" fn full_pathname(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    length: c_int,
    result: *mut c_char,
) -> c_int {
    forward!(vfs, xFullPathname(name, length, result), ffi::SQLITE_CANTOPEN)
}

unsafe extern "C" fn dl_open(vfs: *mut ffi::sqlite3_vfs, name: *const c_char) -> *mut c_void {
    forward!(vfs, xDlOpen(name), ptr::null_mut())
}

unsafe extern "C" fn dl_error(vfs: *mut ffi::sqlite3_vfs, length: c_int, message: *mut c_char) {
    forward!(vfs, xDlError(length, message), ());
}

/// The type of a symbol from a loaded extension, as the SQLite header declares it.
type Symbol = unsafe extern "C" fn(*mut ffi::sqlite3_vfs, *mut c_void, *const c_char);

unsafe extern "C" fn dl_sym(vfs: *mut ffi::sqlite3_vfs, library: *mut c_void, name: *const c_char) -> Option<Symbol> {
    forward!(vfs, xDlSym(library, name), None)
}

unsafe extern "C" fn dl_close(vfs: *mut ffi::sqlite3_vfs, library: *mut c_void) {
    forward!(vfs, xDlClose(library), ());
}

unsafe extern "C" fn randomness(vfs: *mut ffi::sqlite3_vfs, length: c_int, bytes: *mut c_char) -> c_int {
    forward!(vfs, xRandomness(length, bytes), 0)
}

unsafe extern "C" fn sleep(vfs: *mut ffi::sqlite3_vfs, microseconds: c_int) -> c_int {
    forward!(vfs, xSleep(microseconds), 0)
}

unsafe extern "C" fn current_time(vfs: *mut ffi::sqlite3_vfs, days: *mut f64) -> c_int {
    forward!(vfs, xCurrentTime(days), ffi::SQLITE_ERROR)
}

unsafe extern "C" fn get_last_error(vfs: *mut ffi::sqlite3_vfs, length: c_int, message: *mut c_char) -> c_int {
    forward!(vfs, xGetLastError(length, message), 0)
}

unsafe extern "C" fn current_time_int64(vfs: *mut ffi::sqlite3_vfs, milliseconds: *mut ffi::sqlite3_int64) -> c_int {
    forward!(vfs, xCurrentTimeInt64(milliseconds), ffi::SQLITE_ERROR)
}
