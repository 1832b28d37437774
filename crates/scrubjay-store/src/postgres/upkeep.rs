//! Marks, scopes, checks and repair: the store as a whole.

use std::path::Path;

use async_trait::async_trait;
use scrubjay_core::scope::Scope;
use scrubjay_core::text::TextHash;

use super::fault::Fault;
use super::migrate::SCHEMA_VERSION;
use super::row;
use super::store::{PostgresStore, read, write};
use super::value::{count, get, hash, integer, limit, parse};
use super::work::Work;
use crate::change::PURGES;
use crate::query::{CheckStatus, Finding};
use crate::traits::{BackupCopy, Upkeep};
use crate::{Result, StoreError};

/// How many rows a thorough check reads at a time.
const PAGE: usize = 1000;

#[async_trait]
impl Upkeep for PostgresStore {
    fn location(&self) -> Option<&Path> {
        None
    }

    async fn check(&self, thorough: bool) -> Result<Vec<Finding>> {
        read!(self, "check the store", |work| check(&work, thorough))
    }

    async fn repair(&self) -> Result<Vec<String>> {
        write!(self, "repair derived data", |work| repair(&work))
    }

    fn trouble(&self) -> Option<StoreError> {
        // A server that is away may be back for the next write.
        None
    }

    async fn checkpoint(&self) -> Result<()> {
        // The server looks after its log itself.
        Ok(())
    }

    async fn backup(&self, _to: &Path) -> Result<BackupCopy> {
        Err(StoreError::Unsupported { what: "a copy into a file (use the server's own backups, such as pg_dump)" })
    }

    async fn mark(&self, name: &str) -> Result<Option<u64>> {
        read!(self, "read a mark", |work| mark(&work, name))
    }

    async fn set_mark(&self, name: &str, value: u64) -> Result<()> {
        write!(self, "set a mark", |work| set_mark(&work, name, value))
    }

    async fn all_scopes(&self) -> Result<Vec<Scope>> {
        read!(self, "list scopes", |work| all_scopes(&work))
    }
}

/// A number kept under a name.
pub(super) async fn mark(work: &Work, name: &str) -> std::result::Result<Option<u64>, Fault> {
    let found = work.row("SELECT value FROM marks WHERE agent = $1 AND name = $2", &[&name]).await?;
    found.map(|row| count(&row, 0)).transpose()
}

/// Sets it.
pub(super) async fn set_mark(work: &Work, name: &str, value: u64) -> std::result::Result<(), Fault> {
    let sql = "INSERT INTO marks (agent, name, value) VALUES ($1, $2, $3)
               ON CONFLICT (agent, name) DO UPDATE SET value = excluded.value";
    work.execute(sql, &[&name, &integer(value)]).await?;
    Ok(())
}

/// Counts a purge for the index, in the purge's own transaction.
pub(super) async fn note_purge(work: &Work) -> std::result::Result<(), Fault> {
    let purges = mark(work, PURGES).await?.unwrap_or(0);
    set_mark(work, PURGES, purges + 1).await
}

async fn all_scopes(work: &Work) -> std::result::Result<Vec<Scope>, Fault> {
    let rows = work.rows("SELECT name FROM scopes WHERE agent = $1 ORDER BY name", &[]).await?;
    rows.iter().map(|row| parse(row, 0)).collect()
}

async fn repair(work: &Work) -> std::result::Result<Vec<String>, Fault> {
    let sql = "UPDATE entities e SET mention_count = found.mentions
               FROM (SELECT o.pk, (SELECT count(*) FROM memory_entities l WHERE l.agent = $1 AND l.entity = o.pk) AS mentions
                     FROM entities o WHERE o.agent = $1) found
               WHERE e.agent = $1 AND e.pk = found.pk AND e.mention_count <> found.mentions";
    let corrected = work.execute(sql, &[]).await?;
    Ok(vec![format!("{corrected} mention counts corrected")])
}

async fn check(work: &Work, thorough: bool) -> std::result::Result<Vec<Finding>, Fault> {
    let mut findings = vec![server(work).await?, schema(work).await?, mention_counts(work).await?];
    if thorough {
        findings.push(numbers(work).await?);
        findings.push(history(work).await?);
        findings.push(memories(work).await?);
    }
    Ok(findings)
}

async fn server(work: &Work) -> std::result::Result<Finding, Fault> {
    let row = work.one("SELECT current_setting('server_version') WHERE $1 IS NOT NULL", &[]).await?;
    Ok(good("server", format!("PostgreSQL {}", get::<String>(&row, 0)?)))
}

