//! Numbers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use super::tool::Tool;
use crate::{Ctx, Result};

/// Count what is remembered here, by kind, type and scope.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct StatsInput {}

/// The numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatsOutput {
    /// Active memories.
    pub memories: u64,
    /// Active memories by kind.
    pub by_kind: BTreeMap<String, u64>,
    /// Active memories by type.
    pub by_type: BTreeMap<String, u64>,
    /// Active memories by scope.
    pub by_scope: BTreeMap<String, u64>,
    /// Memories that ended.
    pub ended: u64,
    /// When the newest one was learned.
    pub latest: Option<String>,
    /// Named things.
    pub entities: u64,
    /// Links.
    pub links: u64,
    /// Conversations.
    pub sessions: u64,
    /// Indexed files, by source: memory, docs, code.
    pub documents: BTreeMap<String, u64>,
    /// Background jobs by state.
    pub jobs: BTreeMap<String, u64>,
}

/// `stats`.
pub struct Stats;

impl Operation for Stats {
    type Input = StatsInput;
    type Output = StatsOutput;
    const NAME: &'static str = "stats";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["stats"], http: true, mcp: Some("memory_stats") };
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = "  scrubjay stats";
    const TOOL: Tool =
        Tool { about: "Count what is remembered here, by kind, type and scope.", required: &[], optional: &[] };

    async fn run(ctx: &Ctx, _input: StatsInput) -> Result<StatsOutput> {
        let store = ctx.store().await?;
        let counts = store.counts(ctx.view()).await?;
        let documents = store.document_counts(ctx.view()).await?;
        let mut output = StatsOutput {
            ended: counts.ended,
            latest: counts.latest.map(|time| time.to_string()),
            entities: counts.entities,
            links: counts.links,
            sessions: counts.sessions,
            documents: documents.into_iter().map(|count| (count.source.to_string(), count.documents)).collect(),
            ..StatsOutput::default()
        };
        for (scope, kind, memory_type, count) in counts.active {
            output.memories += count;
            *output.by_kind.entry(kind).or_default() += count;
            *output.by_type.entry(memory_type).or_default() += count;
            *output.by_scope.entry(scope.to_string()).or_default() += count;
        }
        output.jobs = counts.jobs.into_iter().map(|(state, count)| (state.name().to_owned(), count)).collect();
        Ok(output)
    }
}
