//! The contexts of all agents that a daemon serves, each with its settings as
//! they are on disk now.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use scrubjay_core::scope::View;
use scrubjay_engine::config::{self, Layers};
use scrubjay_engine::ctx::{Ctx, Parts, ProcessContext};
use scrubjay_engine::home::Home;
use scrubjay_engine::{EngineError, Result};
use tokio::sync::Mutex;

/// More settings files than this are not kept in mind at once.
const AT_MOST: usize = 256;

/// Where contexts come from.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// The home folder.
    pub home: PathBuf,
    /// The user's settings.
    pub config_file: PathBuf,
    /// Settings of the environment that the daemon was started in.
    pub env: Vec<(String, String)>,
    /// Settings of its command line.
    pub flags: Vec<(String, String)>,
    /// Variables of the environment that the daemon was started in.
    pub variables: BTreeMap<String, String>,
}

type Mark = Option<(u64, i64, i64, u64)>;
type Key = (String, Option<PathBuf>);

struct Held {
    ctx: Ctx,
    marks: (Mark, Mark),
}

/// The contexts of all agents.
pub struct Agents {
    origin: Origin,
    held: Mutex<HashMap<Key, Held>>,
}

impl Agents {
    /// Contexts from these places. Nothing is opened yet.
    #[must_use]
    pub fn new(origin: Origin) -> Self {
        Self { origin, held: Mutex::new(HashMap::new()) }
    }

    /// The owner's context of an agent, outside of any project, under the
    /// settings that are on disk now.
    ///
    /// # Errors
    /// When the settings are wrong or the store cannot be opened.
    pub async fn context(&self, agent: &str, project_file: Option<&Path>) -> Result<Ctx> {
        let base = self.hold(agent, None).await?;
        match project_file {
            None => Ok(base),
            Some(file) => self.hold(agent, Some(file)).await,
        }
    }

    /// The agents whose contexts are open.
    pub async fn open(&self) -> Vec<(String, Ctx)> {
        let held = self.held.lock().await;
        let mut open: Vec<(String, Ctx)> = held
            .iter()
            .filter(|((_, project_file), _)| project_file.is_none())
            .map(|((agent, _), held)| (agent.clone(), held.ctx.clone()))
            .collect();
        open.sort_by(|a, b| a.0.cmp(&b.0));
        open
    }

    /// The home folder.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.origin.home
    }

    /// The agents that have a store, wherever their settings put it, or had one that is lost.
    ///
    /// # Errors
    /// When the settings are wrong.
    pub fn on_disk(&self) -> Result<BTreeSet<String>> {
        Ok(config::agents_with_stores(&self.layers("default", None))?)
    }

    fn layers(&self, agent: &str, project_file: Option<&Path>) -> Layers {
        Layers {
            home: self.origin.home.clone(),
            user_file: Some(self.origin.config_file.clone()),
            agent: agent.to_owned(),
            project_file: project_file.filter(|file| file.exists()).map(Path::to_owned),
            env: self.origin.env.clone(),
            flags: self.origin.flags.clone(),
        }
    }

    async fn hold(&self, agent: &str, project_file: Option<&Path>) -> Result<Ctx> {
        let marks = (mark(&self.origin.config_file), project_file.and_then(mark));
        let key = (agent.to_owned(), project_file.map(Path::to_owned));
        let mut held = self.held.lock().await;
        if let Some(found) = held.get(&key)
            && found.marks == marks
        {
            return Ok(found.ctx.clone());
        }
        let config = config::load(&self.layers(agent, project_file)).map_err(EngineError::from)?;
        // The same store under other settings shares what is open.
        let former = held.get(&key).or_else(|| held.get(&(agent.to_owned(), None))).map(|held| held.ctx.clone());
        let alike = |former: &Ctx| {
            let (old, new) = (&former.config().settings, &config.settings);
            old.store == new.store && old.embedding == new.embedding
        };
        let ctx = match former.filter(alike) {
            Some(former) => {
                former.index().await?;
                former.with_config(config)
            }
            None => {
                let home = Home {
                    path: self.origin.home.clone(),
                    config_file: self.origin.config_file.clone(),
                    agent: agent.to_owned(),
                };
                // Nobody stands anywhere; each request says where it does.
                let surroundings =
                    ProcessContext { variables: self.origin.variables.clone(), ..ProcessContext::default() };
                let ctx = Ctx::new(Parts { surroundings, ..Parts::new(home, config, View::global()) });
                // What is open is shared by all contexts made from this one. An
                // embedder that cannot be had is named by whoever needs it.
                ctx.index().await?;
                if !ctx.asks_outside() {
                    let _ = ctx.embedder().await;
                }
                ctx
            }
        };
        if held.len() >= AT_MOST {
            held.retain(|(_, project_file), _| project_file.is_none());
        }
        held.insert(key, Held { ctx: ctx.clone(), marks });
        Ok(ctx)
    }
}

// What tells that a file is another one than before.
fn mark(path: &Path) -> Mark {
    let facts = std::fs::metadata(path).ok()?;
    Some((facts.ino(), facts.mtime(), facts.mtime_nsec(), facts.len()))
}

#[cfg(test)]
mod tests {
    use scrubjay_test::TestApp;

    use super::*;

    #[tokio::test]
    async fn settings_are_read_again_when_they_change() {
        let app = TestApp::on_sqlite();
        let config_file = app.path().join("config.toml");
        let agents =
            Agents::new(Origin { home: app.path().to_owned(), config_file: config_file.clone(), ..Origin::default() });
        let results = |ctx: &Ctx| ctx.config().settings.query.max_results;
        let first = agents.context("default", None).await.unwrap();
        assert_eq!(results(&first), 6);
        std::fs::write(&config_file, "[query]\nmax_results = 3\n").unwrap();
        let second = agents.context("default", None).await.unwrap();
        assert_eq!(results(&second), 3);
        assert_ne!(first.config().settings.fingerprint(), second.config().settings.fingerprint());
        let project_file = app.path().join(".scrubjay.toml");
        std::fs::write(&project_file, "[query]\nmax_results = 4\n").unwrap();
        let third = agents.context("default", Some(&project_file)).await.unwrap();
        assert_eq!(results(&third), 4);
        assert_eq!(results(&agents.context("default", None).await.unwrap()), 3);
        assert!(agents.on_disk().unwrap().iter().eq(["default"]));
        assert_eq!(agents.open().await.len(), 1);
        std::fs::write(&config_file, "[query]\nmax_results = 0\n").unwrap();
        assert!(agents.context("default", None).await.is_err());
        assert!(agents.context("../x", None).await.is_err());
        assert!(agents.on_disk().is_err());
        let elsewhere = app.path().join("elsewhere");
        std::fs::write(&config_file, format!("[store]\npath = \"{}/{{agent}}.db\"\n", elsewhere.display())).unwrap();
        assert!(agents.on_disk().unwrap().is_empty());
        agents.context("work", None).await.unwrap();
        assert!(agents.on_disk().unwrap().iter().eq(["work"]));
    }
}
