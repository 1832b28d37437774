//! Detection on real folders, with repositories laid out as git lays them out.

use std::os::unix::fs::symlink;

use super::*;

/// A temporary folder in which files are made by relative path.
struct Tree {
    folder: tempfile::TempDir,
    /// The same folder with links resolved, as detection reports it.
    root: PathBuf,
}

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let tree = Self { folder, root };
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn folder(&self, path: &str) {
        fs::create_dir_all(self.folder.path().join(path)).unwrap();
    }

    fn detect(&self, start: &str) -> Detected {
        detect(&self.folder.path().join(start), &self.trusted()).unwrap()
    }

    /// What people trust, in a home of its own.
    fn trusted(&self) -> TrustedNames {
        TrustedNames::of(&self.folder.path().join("home"))
    }

    /// A person says that these folders may use these names.
    fn trust(&self, claims: &[(&str, &str)]) {
        let record = |(folder, project): &(&str, &str)| {
            let claim = claim_of(&self.root.join(folder), project);
            serde_json::json!({"project": claim.project, "claimant": claim.claimant, "trusted_at": ""})
        };
        let records: Vec<serde_json::Value> = claims.iter().map(record).collect();
        self.write("home/trusted-projects.json", &serde_json::Value::from(records).to_string());
    }

    /// The warnings with the folder's changing name taken out.
    fn warnings(&self, detected: &Detected) -> Vec<String> {
        let folder = format!("{}/", self.root.display());
        detected.warnings.iter().map(|warning| warning.replace(&folder, "")).collect()
    }
}

fn origin(url: &str) -> String {
    format!(
        "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
    )
}

#[test]
fn a_clone_is_named_after_its_remote() {
    let tree = Tree::new(&[
        ("a/.git/HEAD", "ref: refs/heads/main\n"),
        ("a/.git/config", &origin("git@github.com:Owner/My.Repo.git")),
        ("b/.git/HEAD", "ref: refs/heads/main\n"),
        ("b/.git/config", &origin("https://me:hunter2@GitHub.com/Owner/My.Repo")),
    ]);
    tree.folder("a/src/deep");
    let first = tree.detect("a/src/deep");
    let hash = blake3::hash(b"github.com/Owner/My.Repo").to_hex();
    assert_eq!(first.id, format!("my.repo-{}", &hash[..8]));
    assert_eq!((first.how, &first.root), (How::GitRemote, &tree.root.join("a")));
    assert_eq!((first.config_file.as_ref(), first.warnings.len()), (None, 0));
    let second = tree.detect("b");
    assert_eq!(second.id, first.id, "clones agree");
    assert!(!format!("{second:?}").contains("hunter2"));
    assert_eq!(tree.detect("a/.git/config").id, first.id, "a file starts at its folder");
}

#[test]
fn linked_worktrees_agree_with_the_main_one() {
    for config in [origin("https://h/o/r"), String::new()] {
        let tree = Tree::new(&[
            ("main/.git/HEAD", ""),
            ("main/.git/config", &config),
            ("main/.git/worktrees/w/HEAD", ""),
            ("main/.git/worktrees/w/commondir", "../..\n"),
            ("main/.git/worktrees/w2/HEAD", ""),
            ("main/.git/worktrees/w2/commondir", "../..\n"),
            ("relative/.git", "gitdir: ../main/.git/worktrees/w\n"),
        ]);
        let absolute = format!("gitdir: {}/main/.git/worktrees/w2\n", tree.root.display());
        tree.write("absolute/.git", &absolute);
        let main = tree.detect("main");
        assert_eq!(main.how, if config.is_empty() { How::Folder } else { How::GitRemote });
        for worktree in ["relative", "absolute"] {
            let linked = tree.detect(worktree);
            assert_eq!((&linked.id, linked.how), (&main.id, main.how));
            assert_eq!(linked.root, tree.root.join(worktree));
            assert!(linked.warnings.is_empty(), "{:?}", linked.warnings);
        }
    }
}

#[test]
fn worktrees_of_a_bare_repository_agree() {
    let tree = Tree::new(&[
        ("repo.git/HEAD", ""),
        ("repo.git/config", "[core]\n\tbare = true\n"),
        ("repo.git/worktrees/one/commondir", "../..\n"),
        ("repo.git/worktrees/two/commondir", "../..\n"),
        ("one/.git", "gitdir: ../repo.git/worktrees/one"),
        ("two/.git", "gitdir: ../repo.git/worktrees/two"),
    ]);
    let one = tree.detect("one");
    assert!(one.id.starts_with("repo.git-") && one.how == How::Folder, "{}", one.id);
    assert_eq!(tree.detect("two").id, one.id);
}

#[test]
fn a_submodule_is_its_own_project() {
    let tree = Tree::new(&[
        ("top/.git/HEAD", ""),
        ("top/.git/config", &origin("https://h/o/top")),
        ("top/sub/.git", "gitdir: ../.git/modules/sub\n"),
        ("top/.git/modules/sub/HEAD", ""),
        ("top/.git/modules/sub/config", &format!("{}[core]\n\tworktree = ../../../sub\n", origin("https://h/o/sub"))),
    ]);
    assert!(tree.detect("top/sub").id.starts_with("sub-"));
    assert_ne!(tree.detect("top/sub").id, tree.detect("top").id);
    tree.write("top/.git/modules/sub/config", "[core]\n\tworktree = ../../../sub\n");
    let local = tree.detect("top/sub");
    assert_eq!((local.id, local.how), (folder_id(&tree.root.join("top/sub")), How::Folder));
}

