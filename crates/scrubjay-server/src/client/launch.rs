//! Starts a daemon that outlives us.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::daemon_files::{DaemonFiles, Lock};
use crate::{Result, ServerError};

/// Starts `program serve` for this home and leaves it alone. Returns at once;
/// false if one is there already. Several may try at the same time: one of them
/// becomes the daemon, the others end.
///
/// # Errors
/// When the program cannot be started.
pub fn launch(program: &Path, home: &Path, idle_exit_s: u64) -> Result<bool> {
    if Lock::is_held(&DaemonFiles::of(home).lock) {
        return Ok(false);
    }
    let mut command = Command::new(program);
    command.arg("serve").arg("--on-demand").arg("--home").arg(home);
    if idle_exit_s > 0 {
        command.arg("--idle-exit").arg(format!("{idle_exit_s}s"));
    }
    // Its own group, so that a key that ends our client does not end it; its own
    // folder, so that it keeps no disk busy; and none of our streams.
    command.process_group(0).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map_err(|error| ServerError::io("start", program, error))?;
    Ok(true)
}
