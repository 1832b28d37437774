//! No longer reading a place.

use schemars::JsonSchema;
use scrubjay_store::source::SourceKind;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::sources::places_at;
use crate::{Ctx, Result};

/// Documents listed at a time.
const PAGE: usize = 500;

/// Stop reading a folder, and take its documents out of the index.
///
/// Its files are not touched, and indexing it again brings everything back. A folder of another project, or one that is gone, is named by its whole path. Messages of transcripts are memories and stay.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SourcesRemoveInput {
    /// The folder or file, as `sources` shows it.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "DIR"}))]
    pub path: String,
    /// Leave its documents in the index as they are.
    pub keep_documents: bool,
}

/// What was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourcesRemoveOutput {
    /// The folder or file.
    pub path: String,
    /// Documents taken out of the index.
    pub documents: u64,
}

/// `sources.remove`.
pub struct SourcesRemove;

impl Operation for SourcesRemove {
    type Input = SourcesRemoveInput;
    type Output = SourcesRemoveOutput;
    const NAME: &'static str = "sources.remove";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["sources", "remove"], http: true, mcp: None };
    const GROUP: Group = Group::Files;
    const EXAMPLES: &'static str = "  scrubjay sources remove ./notes";

    async fn run(ctx: &Ctx, input: SourcesRemoveInput) -> Result<SourcesRemoveOutput> {
        let store = ctx.store().await?;
        let found = places_at(ctx, &input.path).await?;
        let mut output = SourcesRemoveOutput { path: found[0].path.clone(), documents: 0 };
        for place in found {
            store.remove_source(&place.scope, place.kind, &place.path).await?;
            if place.kind == SourceKind::Transcripts || input.keep_documents {
                continue;
            }
            let prefix = format!("{}/", place.path.trim_end_matches('/'));
            loop {
                let page = store.documents(&place.scope, &prefix, None, PAGE).await?;
                if page.is_empty() {
                    break;
                }
                let paths = page.into_iter().map(|document| document.path).collect();
                output.documents += store.remove_documents(&place.scope, paths, None).await? as u64;
            }
        }
        // What stays is known by its name alone from now on.
        if input.keep_documents {
            ctx.index().await?.bring_up_to_date(&*store, true).await?;
        }
        Ok(output)
    }
}
