//! Which project a clone is, with repositories that git itself made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::daemon::{self, Daemon, until};
use crate::scratch::{Done, Scratch, finish};

/// Repositories below one folder, and the binary standing in them without a project's name.
struct Repositories {
    scratch: Scratch,
}

impl Repositories {
    /// With one that has two commits, in `alpha`.
    fn new() -> Self {
        Self::in_scratch(Scratch::new())
    }

    fn in_scratch(scratch: Scratch) -> Self {
        let all = Self { scratch };
        fs::create_dir(all.path("alpha")).unwrap();
        all.git("alpha", &["init", "-q", "-b", "main"]);
        for text in ["one", "two"] {
            fs::write(all.path("alpha").join("text"), text).unwrap();
            all.git("alpha", &["add", "text"]);
            all.git("alpha", &["commit", "-q", "-m", text]);
        }
        all
    }

    fn path(&self, folder: &str) -> PathBuf {
        self.scratch.work().join(folder)
    }

    fn git(&self, folder: &str, words: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always"]);
        git.args(words).current_dir(self.path(folder)).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let done = finish(&mut git, None);
        assert_eq!(done.code, Some(0), "git {words:?}: {done:?}");
    }

    /// A bare repository that can be cloned, with what `alpha` has.
    fn publish(&self, name: &str) {
        self.git(".", &["clone", "-q", "--bare", "alpha", name]);
    }

    fn clone(&self, from: &str, to: &str) {
        // Over a transport, as from a server: what is copied comes in a pack.
        let url = format!("file://{}", self.path(from).display());
        self.git(".", &["clone", "-q", &url, to]);
    }

    fn run(&self, folder: &str, words: &[&str]) -> Done {
        let mut command = self.scratch.command();
        command.env_remove("SCRUBJAY_PROJECT").env("PATH", "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin");
        finish(command.current_dir(self.path(folder)).args(words), None)
    }

    fn json(&self, folder: &str, words: &[&str]) -> Value {
        let words = [words, &["--json"]].concat();
        self.run(folder, &words).answer(&words)
    }

    fn id(&self, folder: &str) -> String {
        self.json(folder, &["projects", "show"])["id"].as_str().unwrap().to_owned()
    }

    fn count(&self, folder: &str) -> usize {
        self.json(folder, &["list"])["memories"].as_array().unwrap().len()
    }

    /// What the first project that was ever seen is known by.
    fn known(&self) -> Value {
        let file = fs::read(self.scratch.home().join("projects/default.json")).unwrap_or_default();
        let known: Value = serde_json::from_slice(&file).unwrap_or_default();
        known["projects"][0].clone()
    }

    #[expect(clippy::disallowed_methods, reason = "a person deletes a folder of theirs")]
    fn remove(&self, folder: &str) {
        fs::remove_dir_all(self.path(folder)).unwrap();
    }
}

// As onto another disk: nothing but the files is the same.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_fresh_clone_that_moves_to_another_disk_and_another_remote_keeps_its_memories() {
    let all = Repositories::new();
    all.publish("origin.git");
    all.clone("origin.git", "app");
    all.json("app", &["remember", "The gate opens at nine."]);
    let id = all.id("app");
    copy(&all.path("app"), &all.path("elsewhere"));
    all.git("elsewhere", &["remote", "set-url", "origin", "https://git.example.org/new/home.git"]);
    // As long as the first one is there, this is a copy.
    assert_ne!(all.id("elsewhere"), id);
    assert_eq!(all.count("elsewhere"), 0);
    all.remove("app");
    assert_eq!((all.id("elsewhere"), all.count("elsewhere")), (id, 1));
}

#[test]
fn a_project_that_was_never_published_is_known_again_in_its_first_clone() {
    let all = Repositories::new();
    all.json("alpha", &["remember", "The gate opens at nine."]);
    let id = all.id("alpha");
    all.publish("server.git");
    // Both are here: the clone is no more than a clone.
    all.clone("server.git", "clone");
    assert_eq!(all.count("clone"), 0);
    all.remove("clone");
    all.remove("alpha");
    all.clone("server.git", "beta");
    assert_eq!((all.id("beta"), all.count("beta")), (id.clone(), 1));
    // And from then on by its remote, too.
    all.json("beta", &["remember", "The lamp is green."]);
    all.clone("server.git", "gamma");
    assert_eq!((all.id("gamma"), all.count("gamma")), (id, 2));
}

#[test]
fn a_fork_is_offered_what_its_origin_knew_and_given_nothing() {
    let all = Repositories::new();
    for name in ["ada.git", "eve.git"] {
        all.publish(name);
    }
    all.clone("ada.git", "app");
    all.json("app", &["remember", "The blue vault is behind the mill."]);
    let id = all.id("app");
    all.clone("eve.git", "fork");
    // The first commit of a clone is known by now, and the fork has it; but the origin is still there.
    let known = all.known();
    assert_eq!(known["first_commits"].as_array().unwrap().len(), 1, "{known}");
    let told = all.run("fork", &["recall", "where is the vault"]);
    assert!(!told.err.contains("adopt") && !told.out.contains("mill"), "{told:?}");
    assert_ne!(all.id("fork"), id);
    all.remove("app");
    let told = all.run("fork", &["recall", "where is the vault"]);
    assert!(told.err.contains(&format!("scrubjay projects adopt {id}")) && !told.out.contains("mill"), "{told:?}");
    assert_eq!(all.count("fork"), 0);
    all.json("fork", &["projects", "adopt", &id]);
    assert_eq!(all.count("fork"), 1);
}

#[test]
fn a_copy_that_became_a_project_of_its_own_stays_one() {
    let all = Repositories::new();
    all.json("alpha", &["remember", "The gate opens at nine."]);
    copy(&all.path("alpha"), &all.path("beta"));
    all.json("beta", &["remember", "The lamp is green."]);
    let id = all.id("beta");
    all.remove("alpha");
    assert_eq!((all.id("beta"), all.count("beta")), (id, 1));
}

#[test]
fn a_shallow_clone_claims_no_first_commit() {
    let all = Repositories::new();
    all.publish("origin.git");
    let url = format!("file://{}", all.path("origin.git").display());
    all.git(".", &["clone", "-q", "--depth", "1", &url, "app"]);
    all.json("app", &["remember", "The gate opens at nine."]);
    let known = all.known();
    assert_eq!((&known["first_commits"], &known["folders"][0]["walked"]), (&json!([]), &json!(true)), "{known}");
}

#[test]
fn the_daemon_learns_the_first_commit_of_a_clone_that_only_hooks_work_in() {
    let all = Repositories::in_scratch(daemon::scratch());
    all.publish("origin.git");
    all.clone("origin.git", "app");
    let _daemon = Daemon::start(&all.scratch);
    let payload = json!({"session_id": "s1", "source": "startup", "cwd": all.path("app")}).to_string();
    let mut hook = all.scratch.command();
    hook.env_remove("SCRUBJAY_PROJECT").current_dir(all.path("app"));
    hook.args(["hook", "claude-code", "SessionStart", "--set", "hooks.deadline_ms=20000"]);
    assert_eq!(finish(&mut hook, Some(payload.as_bytes())).code, Some(0));
    until("the first commit", || all.known()["first_commits"].as_array().is_some_and(|commits| commits.len() == 1));
}
