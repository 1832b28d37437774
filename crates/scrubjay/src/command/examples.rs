//! Examples at the end of a command's help. Every command has some, and a test
//! runs them all.

use clap::Command;

use super::aliases;

/// The examples of a command, by its words.
fn of(words: &str) -> Option<&'static str> {
    let found = EXAMPLES.iter().find(|(command, _)| *command == words);
    found.map(|(_, text)| *text)
}

/// Adds the examples to a command that has none, and to the commands below it.
pub(crate) fn add(command: Command, words: &str) -> Command {
    let below: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    let mut command = match of(words) {
        Some(text) if command.get_after_help().is_none() => command.after_help(also(words) + &help(text)),
        _ => command,
    };
    for name in below {
        command = command.mut_subcommand(&name, |inner| add(inner, &format!("{words} {name}")));
    }
    command
}

// Other names are easily missed, so each is told with the help of its command.
fn also(words: &str) -> String {
    match aliases::of(words) {
        [] => String::new(),
        names => format!("Also called: {}\n\n", names.join(", ")),
    }
}

// Lines with a command are examples; anything before them explains.
fn help(text: &str) -> String {
    match text.split_once("\n\n") {
        Some((preface, lines)) => format!("{preface}\n\nExamples:\n{lines}"),
        None => format!("Examples:\n{text}"),
    }
}

/// A message as `capture` takes it.
pub(crate) const MESSAGE: &str = r#"{"session_id":"standup","role":"user","content":"We ship on Friday"}"#;

