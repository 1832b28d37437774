//! Looking for damage.

use std::collections::BTreeSet;

use rusqlite::Connection;
use scrubjay_core::text::TextHash;

use super::connection::Fault;
use super::migrate::{self, SCHEMA_VERSION};
use super::{counts, row};
use crate::query::{CheckStatus, Finding};

/// Looks for damage; `thorough` reads everything.
pub(super) fn check(connection: &Connection, thorough: bool) -> Result<Vec<Finding>, Fault> {
    let mut findings = vec![good("sqlite", format!("SQLite {}", rusqlite::version())), schema(connection)?];
    if findings.iter().any(|finding| finding.status == CheckStatus::Damaged) {
        // What the other checks ask for may not exist.
        return Ok(findings);
    }
    findings.push(pages(connection, thorough)?);
    findings.push(references(connection)?);
    findings.push(mention_counts(connection)?);
    if thorough {
        findings.push(memory_counts(connection)?);
        findings.push(history(connection)?);
        findings.push(rows(connection)?);
        findings.push(texts(connection)?);
    }
    Ok(findings)
}

fn schema(connection: &Connection) -> Result<Finding, Fault> {
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found != SCHEMA_VERSION {
        return Ok(finding("schema", CheckStatus::Damaged, format!("version {found}, expected {SCHEMA_VERSION}")));
    }
    let (defined, expected) = (migrate::schema(connection)?, migrate::expected_schema()?);
    let differing: BTreeSet<&str> = defined.symmetric_difference(&expected).map(|(name, _)| name.as_str()).collect();
    Ok(if differing.is_empty() {
        good("schema", format!("version {found}"))
    } else {
        finding("schema", CheckStatus::Damaged, format!("not as it was made: {differing:?}"))
    })
}

fn pages(connection: &Connection, thorough: bool) -> Result<Finding, Fault> {
    let pragma = if thorough { "integrity_check" } else { "quick_check" };
    let mut statement = connection.prepare(&format!("PRAGMA {pragma}(5)"))?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let wrong: Vec<String> = lines.into_iter().filter(|line| line != "ok").collect();
    Ok(if wrong.is_empty() {
        good("integrity", format!("{pragma} found nothing wrong"))
    } else {
        finding("integrity", CheckStatus::Damaged, wrong.join("; "))
    })
}

fn references(connection: &Connection) -> Result<Finding, Fault> {
    let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
    let tables = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(if tables.is_empty() {
        good("references", "every reference has its row".to_owned())
    } else {
        finding(
            "references",
            CheckStatus::Damaged,
            format!("{} rows point nowhere, first in {}", tables.len(), tables[0]),
        )
    })
}

fn mention_counts(connection: &Connection) -> Result<Finding, Fault> {
    let wrong: i64 = connection.query_row(
        "SELECT count(*) FROM entities e WHERE e.mention_count <> (SELECT count(*) FROM memory_entities l WHERE l.entity = e.pk)",
        [],
        |row| row.get(0),
    )?;
    Ok(if wrong == 0 {
        good("entities", "mention counts agree".to_owned())
    } else {
        finding(
            "entities",
            CheckStatus::Repairable,
            format!("{wrong} mention counts are off; run `scrubjay doctor --repair`"),
        )
    })
}

fn memory_counts(connection: &Connection) -> Result<Finding, Fault> {
    Ok(match counts::wrong(connection)? {
        0 => good("counts", "counts of memories agree".to_owned()),
        wrong => finding(
            "counts",
            CheckStatus::Repairable,
            format!("{wrong} counts of memories are off; run `scrubjay doctor --repair`"),
        ),
    })
}

fn history(connection: &Connection) -> Result<Finding, Fault> {
    let bare: i64 = connection.query_row(
        "SELECT count(*) FROM memories m WHERE NOT EXISTS
             (SELECT 1 FROM changes c WHERE c.memory = m.pk AND c.effect = 'created')
             OR m.version <> (SELECT max(version) FROM changes c WHERE c.memory = m.pk)",
        [],
        |row| row.get(0),
    )?;
    Ok(if bare == 0 {
        good("history", "complete for every memory".to_owned())
    } else {
        finding("history", CheckStatus::Damaged, format!("{bare} memories have gaps in their history"))
    })
}

// What was written by us can be read by us.
fn rows(connection: &Connection) -> Result<Finding, Fault> {
    let mut wrong: i64 = connection.query_row(
        "SELECT (SELECT count(*) FROM changes WHERE NOT json_valid(ifnull(before, '{}')))
              + (SELECT count(*) FROM jobs WHERE NOT json_valid(payload))",
        [],
        |row| row.get(0),
    )?;
    let mut statement = connection.prepare(&format!("SELECT {} FROM {}", row::COLUMNS, row::FROM))?;
    let mut memories = statement.query([])?;
    while let Some(memory) = memories.next()? {
        wrong += i64::from(row::read(memory).is_err());
    }
    Ok(if wrong == 0 {
        good("rows", "every row can be read".to_owned())
    } else {
        finding("rows", CheckStatus::Damaged, format!("{wrong} rows cannot be read"))
    })
}

// SQLite has no checksums. A text that was never edited must still have the
// hash it was stored with.
fn texts(connection: &Connection) -> Result<Finding, Fault> {
    let mut statement = connection.prepare(
        "SELECT m.content, m.text_hash FROM memories m WHERE NOT EXISTS
             (SELECT 1 FROM changes c WHERE c.memory = m.pk AND instr(c.before, '\"content\":'))",
    )?;
    let mut rows = statement.query([])?;
    let (mut read, mut wrong) = (0, 0);
    while let Some(row) = rows.next()? {
        read += 1;
        let intact = match (row.get_ref(0)?.as_str(), row.get::<_, [u8; 16]>(1)) {
            (Ok(content), Ok(hash)) => *TextHash::of_message(content).as_bytes() == hash,
            _ => false,
        };
        wrong += i64::from(!intact);
    }
    Ok(if wrong == 0 {
        good("texts", format!("{read} texts have the hash they were stored with"))
    } else {
        finding("texts", CheckStatus::Damaged, format!("{wrong} of {read} texts are not what was stored"))
    })
}

fn good(check: &'static str, detail: String) -> Finding {
    finding(check, CheckStatus::Good, detail)
}

fn finding(check: &'static str, status: CheckStatus, detail: String) -> Finding {
    Finding { check, status, detail }
}
