//! The life of a project: what belongs to it stays with it, and nothing else does.

use std::fs;
use std::io::Write;

use serde_json::{Value, json};

use crate::scratch::Scratch;

fn line(content: &str) -> String {
    format!("{}\n", json!({"role": "user", "content": content, "session_id": "bridge-1"}))
}

fn contents(found: &Value) -> Vec<String> {
    let memories = found["memories"].as_array().unwrap();
    memories.iter().map(|memory| memory["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_followed_transcript_stays_in_its_project() {
    let scratch = Scratch::new();
    let file = scratch.work().join("chat.jsonl");
    fs::write(&file, line("The heron nests early.")).unwrap();
    let import = ["import", "transcripts", "generic", "--path", "chat.jsonl", "--keep", "--yes", "--project", "alpha"];
    assert_eq!(scratch.json(&import)["messages"], 1);
    // What is said later is read by whoever comes first: another project that searches, or nobody's sync.
    for (number, reader) in
        [["recall", "heron", "--project", "beta"], ["sync", "--quiet", "--project", "none"]].iter().enumerate()
    {
        let mut open = fs::OpenOptions::new().append(true).open(&file).unwrap();
        open.write_all(line(&format!("The secret of alpha is number {number}.")).as_bytes()).unwrap();
        assert_eq!(scratch.run(reader).code, Some(0));
    }
    scratch.run(&["sync", "--project", "alpha"]);
    for project in ["beta", "none"] {
        let seen = contents(&scratch.json(&["list", "--all", "--project", project]));
        assert!(seen.is_empty(), "{project} sees {seen:?}");
    }
    let own = contents(&scratch.json(&["list", "--all", "--project", "alpha"]));
    assert_eq!(own.len(), 3, "{own:?}");
    let places = scratch.json(&["sources", "--project", "alpha"]);
    assert_eq!(places["sources"][0]["scope"], "project/alpha", "{places}");
}

/// Folders of repositories as git lays them out, and the binary standing in them without a project's name.
struct Folders {
    scratch: Scratch,
}

impl Folders {
    fn new() -> Self {
        Self { scratch: Scratch::new() }
    }

    fn path(&self, folder: &str) -> std::path::PathBuf {
        self.scratch.work().join(folder)
    }

    /// A repository with its first commit in its log, and a remote if there is one.
    fn repository(&self, folder: &str, first_commit: &str, remote: Option<&str>) {
        let git = self.path(folder).join(".git");
        fs::create_dir_all(git.join("logs")).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        let zeros = "0".repeat(40);
        let log = format!("{zeros} {first_commit} Ada <ada@example.org> 1777638600 +0000\tcommit (initial): begin\n");
        fs::write(git.join("logs/HEAD"), log).unwrap();
        self.set_remote(folder, remote);
    }

    /// A clone: its own log does not tell the first commit, but the commit is there.
    fn cloned(&self, folder: &str, first_commit: &str, remote: &str) {
        self.repository(folder, first_commit, Some(remote));
        let git = self.path(folder).join(".git");
        let zeros = "0".repeat(40);
        let log = format!("{zeros} {OTHER} Ada <ada@example.org> 1777638600 +0000\tclone: from {remote}\n");
        fs::write(git.join("logs/HEAD"), log).unwrap();
        fs::create_dir_all(git.join("objects").join(&first_commit[..2])).unwrap();
        fs::write(git.join("objects").join(&first_commit[..2]).join(&first_commit[2..]), "").unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "a person deletes a folder of theirs")]
    fn remove(&self, folder: &str) {
        fs::remove_dir_all(self.path(folder)).unwrap();
    }

    fn set_remote(&self, folder: &str, remote: Option<&str>) {
        let remote = remote.map(|url| format!("[remote \"origin\"]\n\turl = {url}\n")).unwrap_or_default();
        fs::write(self.path(folder).join(".git/config"), format!("[core]\n\tbare = false\n{remote}")).unwrap();
    }

    fn run(&self, folder: &str, words: &[&str]) -> crate::scratch::Done {
        let mut command = self.scratch.command();
        command.env_remove("SCRUBJAY_PROJECT").current_dir(self.path(folder)).args(words);
        crate::scratch::finish(&mut command, None)
    }

    fn json(&self, folder: &str, words: &[&str]) -> Value {
        let mut all = words.to_vec();
        all.push("--json");
        self.run(folder, &all).answer(&all)
    }

    fn remember(&self, folder: &str, text: &str) {
        self.json(folder, &["remember", text]);
    }

    fn contents(&self, folder: &str) -> Vec<String> {
        contents(&self.json(folder, &["list"]))
    }

    fn id(&self, folder: &str) -> String {
        self.json(folder, &["projects", "show"])["id"].as_str().unwrap().to_owned()
    }
}

const FIRST: &str = "1111111111111111111111111111111111111111";
const OTHER: &str = "2222222222222222222222222222222222222222";

#[test]
fn a_project_keeps_its_memories_when_its_remote_or_its_folder_changes() {
    let folders = Folders::new();
    folders.repository("alpha", FIRST, None);
    folders.remember("alpha", "Alpha deploys on Tuesdays.");
    let id = folders.id("alpha");
    let kept = vec!["Alpha deploys on Tuesdays.".to_owned()];
    // `git remote add`, and a command that writes there.
    folders.set_remote("alpha", Some("git@github.com:ada/alpha.git"));
    assert_eq!(folders.contents("alpha"), kept);
    folders.remember("alpha", "Alpha deploys on Tuesdays.");
    // A clone elsewhere is the same project by its remote.
    folders.cloned("clone", FIRST, "https://github.com/ada/alpha");
    assert_eq!((folders.id("clone"), folders.contents("clone")), (id.clone(), kept.clone()));
    folders.remove("clone");
    // The address changes in place, then the folder is renamed, then the remote goes.
    folders.set_remote("alpha", Some("https://gitlab.example.org/new-home/alpha.git"));
    assert_eq!((folders.id("alpha"), folders.contents("alpha")), (id.clone(), kept));
    folders.remember("alpha", "The gate opens at nine.");
    rename(&folders, "alpha", "beta");
    assert_eq!(folders.id("beta"), id);
    folders.set_remote("beta", None);
    assert_eq!(folders.id("beta"), id);
    assert_eq!(folders.contents("beta").len(), 2);
}

#[expect(clippy::disallowed_methods, reason = "a person renames a folder")]
fn rename(folders: &Folders, from: &str, to: &str) {
    fs::rename(folders.path(from), folders.path(to)).unwrap();
}

#[test]
fn looking_keeps_track_of_a_project_and_makes_none() {
    let folders = Folders::new();
    folders.repository("alpha", FIRST, None);
    folders.remember("alpha", "Alpha deploys on Tuesdays.");
    let id = folders.id("alpha");
    // Only looked at: moved, and with a remote.
    rename(&folders, "alpha", "beta");
    folders.set_remote("beta", Some("https://github.com/ada/alpha"));
    folders.run("beta", &["recall", "when does alpha deploy"]);
    let shown = folders.json("beta", &["projects", "show"]);
    let there = folders.path("beta").canonicalize().unwrap();
    let seen =
        shown["folders"].as_array().unwrap().iter().any(|one| one["path"] == json!(there) && one["missing"] == false);
    assert!(seen && shown["remotes"] == json!(["github.com/ada/alpha"]), "{shown}");
    let listed = folders.run("beta", &["projects"]).out;
    assert!(!listed.contains("its folder is gone"), "{listed}");
    // So a copy that someone publishes elsewhere is a fork, although nothing was written in between.
    folders.cloned("fork", FIRST, "https://github.com/eve/alpha");
    assert_ne!(folders.id("fork"), id);
    // A folder where nothing was ever kept stays unknown.
    fs::create_dir(folders.path("elsewhere")).unwrap();
    folders.run("elsewhere", &["recall", "anything"]);
    let known = folders.json("elsewhere", &["projects", "--all", "--project", "none"]);
    assert_eq!(known["projects"].as_array().unwrap().len(), 1, "{known}");
}

#[test]
fn a_project_is_named_by_the_beginning_of_its_id() {
    let scratch = Scratch::new();
    for project in ["shop-1a2b3c4d", "shop-floor", "kiosk-5e6f7a8b"] {
        scratch.json(&["remember", "--project", project, "The depot opens at nine."]);
    }
    assert_eq!(scratch.json(&["projects", "show", "kiosk"])["id"], "kiosk-5e6f7a8b");
    assert_eq!(scratch.json(&["projects", "pause", "ki"])["name"], "kiosk-5e6f7a8b");
    assert_eq!(scratch.json(&["projects", "resume", "kiosk"])["resumed"][0]["name"], "kiosk-5e6f7a8b");
    let several = scratch.run(&["projects", "show", "shop"]);
    several.failed(&[2], "two begin so");
    assert!(several.err.contains("`shop-1a2b3c4d`, `shop-floor`"), "{several:?}");
    scratch.run(&["projects", "purge", "shop", "--yes"]).failed(&[2], "two begin so");
    scratch.run(&["projects", "show", "mill"]).failed(&[3], "nobody is called that");
    // A new name may be the beginning of others, and then it is the one that is meant.
    scratch.json(&["projects", "rename", "shop-1", "shop"]);
    assert_eq!(scratch.json(&["projects", "show", "shop"])["facts"], 1);
    let same = scratch.run(&["projects", "rename", "shop", "shop"]);
    same.failed(&[2], "its own name");
    assert!(same.err.contains("is called that already"), "{same:?}");
    // A pause may come before the project, and one thing is not several.
    assert_eq!(scratch.json(&["projects", "pause", "mill"])["name"], "mill");
    let refused = scratch.run(&["projects", "purge", "kiosk"]);
    assert!(refused.err.contains("for good: 1 memory, 0 conversations and 0 indexed files"), "{refused:?}");
}

#[test]
fn a_plain_folder_that_is_renamed_keeps_its_memories() {
    let folders = Folders::new();
    fs::create_dir(folders.path("notes")).unwrap();
    folders.remember("notes", "The heron nests early.");
    rename(&folders, "notes", "birds");
    assert_eq!(folders.contents("birds"), ["The heron nests early."]);
    folders.remember("birds", "The heron nests early.");
    // Another folder at the old place is not it.
    fs::create_dir(folders.path("notes")).unwrap();
    assert_eq!(folders.contents("notes"), [""; 0]);
    folders.remember("notes", "The egret is late.");
    assert_eq!(folders.contents("notes"), ["The egret is late."]);
    assert_eq!(folders.contents("birds"), ["The heron nests early."]);
}

#[test]
fn a_fork_and_another_repository_at_the_same_place_are_other_projects() {
    let folders = Folders::new();
    folders.repository("alpha", FIRST, Some("https://github.com/ada/alpha"));
    folders.remember("alpha", "Alpha's signing key lies in the blue vault.");
    folders.cloned("fork", FIRST, "https://github.com/eve/alpha");
    assert_ne!(folders.id("fork"), folders.id("alpha"));
    assert_eq!(folders.contents("fork"), [""; 0]);
    // The folder goes, and someone else's repository is cloned to its place.
    folders.remove("alpha");
    folders.repository("alpha", OTHER, Some("https://github.com/eve/evil"));
    assert_eq!(folders.contents("alpha"), [""; 0]);
    // The same without any remote.
    folders.repository("local", FIRST, None);
    folders.remember("local", "The blue vault is behind the mill.");
    folders.remove("local");
    folders.repository("local", OTHER, None);
    assert_eq!(folders.contents("local"), [""; 0]);
}

#[test]
fn what_cannot_be_told_is_said_and_adopted() {
    let folders = Folders::new();
    folders.repository("alpha", FIRST, Some("https://github.com/ada/alpha"));
    for fact in ["Alpha deploys on Tuesdays.", "The gate opens at nine."] {
        folders.remember("alpha", fact);
    }
    let id = folders.id("alpha");
    folders.remove("alpha");
    folders.cloned("moved/alpha", FIRST, "https://gitlab.example.org/ada/alpha");
    let told = folders.run("moved/alpha", &["recall", "when does alpha deploy"]).err;
    let expected = format!("2 memories are under `{id}` for a folder that is gone; `scrubjay projects adopt {id}`");
    assert!(told.contains(&expected), "{told}");
    assert_eq!(folders.contents("moved/alpha"), [""; 0], "nothing is given away unasked");
    folders.remember("moved/alpha", "The lamp is green.");
    let new = folders.id("moved/alpha");
    let told = folders.run("moved/alpha", &["projects", "adopt", &id]).out;
    assert!(told.starts_with(&format!("This folder is {id} from now on.\n1 memory that was kept here")), "{told}");
    folders.json("moved/alpha", &["undo"]);
    let adopted = folders.json("moved/alpha", &["projects", "adopt", &id]);
    assert_eq!((&adopted["to"], &adopted["memories"]), (&json!(id), &json!(1)), "{adopted}");
    assert_eq!(folders.contents("moved/alpha").len(), 3);
    assert_eq!(folders.id("moved/alpha"), id);
    folders.json("moved/alpha", &["undo"]);
    assert_eq!((folders.id("moved/alpha"), folders.contents("moved/alpha").len()), (new, 1));
    // The same where it was, cloned anew from another address.
    folders.cloned("alpha", FIRST, "https://codeberg.example.org/ada/alpha");
    let told = folders.run("alpha", &["recall", "when does alpha deploy"]).err;
    let here = format!("2 memories are under `{id}` for this folder before its remote changed");
    assert!(told.contains(&here), "{told}");
    assert_eq!(folders.contents("alpha"), [""; 0], "nothing is given away unasked");
}

#[test]
fn projects_are_listed_renamed_merged_and_taken_apart() {
    let scratch = Scratch::new();
    scratch.remember("The depot opens at nine.");
    scratch.run(&["remember", "The kiosk closes at noon.", "--project", "kiosk"]);
    let listed = scratch.json(&["projects"]);
    let ids: Vec<&str> = listed["projects"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["kiosk", "app"], "the last used first");
    assert_eq!((&listed["projects"][1]["facts"], &listed["projects"][1]["here"]), (&json!(1), &json!(true)));

    let renamed = scratch.json(&["projects", "rename", "kiosk", "stand"]);
    assert_eq!((&renamed["to"], &renamed["memories"]), (&json!("stand"), &json!(1)));
    // The old name leads there still, and what is searched for is found.
    let found = scratch.json(&["recall", "when does the kiosk close", "--project", "kiosk"]);
    assert_eq!(found["hits"][0]["scope"], "project/stand", "{found}");

    let dry = scratch.json(&["projects", "merge", "stand", "app", "--dry-run"]);
    assert_eq!((&dry["memories"], &dry["dry_run"]), (&json!(1), &json!(true)));
    let refused = scratch.run(&["projects", "merge", "stand", "app"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    scratch.json(&["projects", "merge", "stand", "app", "--yes"]);
    let hits = scratch.json(&["recall", "when does the kiosk close"]);
    assert_eq!(hits["hits"][0]["snippet"], "The kiosk closes at noon.", "{hits}");
    let undone = scratch.json(&["undo"]);
    assert_eq!(contents(&scratch.json(&["list"])), ["The depot opens at nine."]);
    assert_eq!(contents(&scratch.json(&["list", "--project", "stand"])), ["The kiosk closes at noon."]);
    // And once more, to and fro: the name follows the memories each time.
    let again = scratch.json(&["undo", undone["run"].as_str().unwrap()]);
    assert_eq!(scratch.json(&["list", "--project", "stand"])["memories"].as_array().unwrap().len(), 2);
    scratch.json(&["undo", again["run"].as_str().unwrap()]);
    assert_eq!(contents(&scratch.json(&["list", "--project", "stand"])), ["The kiosk closes at noon."]);
    let nothing = scratch.json(&["recall", "when does the kiosk close"]);
    assert!(!nothing.to_string().contains("kiosk closes"), "{nothing}");
}

#[test]
fn memories_move_between_projects_and_a_project_is_destroyed() {
    let scratch = Scratch::new();
    let id = scratch.remember("The depot opens at nine.");
    scratch.remember("The lamp is green.");
    let moved = scratch.json(&["projects", "move", &id, "--to", "depot"]);
    assert_eq!((&moved["from"], &moved["to"], &moved["memories"]), (&json!("app"), &json!("depot"), &json!(1)));
    assert_eq!(contents(&scratch.json(&["list", "--project", "depot"])), ["The depot opens at nine."]);
    scratch.json(&["undo"]);
    assert_eq!(contents(&scratch.json(&["list"])).len(), 2);
    scratch.json(&["projects", "move", &id, "--to", "depot"]);

    let dry = scratch.json(&["projects", "purge", "depot", "--dry-run"]);
    assert_eq!((&dry["memories"], &dry["dry_run"]), (&json!(1), &json!(true)), "{dry}");
    assert_eq!(scratch.run(&["projects", "purge", "depot"]).code, Some(4));
    assert_eq!(scratch.json(&["projects", "purge", "depot", "--yes"])["memories"], 1);
    assert!(contents(&scratch.json(&["list", "--all", "--project", "depot"])).is_empty());
    let store = fs::read(scratch.store()).unwrap();
    let text = "depot opens at nine";
    assert!(!store.windows(text.len()).any(|bytes| bytes == text.as_bytes()), "the text is still in the store");
    assert_eq!(contents(&scratch.json(&["list"])), ["The lamp is green."]);
}

#[test]
fn a_vault_is_seen_from_where_it_was_added_and_tells_its_files() {
    let folders = Folders::new();
    folders.repository("alpha", FIRST, None);
    fs::create_dir(folders.path("vault")).unwrap();
    fs::write(folders.path("vault/birds.md"), "The heron nests early.\n").unwrap();
    fs::write(folders.path("vault/picture.bin"), [0_u8, 159, 146, 150, 0, 1]).unwrap();
    let vault = folders.path("vault");
    let added = folders.json("alpha", &["sources", "add", vault.to_str().unwrap(), "--kind", "notes"]);
    assert_eq!(added["scope"], format!("project/{}", folders.id("alpha")), "{added}");
    let listed = folders.json("alpha", &["sources"]);
    assert_eq!(listed["sources"].as_array().unwrap().len(), 1, "{listed}");
    folders.json("alpha", &["sync"]);
    let files = folders.json("alpha", &["sources", "files", "../vault"]);
    assert!(files["files"][0]["path"].as_str().unwrap().ends_with("vault/birds.md"), "{files}");
    assert!(folders.run("alpha", &["recall", "when does the heron nest"]).out.contains("heron nests early"));
    // From the home folder it is for all projects. The shell did not read the quoted `~`.
    fs::create_dir(folders.path("../other-vault")).unwrap();
    let mut command = folders.scratch.command();
    let home = folders.path("..").canonicalize().unwrap();
    command.env_remove("SCRUBJAY_PROJECT").env("HOME", &home).current_dir(&home);
    command.args(["sources", "add", "~/other-vault", "--kind", "notes", "--json"]);
    let added = crate::scratch::finish(&mut command, None).answer(&["sources", "add"]);
    assert_eq!(added["scope"], "global", "{added}");
}

#[test]
fn a_person_is_forgotten_and_destroyed_with_everything_derived() {
    let scratch = Scratch::new();
    for (project, text) in [
        ("app", "Grace Hopper keeps the keys"),
        ("kiosk", "Ask Grace Hopper about the lamp"),
        ("app", "The lamp is green"),
    ] {
        scratch.run(&["remember", text, "--project", project]);
    }
    scratch.run(&["remember", "I prefer short answers", "--type", "preference"]);
    let me = scratch.json(&["entity", "me"]);
    assert_eq!(me["memories"][0]["content"], "I prefer short answers", "{me}");
    assert_eq!(me["memories"].as_array().unwrap().len(), 1, "{me}");
    let dry = scratch.json(&["forget", "--entity", "Grace Hopper", "--dry-run"]);
    assert_eq!(dry["ids"].as_array().unwrap().len(), 1, "{dry}");
    scratch.json(&["forget", "--entity", "Grace Hopper", "--yes"]);
    assert!(!scratch.json(&["list"]).to_string().contains("Grace"));
    scratch.json(&["undo"]);
    assert!(scratch.json(&["list"]).to_string().contains("Grace"));
    assert_eq!(scratch.run(&["purge", "--entity", "Grace Hopper", "--all-projects"]).code, Some(4));
    let gone = scratch.json(&["purge", "--entity", "Grace Hopper", "--all-projects", "--yes"]);
    assert_eq!(gone["ids"].as_array().unwrap().len(), 2, "{gone}");
    let store = fs::read(scratch.store()).unwrap();
    assert!(!store.windows(5).any(|bytes| bytes == b"Grace"), "the name is still in the store");
    assert_eq!(contents(&scratch.json(&["list"])).len(), 2);
    assert_eq!(scratch.run(&["purge", "--entity", "Grace Hopper", "--yes"]).code, Some(3));
}

#[test]
fn the_owner_searches_all_projects_at_a_terminal() {
    let scratch = Scratch::new();
    scratch.run(&["remember", "The kiosk closes at noon", "--project", "kiosk"]);
    scratch.remember("The depot opens at nine");
    let found = scratch.json(&["recall", "--all-projects", "when does the kiosk close"]);
    assert_eq!(found["hits"][0]["scope"], "project/kiosk", "{found}");
    let here = scratch.json(&["recall", "when does the kiosk close"]);
    assert!(!here.to_string().contains("kiosk closes"), "{here}");
}

#[test]
fn whoever_destroys_what_is_known_of_a_person_is_told_which_files_still_name_them() {
    let scratch = Scratch::new();
    let vault = scratch.work().join("vault");
    fs::create_dir(&vault).unwrap();
    fs::write(vault.join("garden.md"), "Grace Hopper waters the garden.\n").unwrap();
    fs::write(vault.join("shed.md"), "The shed is locked.\n").unwrap();
    scratch.json(&["sources", "add", vault.to_str().unwrap(), "--kind", "notes"]);
    scratch.json(&["sync"]);
    scratch.remember("Grace Hopper has the keys");
    for (words, code) in [
        (["purge", "--entity", "Grace Hopper", "--dry-run"].as_slice(), 0),
        (&["purge", "--entity", "Grace Hopper", "--yes"], 0),
        // Nothing but the file is left.
        (&["purge", "--entity", "Grace Hopper", "--yes"], 3),
        (&["purge", "--entity", "Grace Hopper", "--all-projects", "--yes"], 3),
    ] {
        let done = scratch.run(words);
        assert_eq!(done.code, Some(code), "{words:?}: {done:?}");
        assert!(done.err.contains("garden.md") && !done.err.contains("shed.md"), "{words:?}: {done:?}");
    }
    scratch.remember("Ada owns billing");
    let other = scratch.run(&["purge", "--entity", "Ada", "--yes"]);
    assert!(other.code == Some(0) && !other.err.contains("vault"), "{other:?}");
}
