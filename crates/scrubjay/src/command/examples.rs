//! Examples at the end of a command's help.

/// The examples of an operation's command.
pub(crate) fn of(operation: &str) -> Option<&'static str> {
    Some(match operation {
        "remember" => REMEMBER,
        "recall" => RECALL,
        "inject" => INJECT,
        "capture" => CAPTURE,
        "list" => LIST,
        "export" => EXPORT,
        "import" => IMPORT,
        "import.transcripts" => TRANSCRIPTS,
        "import.chatgpt" => CHATGPT,
        "import.claude" => CLAUDE,
        "import.mem0" => MEM0,
        "import.claude-mem" => CLAUDE_MEM,
        "import.basic-memory" => BASIC_MEMORY,
        "import.openmemory" => OPENMEMORY,
        "import.slack" => SLACK,
        "import.obsidian" => OBSIDIAN,
        "index" => INDEX,
        "sync" => SYNC,
        "sources" => SOURCES,
        "consolidate" => CONSOLIDATE,
        "review" => REVIEW,
        "maintain" => MAINTAIN,
        "summarize" => SUMMARIZE,
        _ => return None,
    })
}

/// A message as `capture` takes it.
pub(crate) const MESSAGE: &str = r#"{"session_id":"standup","role":"user","content":"We ship on Friday"}"#;

const REMEMBER: &str = r#"Examples:
  scrubjay remember "Invoices are sent on the first working day of a month"
  scrubjay remember --type decision --importance 5 --tag billing "Ada owns billing"
  scrubjay remember --scope global --type preference "Answers in British English"
  git log -1 --format=%B | scrubjay remember --kind episode --type milestone"#;

const RECALL: &str = r#"Examples:
  scrubjay recall "who owns billing"
  scrubjay recall -n 3 --explain release date
  scrubjay recall --since 2026-05-01 --source sessions "flaky test"
  scrubjay recall --json "who owns billing" | jq -r '.hits[0].snippet'
  scrubjay recall --vector question.json"#;

const INJECT: &str = r#"Examples:
  scrubjay inject "who owns billing?"
  scrubjay inject --explain "who owns billing?"
  scrubjay inject --session standup --json "who owns billing?" | jq -r .text
  tail -n 3 conversation.jsonl | scrubjay inject --messages - --budget 300"#;

const CAPTURE: &str = r#"Standard input has one message per line:
  {"session_id":"standup","role":"user","content":"We ship on Friday"}
Each may also have time, id, type, origin, project and attributes. Each line is answered by one line,
after it is on disk.

Examples:
  scrubjay capture < conversation.jsonl
  my-agent --log-json | scrubjay capture --json
  scrubjay capture --session standup --role user "We ship on Friday""#;

const LIST: &str = r#"Examples:
  scrubjay list --kind fact
  scrubjay list --tag billing --since 2026-05-01 -n 20
  scrubjay list --order-by -importance --where '{"importance": {"$gte": 4}}'
  scrubjay list --ended"#;

const EXPORT: &str = r#"Examples:
  scrubjay export --output memories.jsonl
  scrubjay export --format markdown | less
  scrubjay export --all-projects | gzip > everything.jsonl.gz"#;

const TRANSCRIPTS: &str = r#"Examples:
  scrubjay import transcripts claude-code --dry-run
  scrubjay import transcripts codex --yes
  scrubjay import transcripts generic --path ~/logs/bot.jsonl --keep"#;

const CHATGPT: &str = r#"Examples:
  scrubjay import chatgpt --dry-run ~/Downloads/chatgpt-export.zip
  scrubjay import chatgpt ~/Downloads/chatgpt-export.zip"#;

const CLAUDE: &str = r#"Examples:
  scrubjay import claude --dry-run ~/Downloads/data-2026-05-01.zip
  scrubjay import claude ~/Downloads/data-2026-05-01.zip"#;

const MEM0: &str = r#"Examples:
  python3 -c 'import json; from mem0 import Memory; print(json.dumps(Memory().get_all(user_id="ada")))' > mem0.json
  scrubjay import mem0 mem0.json"#;

const CLAUDE_MEM: &str = r#"Examples:
  scrubjay import claude-mem --dry-run ~/.claude-mem
  scrubjay --project app-1a2b3c4d import claude-mem --only app ~/.claude-mem"#;

const BASIC_MEMORY: &str = r#"Examples:
  scrubjay import basic-memory --dry-run ~/basic-memory
  scrubjay import basic-memory ~/basic-memory"#;

const OPENMEMORY: &str = r#"Examples:
  scrubjay import openmemory memories_export_ada.zip"#;

const SLACK: &str = r#"Examples:
  scrubjay import slack --dry-run export.zip
  scrubjay --project app-1a2b3c4d import slack --only backend --only incidents export.zip"#;

const OBSIDIAN: &str = r#"Examples:
  scrubjay import obsidian ~/vault
  scrubjay sources add --kind notes ~/vault   (keeps the vault in step instead)"#;

const INDEX: &str = r#"Examples:
  scrubjay index
  scrubjay index --dry-run --json . | jq .skipped_by_reason
  scrubjay recall --source code "where are retries counted""#;

const SYNC: &str = r#"Examples:
  scrubjay sync
  scrubjay sync status
  scrubjay sync --trigger session-start"#;

const SOURCES: &str = r#"Examples:
  scrubjay sources
  scrubjay sources add ~/notes --kind notes --scope global
  scrubjay sources remove ~/old-project"#;

const CONSOLIDATE: &str = r#"Examples:
  scrubjay consolidate --dry-run
  scrubjay consolidate standup"#;

const REVIEW: &str = r#"Examples:
  scrubjay review
  scrubjay review --only conflict
  scrubjay review keep fact_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55
  scrubjay review reject fact_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55"#;

const MAINTAIN: &str = r#"Examples:
  scrubjay maintain --dry-run
  scrubjay maintain consolidate
  scrubjay maintain all"#;

const SUMMARIZE: &str = r#"Examples:
  scrubjay summarize --session standup "fix the login test"
  scrubjay summarize --dry-run --session standup "fix the login test""#;

const IMPORT: &str = r#"Examples:
  scrubjay import memories.jsonl
  scrubjay import --dry-run memory.json
  gunzip -c everything.jsonl.gz | scrubjay import --keep-projects -"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_message_is_the_one_in_the_help() {
        assert!(CAPTURE.contains(MESSAGE));
    }
}