#[test]
fn remotes_are_chosen_and_resolved() {
    let other = "[remote \"up\"]\nurl = https://h/up\n[remote \"fork\"]\nurl = https://h/fork\n";
    let tree = Tree::new(&[("a/.git/config", other), ("b/.git/config", &origin("../a"))]);
    assert!(tree.detect("a").id.starts_with("up-"));
    tree.write("a/.git/config", "");
    let (original, clone) = (tree.detect("a"), tree.detect("b"));
    assert_eq!((original.how, clone.how), (How::Folder, How::GitRemote));
    assert_eq!(original.id, clone.id, "a clone of a local repository belongs to it");
}

#[test]
fn a_name_counts_only_if_the_remote_or_a_person_backs_it() {
    let hash = blake3::hash(b"h/o/r").to_hex();
    let own = format!("r-{}", &hash[..8]);
    let tree = Tree::new(&[
        ("victim/.git/config", &origin("https://h/o/r")),
        ("evil/.git/config", &origin("https://evil/o/x")),
        ("evil/.scrubjay.toml", &format!("project = \"{own}\"\n")),
        ("again/.git/config", &origin("git@evil:o/x.git")),
        ("again/.scrubjay.toml", &format!("project = \"{own}\"\n")),
        ("honest/.git/config", &origin("https://h/o/r")),
        ("honest/pkg/.scrubjay.toml", &format!("project = \"{own}\"\n")),
        ("plain/.scrubjay.toml", &format!("project = \"{own}\"\n")),
    ]);
    tree.folder("plain/below");
    assert_eq!(tree.detect("victim").id, own);
    for start in ["evil", "again", "plain", "plain/below"] {
        let found = tree.detect(start);
        assert_ne!(found.id, own, "{start}");
        assert_eq!(found.claim.as_ref().map(|claim| claim.project.as_str()), Some(own.as_str()), "{start}");
        assert!(found.warnings.iter().any(|warning| warning.contains("scrubjay projects trust")), "{start}");
    }
    assert_eq!(tree.detect("evil").id, tree.detect("again").id, "clones agree before and after");
    assert_eq!(tree.detect("plain/below").id, tree.detect("plain").id, "one project of its own");
    let honest = tree.detect("honest/pkg");
    assert_eq!((honest.id, honest.how, honest.claim), (own.clone(), How::ConfigFile, None), "its remote backs it");
    // A person's word is about one repository and one name.
    tree.trust(&[("evil", &own)]);
    assert_eq!((tree.detect("evil").id, tree.detect("again").id), (own.clone(), own.clone()));
    assert_ne!(tree.detect("plain").id, own);
    tree.write("evil/.scrubjay.toml", "project = \"another\"\n");
    assert_ne!(tree.detect("evil").id, "another");
    // What cannot be read backs nothing.
    tree.write("home/trusted-projects.json", "{");
    let found = tree.detect("again");
    assert_ne!(found.id, own);
    assert!(found.warnings.iter().any(|warning| warning.contains("is damaged")), "{:?}", found.warnings);
}

#[test]
fn a_configuration_file_names_the_project() {
    let tree = Tree::new(&[
        ("r/.git/config", &origin("https://h/o/r")),
        ("r/.scrubjay.toml", "project = \"my-app\"\n[query]\nmax_results = 3\n"),
        ("r/inner/.scrubjay.toml", "[query]\nmax_results = 4\n"),
        ("r/named/.scrubjay.toml", "project = \"inner.app\"\n"),
        ("r/nested/.git/config", &origin("https://h/o/nested")),
        ("q/.git/config", &origin("https://h/o/q")),
        ("q/.scrubjay.toml", "[query]\nmax_results = 3\n"),
    ]);
    tree.folder("r/src");
    tree.trust(&[("r", "my-app"), ("r/named", "inner.app")]);
    let check = |start: &str, id: &str, root: &str, how: How, file: Option<&str>| {
        let detected = tree.detect(start);
        assert!(detected.id.starts_with(id), "{start}: {}", detected.id);
        assert_eq!(detected.root, tree.root.join(root), "{start}");
        assert_eq!((detected.how, detected.config_file), (how, file.map(|file| tree.root.join(file))), "{start}");
    };
    check("r", "my-app", "r", How::ConfigFile, Some("r/.scrubjay.toml"));
    check("r/src", "my-app", "r", How::ConfigFile, Some("r/.scrubjay.toml"));
    check("r/inner", "my-app", "r", How::ConfigFile, Some("r/inner/.scrubjay.toml"));
    check("r/named", "inner.app", "r/named", How::ConfigFile, Some("r/named/.scrubjay.toml"));
    check("r/nested", "nested-", "r/nested", How::GitRemote, None);
    check("q", "q-", "q", How::GitRemote, Some("q/.scrubjay.toml"));
}

