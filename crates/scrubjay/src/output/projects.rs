//! Projects, and where nothing is kept.

use serde_json::Value;

use super::layout::Table;
use super::page::{Answer, Page, count, counted, flag, items, line, text, texts};
use super::style::Style;
use super::times;

/// `projects`.
pub(super) fn projects(answer: &Answer, page: &mut Page) {
    let projects = items(&answer.output, "projects");
    if projects.is_empty() {
        page.line("No project holds anything yet. `scrubjay remember` in a folder begins one.");
        return;
    }
    let mut table = Table::new(&[Style::Strong, Style::Plain, Style::Dim, Style::Plain]);
    for project in projects {
        let used = text(project, "last_used");
        let used = if used.is_empty() { "never used".to_owned() } else { page.ago(used) };
        table.row([&name(project), &holds(project), &used, &state(project)]);
    }
    page.table(&table);
}

/// `projects.show`.
pub(super) fn show(answer: &Answer, page: &mut Page) {
    let project = &answer.output;
    let name = page.paint(Style::Strong, &line(project, "id"));
    page.line(&format!("{name} · {}", holds(project)));
    let mut table = Table::new(&[Style::Dim, Style::Plain]);
    for folder in items(project, "folders") {
        let gone = if flag(folder, "missing") { " (gone)" } else { "" };
        table.row(["folder", &format!("{}{gone}", line(folder, "path"))]);
    }
    for (label, field) in [("remote", "remotes"), ("also", "former_ids")] {
        for one in texts(project, field) {
            table.row([label, one]);
        }
    }
    let conversations = counted(count(project, "sessions"), "conversation", "conversations");
    let files = counted(count(project, "documents"), "indexed file", "indexed files");
    table.row(["holds", &format!("{conversations}, {files}, {} ended", count(project, "ended"))]);
    if !text(project, "last_used").is_empty() {
        table.row(["last used", &page.when(text(project, "last_used"))]);
    }
    let state = state(project);
    if !state.is_empty() {
        table.row(["state", &state]);
    }
    page.table(&table);
}

/// `projects.adopt`.
pub(super) fn adopted(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let folder = match text(&answer.input, "folder") {
        "" => "This folder".to_owned(),
        folder => folder.to_owned(),
    };
    page.line(&format!("{folder} is {} from now on.", line(output, "to")));
    if count(output, "memories") > 0 {
        let moved = counted(count(output, "memories"), "memory that was", "memories that were");
        page.line(&format!("{moved} kept here meanwhile came along."));
    }
    page.line(&format!("To take it back: scrubjay undo {}", text(output, "run")));
}

/// `projects.rename`, `projects.merge` and `projects.move`.
pub(super) fn moved(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let memories = counted(count(output, "memories"), "memory", "memories");
    let (from, to) = (line(output, "from"), line(output, "to"));
    if flag(output, "dry_run") {
        page.line(&format!("This would move {memories} from {from} to {to}. Nothing was changed."));
        return;
    }
    page.line(&format!("Moved {memories} from {from} to {to}."));
    page.line(&format!("To take it back: scrubjay undo {}", text(output, "run")));
}

/// `projects.purge`.
pub(super) fn purge(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let memories = counted(count(output, "memories"), "memory", "memories");
    let conversations = counted(count(output, "sessions"), "conversation", "conversations");
    let files = counted(count(output, "documents"), "indexed file", "indexed files");
    let what = format!("{} with {memories}, {conversations} and {files}", line(output, "project"));
    page.line(&match flag(output, "dry_run") {
        true => format!("This would destroy {what}. Nothing was changed."),
        false => format!("Destroyed for good: {what}."),
    });
}

/// `pause` and `projects.pause`.
pub(super) fn paused(answer: &Answer, page: &mut Page) {
    page.line(&format!("Nothing is kept or handed out: {}.", span(&answer.output)));
    page.line(&match text(&answer.output, "kind") {
        "session" => format!("To end it: scrubjay resume --session {}", line(&answer.output, "name")),
        "all" => "To end it: scrubjay resume --all".to_owned(),
        _ => format!("To end it: scrubjay resume --project {}", line(&answer.output, "name")),
    });
}

/// `resume` and `projects.resume`.
pub(super) fn resumed(answer: &Answer, page: &mut Page) {
    let resumed = items(&answer.output, "resumed");
    if resumed.is_empty() {
        page.line("Nothing was paused here.");
    }
    for pause in resumed {
        page.line(&format!("Kept and handed out again: {}.", what(pause)));
    }
    for pause in items(&answer.output, "still_paused") {
        page.styled(Style::Dim, &format!("Still paused: {}", span(pause)));
    }
}

fn name(project: &Value) -> String {
    let here = if flag(project, "here") { " *" } else { "" };
    format!("{}{here}", line(project, "id"))
}

fn holds(project: &Value) -> String {
    let facts = counted(count(project, "facts") + count(project, "reflections"), "fact", "facts");
    let episodes = counted(count(project, "episodes"), "episode", "episodes");
    format!("{facts}, {episodes}")
}

fn state(project: &Value) -> String {
    let folders = items(project, "folders");
    let mut words = Vec::new();
    if flag(project, "paused") {
        let until = text(project, "paused_until");
        words.push(if until.is_empty() { "paused".to_owned() } else { format!("paused until {}", minute(until)) });
    }
    if !folders.is_empty() && folders.iter().all(|folder| flag(folder, "missing")) {
        words.push("its folder is gone".to_owned());
    }
    words.join(", ")
}

fn what(pause: &Value) -> String {
    match text(pause, "kind") {
        "all" => "everything".to_owned(),
        kind => format!("{kind} {}", line(pause, "name")),
    }
}

fn span(pause: &Value) -> String {
    match text(pause, "until") {
        "" => what(pause),
        until => format!("{} until {}", what(pause), minute(until)),
    }
}

// People think in minutes.
fn minute(until: &str) -> String {
    format!("{} UTC", times::minute(until))
}
