//! Which operation is shown how.

use super::page::{Answer, Page};
use super::{
    backups, config, doctor, entities, generic, history, import, inject, jobs, memories, recall, receipts, remember,
    removal, sessions, show, stats, sync,
};

/// The answer as text.
pub(crate) fn render(operation: &str, answer: &Answer, mut page: Page) -> String {
    renderer(operation)(answer, &mut page);
    page.into_text()
}

fn renderer(operation: &str) -> fn(&Answer, &mut Page) {
    match operation {
        "remember" => remember::remember,
        "correct" => remember::correct,
        "recall" => recall::recall,
        "inject" => inject::inject,
        "receipts" => receipts::receipts,
        "list" => memories::list,
        "show" => show::show,
        "confirm" => show::confirm,
        "edit" => show::edit,
        "forget" => removal::forget,
        "restore" => removal::restore,
        "purge" => removal::purge,
        "undo" => removal::undo,
        "link" => history::link,
        "history" => history::history,
        "entity" => entities::entity,
        "entities" => entities::entities,
        "entity.merge" => entities::merge,
        "sessions" => sessions::sessions,
        "session.end" => sessions::end,
        "stats" => stats::stats,
        "jobs" => jobs::jobs,
        "jobs.run" => jobs::run,
        "jobs.retry" => jobs::retry,
        "jobs.cancel" => jobs::cancel,
        "import" => import::import,
        "import.transcripts" => sync::transcripts,
        "import.notes" => sync::notes,
        "index" => sync::index,
        "sync" => sync::sync,
        "sync.status" => sync::status,
        "sources" => sync::sources,
        "sources.add" => sync::added,
        "sources.remove" => sync::removed,
        "backup" => backups::backup,
        "restore-backup" => backups::restore,
        "doctor" => doctor::doctor,
        "config.show" => config::show,
        "config.set" => config::set,
        "config.path" => config::path,
        _ => generic::generic,
    }
}