#[test]
fn outside_of_git_the_start_folder_is_the_project() {
    let tree = Tree::new(&[("notes/.scrubjay.toml", "[query]\nmax_results = 3\n")]);
    tree.folder("notes/My Trip");
    let detected = tree.detect("notes/My Trip");
    let root = tree.root.join("notes/My Trip");
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    assert_eq!(detected.id, format!("my-trip-{}", &hash[..8]));
    assert_eq!((&detected.root, detected.how), (&root, How::Folder));
    assert_eq!(detected.config_file, Some(tree.root.join("notes/.scrubjay.toml")));
    symlink(&root, tree.root.join("link")).unwrap();
    assert_eq!(tree.detect("link").id, detected.id, "links lead to the same project");
    let everything = detect(Path::new("/"), &tree.trusted()).unwrap().id;
    assert_eq!(validate_slug(&everything).unwrap(), everything);
}

#[test]
fn a_broken_repository_is_passed_over_with_a_warning() {
    let used = |reason: &str| format!("r/.git is not used: {reason}; the project is named after its folder");
    let missing = "No such file or directory (os error 2)";
    for (files, expected) in [
        (&[("r/.git/description", "x")][..], used("it has neither HEAD nor config")),
        (&[("r/.git", "")], used("it is a file that does not start with `gitdir:`")),
        (&[("r/.git", "gitdir:\n")], used("its `gitdir:` is empty")),
        (&[("r/.git", "gitdir: gone")], used(&format!("the folder it points to cannot be opened: {missing}"))),
        (&[("r/.git", "gitdir: file"), ("r/file", "")], used("it points to something that is no folder")),
        (
            &[("r/.git", "gitdir: ../g"), ("g/commondir", "gone")],
            used(&format!("the repository it belongs to cannot be opened: {missing}")),
        ),
        (
            &[("r/.git/HEAD", ""), ("r/.git/config/x", "")],
            "r/.git/config: the git configuration cannot be read: it is no plain file".to_owned(),
        ),
        (&[("r/.git/config", "???\n")], "r/.git/config:1: this line is not git configuration".to_owned()),
        (
            &[("r/.git/HEAD", ""), ("r/.git/config", &"#".repeat(1024 * 1024 + 1))],
            "r/.git/config: the git configuration cannot be read: it is larger than 1048576 bytes".to_owned(),
        ),
    ] {
        let tree = Tree::new(files);
        tree.folder("r/src");
        let detected = tree.detect("r/src");
        assert_eq!(tree.warnings(&detected), [expected]);
        assert_eq!((detected.how, &detected.root), (How::Folder, &tree.root.join("r")));
        assert_eq!(detected.id, folder_id(&tree.root.join("r")), "the same wherever one starts");
    }
}

#[test]
fn devices_and_dangling_links_are_not_followed() {
    let tree = Tree::new(&[("r/x", "")]);
    symlink("/dev/zero", tree.root.join("r/.git")).unwrap();
    let detected = tree.detect("r");
    assert!(tree.warnings(&detected)[0].contains("it is neither a folder nor a file"), "{detected:?}");
    symlink("/dev/zero", tree.root.join("r/.scrubjay.toml")).unwrap();
    let detected = tree.detect("r");
    assert_eq!(detected.config_file, None);
    assert!(detected.warnings[0].starts_with("a project's file is ignored: "), "{detected:?}");
    assert!(detected.warnings[0].ends_with("is a symbolic link; replace it by a plain file"), "{detected:?}");
    fs::remove_file(tree.root.join("r/.git")).unwrap();
    symlink("gone", tree.root.join("r/.git")).unwrap();
    assert!(tree.warnings(&tree.detect("r"))[1].contains("it cannot be looked at"));
}

#[test]
fn a_folder_that_is_gone_is_an_error_with_a_way_out() {
    let tree = Tree::new(&[("r/x", "")]);
    let message = detect(&tree.root.join("gone"), &tree.trusted()).unwrap_err().to_string();
    assert!(message.contains("cannot find the project of") && message.contains("--project ID"), "{message}");
}

#[test]
fn mistakes_in_a_repositorys_file_are_passed_over() {
    for (text, keeps_file, expected) in [
        ("project = \"My App\"\n", true, "r/.scrubjay.toml:1: `project` is ignored: `My App` is not a project id"),
        ("project = 5\n", true, "(r/.scrubjay.toml:1) must be of type text"),
        ("project = \n", false, "r/.scrubjay.toml:1:11 is not valid TOML"),
        ("\u{0}", false, "r/.scrubjay.toml:1:2 is not valid TOML"),
    ] {
        let tree = Tree::new(&[("r/.scrubjay.toml", text)]);
        let detected = tree.detect("r");
        assert_eq!((detected.how, &detected.id), (How::Folder, &folder_id(&tree.root.join("r"))), "{text}");
        assert_eq!(detected.config_file.is_some(), keeps_file, "{text}");
        assert!(tree.warnings(&detected)[0].contains(expected), "{text}: {detected:?}");
    }
}
