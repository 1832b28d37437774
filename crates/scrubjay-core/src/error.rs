//! What a failure means to the outside: one code, one table.
//!
//! Every error of every crate maps to one [`ErrorCode`]. The table below is the
//! only place that knows exit codes, HTTP statuses and MCP error numbers, so the
//! three surfaces cannot disagree.

use serde::{Deserialize, Serialize};

/// The stable name of a kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The request itself is malformed: a wrong flag, a missing or invalid field.
    InvalidInput,
    /// No such record is visible to the caller.
    NotFound,
    /// The record changed meanwhile, or the change contradicts another one.
    Conflict,
    /// The caller may not do this, or did not confirm a destructive step.
    Refused,
    /// The store stayed locked by other processes for too long.
    Busy,
    /// The disk is full, the folder is read-only, or a needed part is away.
    Unavailable,
    /// The store was written by a newer version; nothing was changed.
    StoreNewer,
    /// The store is damaged.
    StoreDamaged,
    /// This build or backend does not support the request.
    Unsupported,
    /// Anything else; a defect or an unexpected failure of the system.
    Internal,
}

/// One row of the table: how a code looks on each surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapping {
    /// The code this row is about.
    pub code: ErrorCode,
    /// Its stable name, as written in JSON answers.
    pub name: &'static str,
    /// Exit code of the command line.
    pub exit: u8,
    /// HTTP status.
    pub http: u16,
    /// JSON-RPC error number for protocol-level MCP errors.
    pub mcp: i32,
}

/// The table. Exit codes: 1 failed, 2 wrong usage, 3 not found, 4 refused,
/// 5 busy or unavailable, 6 store damaged.
pub const TABLE: &[Mapping] = &[
    row(ErrorCode::InvalidInput, "invalid_input", 2, 400, -32602),
    row(ErrorCode::NotFound, "not_found", 3, 404, -32602),
    row(ErrorCode::Conflict, "conflict", 4, 409, -32603),
    row(ErrorCode::Refused, "refused", 4, 403, -32603),
    row(ErrorCode::Busy, "busy", 5, 503, -32603),
    row(ErrorCode::Unavailable, "unavailable", 5, 503, -32603),
    row(ErrorCode::StoreNewer, "store_newer", 4, 503, -32603),
    row(ErrorCode::StoreDamaged, "store_damaged", 6, 500, -32603),
    row(ErrorCode::Unsupported, "unsupported", 1, 501, -32601),
    row(ErrorCode::Internal, "internal", 1, 500, -32603),
];

impl ErrorCode {
    /// The row of the table for this code.
    #[must_use]
    pub fn mapping(self) -> &'static Mapping {
        // The test below proves that the table has a row for each code; the
        // last row is what a missing one would mean anyway.
        TABLE.iter().find(|row| row.code == self).unwrap_or(&TABLE[TABLE.len() - 1])
    }

    /// The name in JSON answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.mapping().name
    }

    /// The exit code of the command line.
    #[must_use]
    pub fn exit(self) -> u8 {
        self.mapping().exit
    }
}

const fn row(code: ErrorCode, name: &'static str, exit: u8, http: u16, mcp: i32) -> Mapping {
    Mapping { code, name, exit, http, mcp }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_exactly_one_row_and_its_serde_name() {
        let all = [
            ErrorCode::InvalidInput,
            ErrorCode::NotFound,
            ErrorCode::Conflict,
            ErrorCode::Refused,
            ErrorCode::Busy,
            ErrorCode::Unavailable,
            ErrorCode::StoreNewer,
            ErrorCode::StoreDamaged,
            ErrorCode::Unsupported,
            ErrorCode::Internal,
        ];
        assert_eq!(all.len(), TABLE.len());
        for code in all {
            assert_eq!(TABLE.iter().filter(|row| row.code == code).count(), 1, "{code:?}");
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
        }
    }
}
