//! Marks, scopes and soundness: the store as a whole.

use std::collections::BTreeSet;

use scrubjay_core::scope::Scope;

use super::entities;
use super::tables::Tables;
use crate::change::Effect;
use crate::query::{CheckStatus, Finding};

/// Looks for contradictions between the tables, which only a defect could make.
pub(super) fn check(tables: &Tables, thorough: bool) -> Vec<Finding> {
    let mut findings = vec![references(tables), mention_counts(tables)];
    if thorough {
        findings.push(history(tables));
    }
    findings
}

/// Rebuilds everything that is derived from memories.
pub(super) fn repair(tables: &mut Tables) -> Vec<String> {
    let numbers: Vec<u64> = tables.entities.iter().map(|(pk, _)| *pk).collect();
    let corrected = numbers.into_iter().filter(|pk| entities::recount(tables, *pk)).count();
    vec![format!("{corrected} mention counts corrected")]
}

/// All scopes that hold anything.
pub(super) fn all_scopes(tables: &Tables) -> Vec<Scope> {
    let mut scopes: Vec<Scope> = tables.scopes.iter().map(|(scope, ())| scope.clone()).collect();
    scopes.sort_by_cached_key(Scope::to_string);
    scopes
}

fn references(tables: &Tables) -> Finding {
    let memory = |pk: &u64| tables.memories.has(pk);
    let links = tables.links.iter().filter(|((from, _, to), ())| !memory(from) || !memory(to)).count();
    let mentions =
        tables.mentions.iter().filter(|((pk, entity), ())| !memory(pk) || !tables.entities.has(entity)).count();
    verdict("references", links + mentions, "rows point nowhere", CheckStatus::Damaged)
}

fn mention_counts(tables: &Tables) -> Finding {
    let counted = |pk: u64| tables.mentioned_by.range((pk, 0)..=(pk, u64::MAX)).count() as u64;
    let wrong = tables.entities.iter().filter(|(pk, entity)| entity.mention_count != counted(**pk)).count();
    verdict("entities", wrong, "mention counts are off; run `scrubjay doctor --repair`", CheckStatus::Repairable)
}

fn history(tables: &Tables) -> Finding {
    let created: BTreeSet<u64> = tables
        .changes
        .iter()
        .filter(|(_, past)| past.entry.effect == Effect::Created)
        .filter_map(|(_, past)| past.memory)
        .collect();
    let bare = tables.memories.iter().filter(|(pk, _)| !created.contains(pk)).count();
    verdict("history", bare, "memories have gaps in their history", CheckStatus::Damaged)
}

fn verdict(check: &'static str, wrong: usize, what: &str, status: CheckStatus) -> Finding {
    if wrong == 0 {
        return Finding { check, status: CheckStatus::Good, detail: "as it should be".to_owned() };
    }
    Finding { check, status, detail: format!("{wrong} {what}") }
}
