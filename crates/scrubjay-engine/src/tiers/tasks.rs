//! Finding tasks, naming them, and what their end takes along.

use scrubjay_core::filter::{Field, Filter};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::EndedBy;
use scrubjay_core::scope::{Scope, TaskId};
use scrubjay_store::change::Change;
use scrubjay_store::context::Task;
use scrubjay_store::query::ListQuery;

use crate::{Ctx, EngineError, Result};

/// The longest name made from a title, in characters.
const NAME: usize = 40;

/// The task of this name, or the only open one.
///
/// # Errors
/// When there is none, or the name is missing and several are open.
pub async fn current(ctx: &Ctx, name: Option<&str>) -> Result<Task> {
    let store = ctx.store().await?;
    if ctx.view().project_id().is_none() {
        return Err(EngineError::invalid("tasks belong to a project; go into its folder or give --project ID"));
    }
    if let Some(name) = name {
        let id: TaskId = name.trim().parse().map_err(EngineError::invalid)?;
        let unknown = || {
            EngineError::not_found(format!("there is no task `{id}` here; `scrubjay task show` lists the open ones"))
        };
        return store.task(ctx.view(), &id).await?.ok_or_else(unknown);
    }
    let mut open = store.tasks(ctx.view(), true, 20).await?;
    match open.len() {
        0 => Err(EngineError::not_found("no task is open here; `scrubjay task begin TITLE` begins one")),
        1 => Ok(open.remove(0)),
        _ => {
            let names: Vec<&str> = open.iter().map(|task| task.id.as_str()).collect();
            let example = names.first().copied().unwrap_or_default();
            Err(EngineError::invalid(format!(
                "several tasks are open: {}; say which, such as `{example}` or, as a scope, task/{example}",
                names.join(", ")
            )))
        }
    }
}

/// The context as seen from within an open task.
///
/// # Errors
/// When there is no such task, or it is over.
pub async fn standing_in(ctx: &Ctx, name: &str) -> Result<Ctx> {
    let task = current(ctx, Some(name)).await?;
    if task.ended_at.is_some() {
        return Err(EngineError::refused(format!("the task `{}` is over, and its notes are gone", task.id)));
    }
    inside(ctx, &task)
}

/// The context as seen from within a task.
///
/// # Errors
/// When there is no project.
pub(crate) fn inside(ctx: &Ctx, task: &Task) -> Result<Ctx> {
    let view = ctx.view().with_task(task.id.clone());
    ctx.at(view.ok_or_else(|| EngineError::invalid("tasks belong to a project"))?)
}

/// A name for a task with this title that the project does not have yet.
///
/// # Errors
/// When the store fails.
pub async fn new_task_id(ctx: &Ctx, title: &str) -> Result<TaskId> {
    let store = ctx.store().await?;
    let mut name = String::new();
    for character in title.to_lowercase().chars() {
        if name.len() >= NAME {
            break;
        }
        if character.is_ascii_alphanumeric() {
            name.push(character);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_matches('-');
    let name = if name.is_empty() { "task" } else { name };
    for number in 1u32.. {
        let candidate = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
        let id: TaskId = candidate.parse().map_err(EngineError::defect)?;
        if store.task(ctx.view(), &id).await?.is_none() {
            return Ok(id);
        }
    }
    Err(EngineError::invalid("no name is left for the task; give one with --id"))
}

/// The changes that clear a task's notes, and how many notes there are. `ctx`
/// stands in the task.
///
/// # Errors
/// When the store fails.
pub async fn clear_changes(ctx: &Ctx, task: &Task) -> Result<Vec<Change>> {
    let scope = Scope::Task(task.project.clone(), task.id.clone());
    let filter = Filter::default().and_equal(Field::Scope, scope.to_string());
    let store = ctx.store().await?;
    let mut query = ListQuery { filter, limit: 1000, ..ListQuery::default() };
    let mut ids: Vec<MemoryId> = Vec::new();
    loop {
        let page = store.list(ctx.view(), query.clone()).await?;
        ids.extend(page.memories.iter().map(|memory| memory.id));
        match page.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    Ok(ids.into_iter().map(|id| Change::End { id, expected_version: None, by: EndedBy::Forgotten }).collect())
}