async fn schema(work: &Work) -> std::result::Result<Finding, Fault> {
    let row = work.one("SELECT max(version) FROM scrubjay_schema WHERE $1 IS NOT NULL", &[]).await?;
    let found: i64 = get(&row, 0)?;
    if found == SCHEMA_VERSION {
        return Ok(good("schema", format!("version {found}")));
    }
    // Another machine has updated it while this one was running.
    let detail = format!("version {found}, and this program knows {SCHEMA_VERSION}; restart it, or update it");
    Ok(finding("schema", CheckStatus::Warning, detail))
}

async fn mention_counts(work: &Work) -> std::result::Result<Finding, Fault> {
    let sql = "SELECT count(*) FROM entities e WHERE e.agent = $1 AND e.mention_count <>
                   (SELECT count(*) FROM memory_entities l WHERE l.agent = $1 AND l.entity = e.pk)";
    let wrong = count(&work.one(sql, &[]).await?, 0)?;
    Ok(if wrong == 0 {
        good("entities", "mention counts agree".to_owned())
    } else {
        let detail = format!("{wrong} mention counts are off; run `scrubjay doctor --repair`");
        finding("entities", CheckStatus::Repairable, detail)
    })
}

// A row with a number that was not drawn yet would be overtaken by the next one that is.
async fn numbers(work: &Work) -> std::result::Result<Finding, Fault> {
    let row = work.one(include_str!("undrawn.sql"), &[]).await?;
    let tables: Vec<String> = get::<Option<Vec<String>>>(&row, 0)?.unwrap_or_default();
    Ok(if tables.is_empty() {
        good("numbers", "every row has a number that was drawn for it".to_owned())
    } else {
        finding("numbers", CheckStatus::Damaged, format!("rows beyond the counters in {}", tables.join(", ")))
    })
}

async fn history(work: &Work) -> std::result::Result<Finding, Fault> {
    let sql = "SELECT count(*) FROM memories m WHERE m.agent = $1 AND (
                   NOT EXISTS (SELECT 1 FROM changes c
                               WHERE c.agent = $1 AND c.memory = m.pk AND c.effect = 'created')
                   OR m.version <> (SELECT max(version) FROM changes c WHERE c.agent = $1 AND c.memory = m.pk))";
    let bare = count(&work.one(sql, &[]).await?, 0)?;
    Ok(if bare == 0 {
        good("history", "complete for every memory".to_owned())
    } else {
        finding("history", CheckStatus::Damaged, format!("{bare} memories have gaps in their history"))
    })
}

// What was written by us can be read by us, and a text that was never edited must still have the hash it was stored with.
async fn memories(work: &Work) -> std::result::Result<Finding, Fault> {
    let sql = format!(
        "SELECT {}, m.text_hash, EXISTS (SELECT 1 FROM changes c WHERE c.agent = $1 AND c.memory = m.pk
                                             AND strpos(c.before, '\"content\":') > 0)
         FROM {} WHERE m.agent = $1 AND m.pk > $2 ORDER BY m.pk LIMIT $3",
        row::COLUMNS,
        row::FROM
    );
    let (mut after, mut read, mut unreadable, mut changed) = (0i64, 0usize, 0usize, 0usize);
    loop {
        let page = work.rows(&sql, &[&after, &limit(PAGE)]).await?;
        for found in &page {
            after = get(found, 24)?;
            read += 1;
            match row::read(found) {
                Err(_) => unreadable += 1,
                Ok(stored) => {
                    let (stored_hash, was_edited): ([u8; 16], bool) = (hash(found, 25)?, get(found, 26)?);
                    let is_intact = *TextHash::of_message(&stored.memory.content).as_bytes() == stored_hash;
                    changed += usize::from(!was_edited && !is_intact);
                }
            }
        }
        if page.len() < PAGE {
            break;
        }
    }
    Ok(if unreadable + changed == 0 {
        good("texts", format!("{read} memories can be read and have the text they were stored with"))
    } else {
        let detail = format!("of {read} memories {unreadable} cannot be read and {changed} are not what was stored");
        finding("texts", CheckStatus::Damaged, detail)
    })
}

fn good(check: &'static str, detail: String) -> Finding {
    finding(check, CheckStatus::Good, detail)
}

fn finding(check: &'static str, status: CheckStatus, detail: String) -> Finding {
    Finding { check, status, detail }
}
