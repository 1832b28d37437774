//! What a token is worth.

use scrubjay_core::scope::{ProjectId, View};
use scrubjay_engine::ops::{Access, Entry, Risk};
use scrubjay_engine::{Ctx, EngineError};

/// What the bearer of a token may do at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grant {
    /// Nothing: the request carried no token, on a route that needs none.
    Nobody,
    /// Everything.
    Owner,
    /// Part of one agent's memory.
    Part {
        /// The token's id.
        id: String,
        /// The agent.
        agent: String,
        /// The project; none means all of them.
        project: Option<ProjectId>,
        /// Looking only.
        read_only: bool,
    },
}

impl Grant {
    /// Whether it is worth everything.
    #[must_use]
    pub fn is_owner(&self) -> bool {
        *self == Self::Owner
    }

    /// A name for it that keeps one bearer's idempotency keys from another's.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Nobody => "nobody",
            Self::Owner => "owner",
            Self::Part { id, .. } => id,
        }
    }

    /// Whether it is enough for an operation.
    ///
    /// # Errors
    /// When it is not; nothing has happened then.
    pub fn allows(&self, entry: &Entry) -> Result<(), EngineError> {
        match self {
            Self::Owner => Ok(()),
            Self::Nobody => Err(EngineError::refused("this needs a token")),
            Self::Part { .. } if entry.access == Access::Owner => Err(EngineError::refused(format!(
                "`{}` concerns the whole store; only its owner's token may do that",
                entry.name
            ))),
            Self::Part { read_only: true, .. } if entry.risk != Risk::Read => {
                Err(EngineError::refused(format!("this token may look only; `{}` changes something", entry.name)))
            }
            Self::Part { .. } => Ok(()),
        }
    }

    /// The agent that is meant.
    ///
    /// # Errors
    /// When it is another one than the token is for.
    pub fn agent(&self, asked: Option<&str>) -> Result<String, EngineError> {
        match (self, asked) {
            (Self::Part { agent, .. }, Some(asked)) if agent != asked => {
                Err(EngineError::refused("this token is for another agent"))
            }
            (Self::Part { agent, .. }, _) => Ok(agent.clone()),
            (_, asked) => Ok(asked.unwrap_or("default").to_owned()),
        }
    }

    /// The agent's context narrowed to what the token is worth, standing where
    /// the request asks to.
    ///
    /// # Errors
    /// When it asks for more.
    pub fn confine(&self, ctx: Ctx, asked: Option<&str>) -> Result<Ctx, EngineError> {
        let asked = match asked {
            None => None,
            Some("none" | "-") => Some(View::global()),
            Some(project) => Some(View::project(project.parse().map_err(EngineError::invalid)?)),
        };
        let ctx = match self {
            Self::Nobody => return Err(EngineError::refused("this needs a token")),
            Self::Owner => ctx,
            Self::Part { project: Some(project), .. } => ctx.confined_to(project.clone()),
            Self::Part { project: None, .. } => ctx.confined_to_projects(),
        };
        match asked {
            Some(view) => ctx.at(view),
            None => Ok(ctx),
        }
    }
}