/// The examples, by the words of their command.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "remember",
        r#"  scrubjay remember "Invoices are sent on the first working day of a month"
  scrubjay remember --type decision --importance 5 --tag billing "Ada owns billing"
  scrubjay remember --scope global --type preference "Answers in British English"
  scrubjay remember --time yesterday "The certificate of staging expired"
  git log -1 --format=%B | scrubjay remember --kind episode --type milestone"#,
    ),
    (
        "recall",
        r#"  scrubjay recall "who owns billing"
  scrubjay recall -n 3 --explain release date
  scrubjay recall --since "last week" --source sessions "flaky test"
  scrubjay recall --json "who owns billing" | jq -r '.hits[0].snippet'
  scrubjay recall --vector question.json"#,
    ),
    (
        "inject",
        r#"  scrubjay inject "who owns billing?"
  scrubjay inject --explain "who owns billing?"
  scrubjay inject --session standup --json "who owns billing?" | jq -r .text
  tail -n 3 conversation.jsonl | scrubjay inject --messages - --budget 300"#,
    ),
    (
        "capture",
        r#"Standard input has one message per line:
  {"session_id":"standup","role":"user","content":"We ship on Friday"}
Each may also have time, id, type, origin, project and attributes. Each line is answered by one line,
after it is on disk.

  scrubjay capture < conversation.jsonl
  my-agent --log-json | scrubjay capture --json
  scrubjay capture --session standup --role user "We ship on Friday""#,
    ),
    (
        "context",
        r#"  scrubjay context "Fix the flaky test in billing"
  scrubjay context "Fix the flaky test" --conversation conversation.jsonl --budget 8000
  scrubjay context --profile tiers --json "Fix the flaky test" | jq .tiers"#,
    ),
    (
        "receipts",
        r#"  scrubjay receipts -n 5
  scrubjay receipts --session standup"#,
    ),
    ("tune", "  scrubjay tune"),
    (
        "task begin",
        r#"  scrubjay task begin "Fix the flaky test"
  scrubjay task begin --id flaky-test --session standup "Fix the flaky test""#,
    ),
    (
        "task add",
        r#"  scrubjay task add "The clock is mocked twice"
  scrubjay task add --task flaky-test --stage plan "First make it fail every time"
  cargo test 2>&1 | tail -n 20 | scrubjay task add --tool cargo"#,
    ),
    (
        "task show",
        r#"  scrubjay task show
  scrubjay task show flaky-test --stage plan"#,
    ),
    (
        "task end",
        r#"  scrubjay task end
  scrubjay task end flaky-test --promote tmp_2b7e91c4 --summary "The test mocked the clock twice; it is steady now.""#,
    ),
    (
        "promote",
        r#"  scrubjay promote tmp_2b7e91c4 --type decision
  scrubjay promote fact_2b7e91c4 --to global"#,
    ),
    (
        "confirmations",
        r#"  scrubjay confirmations
  scrubjay confirmations --all-projects"#,
    ),
    ("confirmations answer", "  scrubjay confirmations answer conf_2b7e91c4 yes"),
    (
        "list",
        r#"  scrubjay list --kind fact
  scrubjay list --tag billing --since 7d -n 20
  scrubjay list --order-by importance --where '{"importance": {"$gte": 4}}'
  scrubjay list --as-of yesterday
  scrubjay list --ended"#,
    ),
    (
        "show",
        r#"  scrubjay show fact_2b7e91c4
  scrubjay show README.md
  scrubjay show --json fact_2b7e91c4 | jq .history"#,
    ),
    ("correct", r#"  scrubjay correct fact_2b7e91c4 "Grace owns billing""#),
    ("confirm", "  scrubjay confirm fact_2b7e91c4"),
    (
        "edit",
        r#"  scrubjay edit fact_2b7e91c4 --importance 5 --tag billing
  scrubjay edit fact_2b7e91c4 --content "Ada owns billing and refunds""#,
    ),
    (
        "forget",
        r#"  scrubjay forget fact_2b7e91c4
  scrubjay forget --tag old --dry-run
  scrubjay forget --kind episode --until "last year" --yes"#,
    ),
    ("restore", "  scrubjay restore fact_90d1f3a7"),
    (
        "purge",
        r#"  scrubjay purge --dry-run fact_2b7e91c4
  scrubjay purge --yes fact_2b7e91c4"#,
    ),
    (
        "link",
        r#"  scrubjay link fact_2b7e91c4 elaborates ep_2b7e91c4
  scrubjay link --remove fact_2b7e91c4 elaborates ep_2b7e91c4"#,
    ),
    ("history", "  scrubjay history fact_2b7e91c4"),
    (
        "undo",
        r#"  scrubjay undo
  scrubjay undo fact_2b7e91c4
  scrubjay undo run_2b7e91c4"#,
    ),
    (
        "entity",
        r#"  scrubjay entity ada
  scrubjay entity --limit 3 src/billing.rs"#,
    ),
    (
        "entities",
        r#"  scrubjay entities --type person
  scrubjay entities --name bill"#,
    ),
    ("entities merge", r#"  scrubjay entities merge ada "Ada Lovelace""#),
    ("sessions", "  scrubjay sessions -n 10"),
    ("sessions end", "  scrubjay sessions end standup"),
    (
        "consolidate",
        r#"  scrubjay consolidate --dry-run
  scrubjay consolidate standup"#,
    ),
    (
        "review",
        r#"  scrubjay review
  scrubjay review --only conflict"#,
    ),
    ("review keep", "  scrubjay review keep fact_2b7e91c4"),
    ("review edit", r#"  scrubjay review edit fact_2b7e91c4 "Ada owns billing, not refunds""#),
    ("review reject", "  scrubjay review reject fact_2b7e91c4"),
    (
        "summarize",
        r#"  scrubjay summarize --session standup "fix the login test"
  scrubjay summarize --dry-run --session standup "fix the login test""#,
    ),
    (
        "digest",
        r#"  scrubjay digest
  scrubjay digest --since yesterday"#,
    ),
    ("reflect", "  scrubjay reflect --dry-run"),
    ("decay", "  scrubjay decay --dry-run"),
    ("enrich", "  scrubjay enrich --dry-run"),
    (
        "maintain",
        r#"  scrubjay maintain --dry-run
  scrubjay maintain consolidate
  scrubjay maintain all"#,
    ),
    ("stats", "  scrubjay stats"),
    (
        "growth",
        r#"  scrubjay growth
  scrubjay growth --json | jq ."#,
    ),
    (
        "feedback",
        r#"  scrubjay feedback --show never fact_2b7e91c4
  scrubjay feedback --show always fact_2b7e91c4"#,
    ),
    ("why-not", r#"  scrubjay why-not fact_2b7e91c4 "who owns the parser""#),
    (
        "jobs",
        r#"  scrubjay jobs
  scrubjay jobs --state parked"#,
    ),
    ("jobs run", "  scrubjay jobs run"),
    (
        "jobs retry",
        r#"  scrubjay jobs retry
  scrubjay jobs retry job_2b7e91c4"#,
    ),
    ("jobs cancel", "  scrubjay jobs cancel job_2b7e91c4"),
    ("spool", "  scrubjay spool"),
    ("spool retry", "  scrubjay spool retry"),
    ("spool discard", "  scrubjay spool discard --yes 0000000000000-0.json"),
    (
        "pause",
        r#"  scrubjay pause
  scrubjay pause --for 2h
  scrubjay pause --project app
  scrubjay pause --session standup"#,
    ),
    (
        "resume",
        r#"  scrubjay resume
  scrubjay resume --session standup"#,
    ),
    ("projects", "  scrubjay projects"),
    (
        "projects show",
        r#"  scrubjay projects show
  scrubjay projects show app"#,
    ),
    ("projects rename", "  scrubjay projects rename app storefront"),
    (
        "projects merge",
        r#"  scrubjay projects merge app shop --dry-run
  scrubjay projects merge app shop --yes"#,
    ),
    ("projects move", "  scrubjay projects move fact_2b7e91c4 --to shop"),
    ("projects pause", "  scrubjay projects pause app --for 2h"),
    ("projects resume", "  scrubjay projects resume app"),
    ("projects adopt", "  scrubjay projects adopt shop-1a2b3c4d"),
    (
        "projects purge",
        r#"  scrubjay projects purge app --dry-run
  scrubjay projects purge app --yes"#,
    ),
    (
        "projects trust",
        r#"  scrubjay projects trust .
  scrubjay projects trust --revoke ."#,
    ),
    (
        "export",
        r#"  scrubjay export --output memories.jsonl
  scrubjay export --format markdown | less
  scrubjay export --all-projects | gzip > everything.jsonl.gz"#,
    ),
    (
        "import",
        r#"  scrubjay import memories.jsonl
  scrubjay import --dry-run memory.json
  gunzip -c everything.jsonl.gz | scrubjay import --keep-projects -"#,
    ),
    (
        "import transcripts",
        r#"  scrubjay import transcripts claude-code --dry-run
  scrubjay import transcripts codex --yes
  scrubjay import transcripts generic --path conversation.jsonl --yes --keep"#,
    ),
    ("import notes", "  scrubjay import notes claude-code --dry-run"),
    (
        "import chatgpt",
        r#"  scrubjay import chatgpt --dry-run ~/Downloads/chatgpt-export.zip
  scrubjay import chatgpt ~/Downloads/chatgpt-export.zip"#,
    ),
    (
        "import claude",
        r#"  scrubjay import claude --dry-run ~/Downloads/data-2026-05-01.zip
  scrubjay import claude ~/Downloads/data-2026-05-01.zip"#,
    ),
    (
        "import mem0",
        r#"  python3 -c 'import json; from mem0 import Memory; print(json.dumps(Memory().get_all(user_id="ada")))' > mem0.json
  scrubjay import mem0 mem0.json"#,
    ),
    (
        "import claude-mem",
        r#"  scrubjay import claude-mem --dry-run ~/.claude-mem
  scrubjay import claude-mem --project app-1a2b3c4d --only app ~/.claude-mem"#,
    ),
    (
        "import basic-memory",
        r#"  scrubjay import basic-memory --dry-run ~/basic-memory
  scrubjay import basic-memory ~/basic-memory"#,
    ),
    ("import openmemory", "  scrubjay import openmemory memories_export_ada.zip"),
    (
        "import slack",
        r#"  scrubjay import slack --dry-run export.zip
  scrubjay import slack --project app-1a2b3c4d --only backend --only incidents export.zip"#,
    ),
    (
        "import obsidian",
        r#"To keep a vault in step instead: scrubjay sources add --kind notes DIR

  scrubjay import obsidian ~/vault"#,
    ),
    (
        "index",
        r#"  scrubjay index
  scrubjay index --dry-run --json . | jq .skipped_by_reason
  scrubjay recall --source code "where are retries counted""#,
    ),
    (
        "sync",
        r#"  scrubjay sync
  scrubjay sync --trigger session-start"#,
    ),
    ("sync status", "  scrubjay sync status"),
    (
        "sources",
        r#"  scrubjay sources
  scrubjay sources --all"#,
    ),
    (
        "sources add",
        r#"  scrubjay sources add ./notes --kind notes --scope global
  scrubjay sources add ./facts --kind notes --write"#,
    ),
    (
        "sources files",
        r#"  scrubjay sources files
  scrubjay sources files ./notes"#,
    ),
    ("sources remove", "  scrubjay sources remove ./notes"),
    (
        "backup",
        r#"  scrubjay backup
  scrubjay backup --list"#,
    ),
    ("restore-backup", "  scrubjay restore-backup --dry-run"),
    (
        "reembed",
        r#"  scrubjay reembed --status
  scrubjay reembed --force"#,
    ),
    ("models", "  scrubjay models"),
    (
        "models test",
        r#"  scrubjay models test
  scrubjay models test --role embed"#,
    ),
    (
        "models set",
        r#"  scrubjay models set embed builtin
  scrubjay models set embed ollama/nomic-embed-text
  scrubjay models set chat anthropic
  scrubjay models set gate openai/gpt-5-nano
  scrubjay models set chat command/claude
  scrubjay models set chat none"#,
    ),
    (
        "spend",
        r#"  scrubjay spend
  scrubjay spend --days 7 --estimate"#,
    ),
    (
        "doctor",
        r#"  scrubjay doctor
  scrubjay doctor --repair"#,
    ),
    (
        "config show",
        r#"  scrubjay config show
  scrubjay config show query
  scrubjay config get query.max_results"#,
    ),
    (
        "config set",
        r#"  scrubjay config set query.max_results 10
  scrubjay config set query.max_results --unset"#,
    ),
    (
        "config adjust",
        r#"  scrubjay config adjust inject.min_score 0.6
  scrubjay config adjust inject.min_score --reset"#,
    ),
    ("config path", "  scrubjay config path"),
    ("status", "  scrubjay status"),
    ("stop", "  scrubjay stop"),
    (
        "logs",
        r#"  scrubjay logs -n 20
  scrubjay logs --follow"#,
    ),
    ("eval run", "  scrubjay eval run --data questions/ --ablation"),
    ("service", "  scrubjay service install --dry-run\n  scrubjay service uninstall --dry-run"),
    ("service install", "  scrubjay service install --dry-run"),
    ("service uninstall", "  scrubjay service uninstall --dry-run"),
    (
        "uninstall",
        r#"  scrubjay uninstall claude-code --dry-run
  scrubjay uninstall --all"#,
    ),
    ("token create", r#"  scrubjay token create --read "chat bridge""#),
    ("token list", "  scrubjay token list"),
    ("token revoke", r#"  scrubjay token revoke "chat bridge""#),
    ("token show", "  scrubjay token show"),
    ("hook", "  echo '{\"session_id\":\"s1\",\"source\":\"startup\"}' | scrubjay hook claude-code SessionStart"),
    (
        "watch",
        r#"  scrubjay watch
  scrubjay watch --all --for 2h"#,
    ),
    (
        "demo",
        r#"  scrubjay demo
  scrubjay demo --keep"#,
    ),
    (
        "help",
        r#"  scrubjay help recall
  scrubjay help task begin"#,
    ),
    (
        "version",
        r#"  scrubjay version
  scrubjay version --verbose"#,
    ),
    (
        "man",
        r#"  scrubjay man ~/.local/share/man/man1
  man scrubjay-recall"#,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive;

    #[test]
    fn the_example_message_is_the_one_in_the_help() {
        assert!(of("capture").unwrap().contains(MESSAGE));
    }

    #[test]
    fn every_command_has_examples_and_every_example_a_command() {
        let mut root = derive::root(80);
        root.build();
        let mut known = Vec::new();
        let mut without = Vec::new();
        let mut open: Vec<(String, &Command)> =
            root.get_subcommands().map(|command| (command.get_name().to_owned(), command)).collect();
        while let Some((words, command)) = open.pop() {
            let is_group = command.is_subcommand_required_set();
            if command.get_after_help().is_none() && !is_group && !command.is_hide_set() {
                without.push(words.clone());
            }
            open.extend(command.get_subcommands().map(|inner| (format!("{words} {}", inner.get_name()), inner)));
            known.push(words);
        }
        assert!(without.is_empty(), "no examples: {without:?}");
        let lost: Vec<&str> =
            EXAMPLES.iter().map(|(words, _)| *words).filter(|words| !known.iter().any(|name| name == words)).collect();
        assert!(lost.is_empty(), "no commands: {lost:?}");
    }
}
