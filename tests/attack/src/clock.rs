//! A clock that was ahead once must not leave work undone for years. The clock of
//! the binary is moved by a library that is loaded before the system's own.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::Attack;
use crate::arena::{Arena, Found, finish};
use crate::spool::until;

const SHIFT: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*next)(clockid_t, struct timespec *);
  if (!next) next = dlsym(RTLD_NEXT, "clock_gettime");
  int status = next(clock, now);
  const char *shift = getenv("SHIFT_S");
  if (status == 0 && clock == CLOCK_REALTIME && shift) now->tv_sec += atoll(shift);
  return status;
}
"#;

pub(crate) fn attack(attack: &Attack, found: &mut Found) {
    let folder = tempfile::tempdir().unwrap();
    let library = library(folder.path());
    for (what, shift_s) in [("ten years ahead", 315_576_000_i64), ("ten years behind", -315_576_000)] {
        let arena = Arena::new(&attack.program);
        // With vectors, since those wait in a queue with a time.
        arena.configure("[daemon]\nautostart = false\n");
        let at_another_time = |words: &[&str]| {
            let mut command = arena.command();
            command.env("LD_PRELOAD", &library).env("SHIFT_S", shift_s.to_string());
            finish(command.args(words), b"")
        };
        let done = at_another_time(&["remember", "Said when the clock was wrong"]);
        found.check(done.code == Some(0), || format!("a clock {what}: nothing is kept: {}", done.err));
        let listed = at_another_time(&["list", "--json"]);
        found.check(listed.out.contains("clock was wrong"), || format!("a clock {what} does not take hold"));
        arena.json(&["remember", "Said when it was right again"]);
        let _daemon = arena.serve();
        let waits = || {
            let jobs = arena.json(&["jobs"]);
            jobs["jobs"].as_array().into_iter().flatten().filter(|job: &&Value| job["state"] == "queued").count()
        };
        found.check(until(|| waits() == 0), || format!("a clock {what} leaves {} jobs waiting", waits()));
    }
}

fn library(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("shift.c"), folder.join("shift.so"));
    std::fs::write(&source, SHIFT).unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).arg("-ldl").status();
    assert!(built.unwrap().success(), "the library that moves the clock cannot be built");
    library
}
