//! An agent's loop in three calls: open, context, finish.

use std::collections::BTreeMap;

use crate::ops::{self, TaskBegin, TaskBeginInput, TaskEnd, TaskEndInput};
use crate::tiers::TaskMemory;
use crate::{Ctx, EngineError, Result};

use crate::context::{Assembled, LoopRequest, Message, Work, loop_context};

/// One run of an agent on one task.
///
/// [`AgentLoop::open`] begins the task, [`AgentLoop::context`] makes the messages
/// for each turn, [`AgentLoop::finish`] keeps a summary and ends the task. In
/// between, [`AgentLoop::notes`] takes what the agent finds out.
pub struct AgentLoop {
    ctx: Ctx,
    task: ops::TaskRecord,
    constraints: Vec<String>,
    notes: TaskMemory,
}

/// What a finished task leaves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Finished {
    /// The episode that tells what was done.
    pub episode: Option<String>,
    /// The memories that were made from notes.
    pub promoted: Vec<String>,
}

impl AgentLoop {
    /// Begins a task in the project where `ctx` stands.
    ///
    /// # Errors
    /// When there is no project, or nothing to do.
    pub async fn open(ctx: &Ctx, task: &str, constraints: &[&str], session_id: Option<&str>) -> Result<Self> {
        let input = TaskBeginInput {
            title: task.to_owned(),
            session: session_id.map(str::to_owned),
            ..TaskBeginInput::default()
        };
        let task = ops::run::<TaskBegin>(ctx, input).await?;
        let project = task.project.parse().map_err(EngineError::defect)?;
        let notes = TaskMemory::in_store(ctx, project, task.id.parse().map_err(EngineError::defect)?)?;
        let constraints = constraints.iter().map(|constraint| (*constraint).to_owned()).collect();
        Ok(Self { ctx: ctx.clone(), task, constraints, notes })
    }

    /// The messages for the next turn, within the settings' budget or another.
    ///
    /// # Errors
    /// When the store or the index fails.
    pub async fn context(
        &self,
        conversation: &[Message],
        tool_results: &[(String, String)],
        budget: Option<usize>,
    ) -> Result<Assembled> {
        let work = Work {
            task: self.task.title.clone(),
            constraints: self.constraints.clone(),
            tool_results: tool_results.to_vec(),
            conversation: conversation.to_vec(),
        };
        let request = LoopRequest { work, budget, shares: BTreeMap::new(), session_id: self.task.session_id.clone() };
        loop_context(&self.ctx, request).await
    }

    /// What the task notes.
    #[must_use]
    pub fn notes(&self) -> &TaskMemory {
        &self.notes
    }

    /// Keeps a summary of what was done and the notes that are worth it, clears
    /// the rest and ends the task.
    ///
    /// # Errors
    /// When the summary is empty or the store fails.
    pub async fn finish(self, summary: &str, promote: &[String]) -> Result<Finished> {
        let input = TaskEndInput {
            task: Some(self.task.id.clone()),
            promote: promote.to_vec(),
            summary: Some(summary.to_owned()),
        };
        let ended = ops::run::<TaskEnd>(&self.ctx, input).await?;
        Ok(Finished { episode: ended.episode, promoted: ended.promoted })
    }
}
