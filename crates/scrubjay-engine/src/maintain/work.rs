//! The pieces of upkeep.

use scrubjay_core::id::RunId;
use scrubjay_core::scope::Scope;

use super::decay::decay;
use super::enrich::enrich;
use super::sessions::{Waiting, consolidate_all};
use crate::backups;
use crate::consolidate::{Extent, Fate};
use crate::reflect::reflect;
use crate::{Ctx, Result};

/// A piece of upkeep. The order is the one in which they are done when several are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// Names are looked for again.
    Enrich,
    /// Conversations are gone through.
    Consolidate,
    /// Faded facts are let go.
    Decay,
    /// The week is looked back upon.
    Reflect,
    /// The log is moved into the store's file; vectors of former models are removed.
    Tidy,
    /// A backup is made.
    Backup,
}

impl Work {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Enrich, Self::Consolidate, Self::Decay, Self::Reflect, Self::Tidy, Self::Backup];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Enrich => "enrich",
            Self::Consolidate => "consolidate",
            Self::Decay => "decay",
            Self::Reflect => "reflect",
            Self::Tidy => "tidy",
            Self::Backup => "backup",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|work| work.name() == name)
    }
}

/// What a piece of upkeep did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Done {
    /// In a few words, for people.
    pub told: Vec<String>,
    /// The runs that changed something, for undoing.
    pub runs: Vec<RunId>,
    /// What went wrong on the way.
    pub warnings: Vec<String>,
}

/// Why upkeep is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// Its time has come: what is still going on is left alone.
    Due,
    /// Someone asks for it: everything that waits is gone through.
    ByHand,
}

/// Does a piece of upkeep in the whole store.
///
/// # Errors
/// When the store or a model fails; what was done stays done.
pub async fn run(ctx: &Ctx, work: Work, occasion: Occasion, extent: Extent) -> Result<Done> {
    let store = ctx.store().await?;
    let mut done = Done::default();
    match work {
        Work::Tidy => {
            if extent == Extent::Apply {
                store.checkpoint().await?;
                while store.remove_retired(1000).await? {}
            }
            done.told.push("the log moved into the store's file, vectors of former models removed".to_owned());
        }
        Work::Backup => {
            if extent == Extent::Apply && store.location().is_some() {
                ctx.need_owner("backup")?;
                let keep = ctx.config().settings.backup.keep;
                backups::make(&*store, ctx.home(), ctx.now(), keep).await?;
            }
            done.told.push("a backup, read back and compared".to_owned());
        }
        Work::Enrich | Work::Consolidate | Work::Decay | Work::Reflect => {
            for scope in store.all_scopes().await?.iter().filter(|scope| !matches!(scope, Scope::Task(..))) {
                in_scope(ctx, work, occasion, scope, extent, &mut done).await?;
            }
        }
    }
    if done.told.is_empty() {
        done.told.push("nothing to do".to_owned());
    }
    Ok(done)
}

async fn in_scope(
    ctx: &Ctx,
    work: Work,
    occasion: Occasion,
    scope: &Scope,
    extent: Extent,
    done: &mut Done,
) -> Result<()> {
    match work {
        Work::Enrich => {
            let enriched = enrich(ctx, scope, ctx.config().settings.maintain.enrich_limit, extent).await?;
            done.warnings.extend(enriched.warnings);
            done.runs.extend(enriched.run);
            match enriched.skipped {
                Some(why) if !done.told.contains(&why) => done.told.push(why),
                None if enriched.looked_at > 0 => {
                    let (memories, mentions) = (enriched.looked_at, enriched.mentions);
                    done.told.push(format!("{scope}: looked at {memories} memories, {mentions} names are new"));
                }
                _ => {}
            }
        }
        Work::Consolidate => {
            let which = match occasion {
                Occasion::Due => Waiting::Over,
                Occasion::ByHand => Waiting::All,
            };
            for one in consolidate_all(ctx, scope, which, extent).await? {
                let count = |fate| one.outcomes.iter().filter(|outcome| outcome.fate == fate).count();
                let (new, merged) = (count(Fate::New), count(Fate::Merged));
                done.told.push(format!(
                    "{scope}, session {}: {} messages, {new} new facts, {merged} merged",
                    one.session.session_id, one.episodes
                ));
                done.runs.extend(one.run);
                done.warnings.extend(one.warnings);
            }
        }
        Work::Decay => {
            let decayed = decay(ctx, scope, extent).await?;
            if !decayed.faded.is_empty() {
                done.told.push(format!("{scope}: {} of {} facts faded", decayed.faded.len(), decayed.looked_at));
            }
            done.runs.extend(decayed.run);
        }
        Work::Reflect => {
            let reflected = reflect(ctx, scope, extent).await?;
            match (&reflected.content, &reflected.skipped) {
                (Some(_), _) => done.told.push(format!("{scope}: looked back upon {} facts", reflected.facts)),
                (None, Some(why)) if reflected.facts > 0 => done.told.push(format!("{scope}: not now, {why}")),
                _ => {}
            }
            done.runs.extend(reflected.run);
            done.warnings.extend(reflected.warnings);
        }
        Work::Tidy | Work::Backup => {}
    }
    Ok(())
}
