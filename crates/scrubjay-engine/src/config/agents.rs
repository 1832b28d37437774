//! Which agents there are, by the stores that they have.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::assignments::AGENTS_KEY;
use super::error::ConfigError;
use super::file::read_user_file;
use super::layers::{Layers, load};
use super::locations::{home_user_file, is_agent_name};
use super::settings::Store;

/// Whose store it is when the path names no agent.
const SOMEONE: &str = "default";

/// Stands for the agent's name while a path is looked at; no file is called so.
const NAME: char = '\u{1}';

/// The agents that have a store where their settings put it, or had one there that is lost. Which agent the layers name
/// makes no difference.
///
/// # Errors
/// When the settings are wrong.
pub fn agents_with_stores(layers: &Layers) -> Result<BTreeSet<String>, ConfigError> {
    let user_file = layers.user_file.clone().unwrap_or_else(|| home_user_file(&layers.home));
    let file = read_user_file(&user_file)?;
    let tables = file.as_ref().and_then(|file| file.document.get(AGENTS_KEY)?.as_table_like());
    let named: BTreeSet<String> =
        tables.into_iter().flat_map(|tables| tables.iter()).map(|(name, _)| name.to_owned()).collect();
    let store_of =
        |agent: &str| Ok::<_, ConfigError>(load(&Layers { agent: agent.to_owned(), ..layers.clone() })?.settings.store);
    let mut found = BTreeSet::new();
    // A table of its own may put an agent's store somewhere else.
    for agent in &named {
        if has_store(&store_of(agent)?.file(&layers.home, agent)) {
            found.insert(agent.clone());
        }
    }
    let unnamed = std::iter::once(SOMEONE.to_owned()).chain((0..).map(|number| format!("{SOMEONE}-{number}")));
    if let Some(unnamed) = unnamed.into_iter().find(|agent| !named.contains(agent)) {
        found.extend(agents_at(&store_of(&unnamed)?, &layers.home).into_iter().filter(|agent| !named.contains(agent)));
    }
    Ok(found)
}

// The agents whose stores lie where a template puts them.
fn agents_at(store: &Store, home: &Path) -> Vec<String> {
    let path = store.file(home, &NAME.to_string());
    let mut folder = PathBuf::new();
    for component in path.components() {
        let text = match component {
            Component::Normal(text) => text.to_str().filter(|text| text.contains(NAME)),
            _ => None,
        };
        let Some(text) = text else {
            folder.push(component);
            continue;
        };
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| agent_in(entry.file_name().to_str()?, text).map(str::to_owned));
        let mut agents: Vec<String> = names.filter(|agent| has_store(&store.file(home, agent))).collect();
        agents.sort();
        agents.dedup();
        return agents;
    }
    // One file for all of them.
    if has_store(&path) { vec![SOMEONE.to_owned()] } else { Vec::new() }
}

// The agent's name in the name of a file or folder. The file beside a store tells of one that is lost.
fn agent_in<'a>(file: &'a str, template: &str) -> Option<&'a str> {
    let file = file.strip_suffix(".lineage").unwrap_or(file);
    let count = template.matches(NAME).count();
    let fixed = template.len() - count * NAME.len_utf8();
    let begin = template.find(NAME)?;
    let agent = file.get(begin..begin + file.len().checked_sub(fixed)? / count)?;
    (is_agent_name(agent) && template.replace(NAME, agent) == file).then_some(agent)
}

fn has_store(file: &Path) -> bool {
    let mut lineage = file.as_os_str().to_owned();
    lineage.push(".lineage");
    file.exists() || Path::new(&lineage).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(settings: &str, files: &[&str], wanted: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let settings = settings.replace("ELSEWHERE", folder.path().to_str().unwrap());
        fs::create_dir(&home).unwrap();
        fs::write(home.join("config.toml"), settings).unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let layers = Layers { home, agent: "default".to_owned(), ..Layers::default() };
        let found: Vec<String> = agents_with_stores(&layers).unwrap().into_iter().collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn agents_are_found_where_their_stores_lie() {
        check(
            "",
            &["home/default.sqlite", "home/work.sqlite", "home/work.sqlite-wal", "home/notes.txt"],
            &["default", "work"],
        );
        check("", &["home/lost.sqlite.lineage", "home/Upper.sqlite"], &["lost"]);
        let data = "[store]\npath = \"ELSEWHERE/data/{agent}.db\"\n";
        check(data, &["data/default.db", "data/work.db", "home/old.sqlite"], &["default", "work"]);
        check(data, &[], &[]);
        let folders = "[store]\npath = \"ELSEWHERE/of-{agent}/memory/{agentId}.db\"\n";
        check(
            folders,
            &["of-work/memory/work.db", "of-play/memory/other.db", "of-lost/memory/lost.db.lineage"],
            &["lost", "work"],
        );
        check("[store]\npath = \"ELSEWHERE/{agent}+{agent}.db\"\n", &["ab+ab.db", "ab+ba.db", "a+b+a+b.db"], &["ab"]);
    }

    #[test]
    fn a_table_of_its_own_decides_for_its_agent() {
        let settings =
            "[agents.work.store]\npath = \"ELSEWHERE/work/memory.db\"\n[agents.default.query]\nmax_results = 3\n";
        check(settings, &["home/default.sqlite", "work/memory.db", "home/play.sqlite"], &["default", "play", "work"]);
        check(settings, &["home/work.sqlite"], &[]);
    }

    #[test]
    fn one_file_for_all_is_the_default_agents() {
        check("[store]\npath = \"ELSEWHERE/memory.db\"\n", &["memory.db"], &["default"]);
        check("[store]\npath = \"ELSEWHERE/memory.db\"\n", &["home/default.sqlite"], &[]);
    }
}
