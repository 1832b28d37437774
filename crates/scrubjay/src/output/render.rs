//! Which operation is shown how.

use scrubjay_engine::import::IMPORTERS;

use super::page::{Answer, Page};
use super::{
    backups, config, confirmations, context, digest, doctor, entities, facts, generic, growth, history, import,
    import_from, inject, jobs, memories, models, projects, recall, receipts, remember, removal, sessions, show, spool,
    stats, sync, tasks, tune, why_not,
};

/// The answer as text.
pub(crate) fn render(operation: &str, answer: &Answer, mut page: Page) -> String {
    // Whatever the operation, what waits is not done yet.
    let waits = answer.output.get("pending").is_some_and(serde_json::Value::is_string);
    let renderer = if waits { confirmations::pending } else { renderer(operation) };
    renderer(answer, &mut page);
    page.into_text()
}

fn renderer(operation: &str) -> fn(&Answer, &mut Page) {
    match operation {
        "remember" => remember::remember,
        "correct" => remember::correct,
        "recall" => recall::recall,
        "why-not" => why_not::why_not,
        "inject" => inject::inject,
        "receipts" => receipts::receipts,
        "context" => context::context,
        "tune" => tune::tune,
        "task.begin" => tasks::begin,
        "task.add" => tasks::add,
        "task.show" => tasks::show,
        "task.end" => tasks::end,
        "promote" => tasks::promote,
        "confirmations.list" => confirmations::list,
        "confirmations.answer" => confirmations::answer,
        "list" => memories::list,
        "show" => show::show,
        "confirm" => show::confirm,
        "edit" => show::edit,
        "feedback" => show::feedback,
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
        "consolidate" => facts::consolidate,
        "summarize" => facts::summarize,
        "reflect" => facts::reflect,
        "digest" => digest::digest,
        "decay" => facts::decay,
        "enrich" => facts::enrich,
        "maintain" => facts::maintain,
        "review" => facts::review,
        "review.keep" => facts::keep,
        "review.edit" => facts::edit,
        "review.reject" => facts::reject,
        "stats" => stats::stats,
        "growth" => growth::growth,
        "jobs" => jobs::jobs,
        "jobs.run" => jobs::run,
        "jobs.retry" => jobs::retry,
        "jobs.cancel" => jobs::cancel,
        "spool" => spool::spool,
        "spool.retry" => spool::retry,
        "spool.discard" => spool::discard,
        "pause" | "projects.pause" => projects::paused,
        "resume" | "projects.resume" => projects::resumed,
        "projects" => projects::projects,
        "projects.show" => projects::show,
        "projects.rename" | "projects.merge" | "projects.move" => projects::moved,
        "projects.adopt" => projects::adopted,
        "projects.purge" => projects::purge,
        "sources.files" => sync::files,
        "import" => import::import,
        other if IMPORTERS.iter().any(|importer| importer.operation == other) => import_from::import_from,
        "import.transcripts" => sync::transcripts,
        "import.notes" => sync::notes,
        "index" => sync::index,
        "sync" => sync::sync,
        "sync.status" => sync::status,
        "sources" => sync::sources,
        "sources.add" => sync::added,
        "sources.remove" => sync::removed,
        "models" => models::list,
        "models.test" => models::test,
        "models.set" => models::set,
        "reembed" => models::reembed,
        "spend" => models::spend,
        "backup" => backups::backup,
        "restore-backup" => backups::restore,
        "doctor" => doctor::doctor,
        "config.show" => config::show,
        "config.adjust" => config::set,
        "config.set" => config::set,
        "config.path" => config::path,
        _ => generic::generic,
    }
}
