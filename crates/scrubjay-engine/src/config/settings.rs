//! Every setting there is: name, type, default, allowed values and documentation, once.
//!
//! The `settings!` table below is the only list. The structs, their defaults, the schema that checks files and
//! variables, `keys()` and the reference page all come from it. To add a setting, add its line. To add a
//! section, add its table and a field for it in its parent; sections may be nested (`query.hybrid.enabled`). What
//! depends on which model providers there are comes from their list (`provider_settings.rs`).
//!
//! tidy: long because it is the one table of all settings.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::connection_url::ConnectionUrl;
use super::provider_settings::{Keys, chat_providers, embedding_providers, prices};
use super::rule::Rule;
use super::schema::{Setting, SettingPath, Visitor};
use crate::memory_types::lasting;

macro_rules! settings {
    ($(
        $(#[doc = $section_doc:literal])+
        $section:ident {
            $( $(#[doc = $doc:literal])+ $field:ident: $type:ty $(= $default:expr, $rule:expr)?; )+
        }
    )+) => { $(
        $(#[doc = $section_doc])+
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $section {
            $( $(#[doc = $doc])+ pub $field: $type, )+
        }

        impl Default for $section {
            fn default() -> Self {
                Self { $( $field: settings!(@default $type $(, $default)?), )+ }
            }
        }

        impl Setting for $section {
            fn visit(&mut self, place: &SettingPath, visitor: &mut Visitor<'_>) {
                $(
                    let doc = concat!($($doc, "\n"),+);
                    let rule = settings!(@rule $($rule)?);
                    self.$field.visit(&place.child(stringify!($field), doc, rule), visitor);
                )+
            }
        }
    )+ };
    (@default $type:ty) => { <$type>::default() };
    (@default $type:ty, $default:expr) => { $default };
    (@rule) => { Rule::Any };
    (@rule $rule:expr) => { $rule };
}

const KIB: i64 = 1024;
const GIB: i64 = 1024 * 1024 * 1024;
const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// Who can find names in a text.
const NAME_PROVIDERS: &[&str] = &["regex", "dictionary", "local", "llm"];

settings! {
    /// All settings, after every layer was applied.
    Settings {
        /// Capture and inject at all. In the user's file or in `[agents.x]` it switches an agent off, in a project's
        /// `.scrubjay.toml` the project; that file cannot switch anything on.
        enabled: bool = true, Rule::Any;
        /// Where memories are kept.
        store: Store;
        /// What is taken in from conversations.
        capture: Capture;
        /// How recall and listing answer.
        query: Query;
        /// What is read from files: memory (notes), docs, code, and sessions (transcripts of conversations, in the
        /// places that were named).
        sources: Vec<String> = words(&["memory", "sessions", "docs", "code"]), Rule::Words(&["memory", "sessions", "docs", "code"]);
        /// How files are cut into pieces.
        chunking: Chunking;
        /// When files are looked at again.
        sync: Sync;
        /// What turns text into vectors.
        embedding: Embedding;
        /// What answers questions.
        chat: Chat;
        /// The keys of providers.
        keys: Keys;
        /// What models may cost.
        spend: Spend;
        /// How providers are reached.
        network: Network;
        /// How vectors of texts that come again are kept.
        cache: Cache;
        /// How background work is run.
        jobs: Jobs;
        /// How backups are kept.
        backup: Backup;
        /// When two facts count as one.
        dedup: Dedup;
        /// How memories fade.
        memory: Memory;
        /// How what an agent needs is put together.
        context: Context;
        /// What is handed to an agent before each turn.
        inject: Inject;
        /// How much tiers hold.
        tiers: Tiers;
        /// How writes wait for a person.
        confirmations: Confirmations;
        /// How names are found.
        entities: Entities;
        /// How facts are drawn from conversations.
        extract: Extract;
        /// When upkeep is done.
        maintain: Maintain;
        /// The service that stays and answers every client.
        daemon: Daemon;
        /// What happens when a client calls its hooks.
        hooks: Hooks;
    }

    /// `[store]`: where memories are kept.
    Store {
        /// The SQLite file. `{home}` stands for the home folder and `{agent}` (or `{agentId}`) for the agent's
        /// name; a relative path starts at the home folder.
        path: String = "{home}/{agent}.sqlite".to_owned(), Rule::PathTemplate;
        /// How long a write waits for another process's write, in milliseconds.
        busy_timeout_ms: u64 = 30_000, Rule::Integer(0, 10 * MINUTE_MS);
        /// Size of the write-ahead log at which it is moved into the database file, in bytes.
        checkpoint_bytes: u64 = 4_194_304, Rule::Integer(64 * KIB, GIB);
        /// Address of a database server to use instead of the SQLite file; empty means the file. It may hold a
        /// password and is therefore shown without user, password and parameters.
        url: ConnectionUrl;
        /// Vectors beside the memories.
        vector: Vector;
    }

    /// `[store.vector]`: vectors beside the memories.
    Vector {
        /// Make and use vectors. Without them recall goes by words and names.
        enabled: bool = true, Rule::Any;
    }

    /// `[capture]`: what is taken in from conversations.
    Capture {
        /// The roles whose messages are kept as episodes.
        roles: Vec<String> = words(&["user", "assistant"]), Rule::Words(&["user", "assistant", "system", "tool"]);
        /// The longest message that is accepted, in bytes.
        max_bytes: u64 = 16_777_216, Rule::Integer(KIB, GIB);
        /// Replace secrets by `[REDACTED:rule]` before anything is written.
        redact: bool = true, Rule::Any;
    }

    /// `[query]`: how recall and listing answer.
    Query {
        /// How many hits recall returns unless asked for another number.
        max_results: usize = 6, Rule::Integer(1, 1000);
        /// How many memories a list returns unless asked for another number.
        list_limit: usize = 100, Rule::Integer(1, 10_000);
        /// The relevance that the best hit must have; otherwise recall returns nothing. Half of its relevance is
        /// enough for what comes along.
        min_score: f64 = 0.21, Rule::Number(0.0, 1.0);
        /// Let a cross-encoder compare the first few hits of a recall: auto (the beginnings of a few, in English), on (more
        /// of them, whatever they are, and for injection too; takes a tenth of a second and more) or off.
        rerank: String = "auto".to_owned(), Rule::Word(&["auto", "on", "off"]);
        /// The longest snippet of a hit, in characters.
        snippet_chars: usize = 700, Rule::Integer(1, 10_000);
        /// How what was found by words and by meaning becomes one list.
        hybrid: Hybrid;
    }

    /// `[query.hybrid]`: how what was found by words and by meaning becomes one list.
    Hybrid {
        /// Use both; otherwise words alone.
        enabled: bool = true, Rule::Any;
        /// How the arms are put together: learned (a model over all that is known of a hit), convex (a sum of scores,
        /// each counted by how sure it is), rrf (a sum of reciprocal ranks over words, meaning, names of known things
        /// and named times) or weighted (a weighted sum of meaning and words).
        fusion: String = "learned".to_owned(), Rule::Word(&["learned", "convex", "rrf", "weighted"]);
        /// What meaning counts in the fusion `weighted`. Only its ratio to `text_weight` matters: the two are made to
        /// add up to 1.
        vector_weight: f64 = 0.7, Rule::Number(0.0, 1.0);
        /// What words count in the fusion `weighted`. If both weights are 0, each counts half.
        text_weight: f64 = 0.3, Rule::Number(0.0, 1.0);
        /// How many candidates each arm proposes per wanted hit, in every fusion; for fewer than 50 hits as many as for
        /// 50. The fusion `learned` was fitted with 4.
        candidate_multiplier: usize = 4, Rule::Integer(1, 20);
    }

    /// `[chunking]`: how files are cut into pieces.
    Chunking {
        /// The size of a piece, in tokens.
        tokens: usize = 400, Rule::Integer(32, 8192);
        /// How many tokens a piece repeats from the one before it, where there is no better place to cut.
        overlap: usize = 80, Rule::Integer(0, 4096);
    }

    /// `[sync]`: when files are looked at again.
    Sync {
        /// Look at the notes when a session begins.
        on_session_start: bool = true, Rule::Any;
        /// Look before a search if something may have changed.
        on_search: bool = true, Rule::Any;
        /// How long a search may look at files before it answers, in milliseconds.
        search_budget_ms: u64 = 500, Rule::Integer(0, MINUTE_MS);
        /// Watch the files while a daemon runs; `scrubjay watch` does it whatever this says.
        watch: bool = true, Rule::Any;
        /// How long files must be quiet before they are read, in milliseconds.
        watch_debounce_ms: u64 = 1500, Rule::Integer(10, MINUTE_MS);
        /// Look at the files from time to time instead of waiting to be told of changes, as is done on network drives.
        poll: bool = false, Rule::Any;
        /// How often files are looked at where they cannot be watched, in milliseconds.
        poll_ms: u64 = 5000, Rule::Integer(100, HOUR_MS);
        /// Look every so many minutes; 0 means never.
        interval_minutes: u64 = 0, Rule::Integer(0, 7 * 24 * 60);
        /// The largest file that is read, in bytes.
        max_file_bytes: u64 = 2_097_152, Rule::Integer(KIB, GIB);
        /// The most pieces that one file may be cut into; one with more is skipped.
        max_file_chunks: usize = 10_000, Rule::Integer(1, 10_000_000);
        /// The most pieces of all files of a place; what comes after them is skipped.
        max_place_chunks: u64 = 500_000, Rule::Integer(1, 1_000_000_000);
        /// How many folders deep.
        max_depth: usize = 64, Rule::Integer(1, 10_000);
        /// Transcripts.
        sessions: SyncSessions;
    }

    /// `[sync.sessions]`: when a transcript that grows is read.
    SyncSessions {
        /// When so many bytes are new.
        delta_bytes: u64 = 100_000, Rule::Integer(1, GIB);
        /// Or so many messages.
        delta_messages: u64 = 50, Rule::Integer(1, 1_000_000);
        /// Or when nothing was added for so many seconds.
        idle_seconds: u64 = 60, Rule::Integer(1, 24 * 60 * 60);
    }

    /// `[embedding]`: what turns text into vectors.
    Embedding {
        /// builtin is part of this program; none turns search by meaning off. ollama, openai (and every server that
        /// speaks like it) and gemini are asked over the network; local runs a model from a file or folder. auto takes
        /// a local model if there is one, else openai or gemini if there is a key, else builtin: it may send text out.
        provider: String = "builtin".to_owned(), Rule::Word(embedding_providers());
        /// The provider's name for the model; empty means its usual one. The usual built-in one was trained on English
        /// and code, and promises nothing about meaning in other languages; builtin-multilingual is an experimental
        /// table of words in 101 languages (docs/models.md).
        model: String;
        /// The address of the provider, for a server of your own; empty means the usual one.
        url: String;
        /// For local: a GGUF file, or a folder with config.json, tokenizer.json and model.safetensors. A relative path
        /// starts at the home folder.
        path: String;
        /// Values per vector, for models that can be asked for fewer; 0 means as many as are usual for the model.
        dimensions: usize = 0, Rule::Integer(0, 16_384);
        /// Providers to go over to, in this order, when the first cannot be used or has been failing for long. Going
        /// over makes all vectors anew.
        fallback: Vec<String> = Vec::new(), Rule::SomeWords(embedding_providers());
        /// How long a provider must have been failing before the next is used, in milliseconds.
        fallback_after_ms: u64 = 600_000, Rule::Integer(0, 30 * 24 * HOUR_MS);
        /// How long recall waits for the vector of a question before it goes on without, in milliseconds.
        query_timeout_ms: u64 = 5000, Rule::Integer(100, 10 * MINUTE_MS);
        /// Use the provider's batch service, which is cheaper and takes hours, where at least batch_items texts wait.
        batch: bool = false, Rule::Any;
        /// How many texts must wait before a batch is submitted; also the most of one batch.
        batch_items: usize = 1000, Rule::Integer(1, 50_000);
        /// How long a batch may take before it is given up, in milliseconds.
        batch_timeout_ms: u64 = 93_600_000, Rule::Integer(MINUTE_MS, 7 * 24 * HOUR_MS);
        /// The program that serves GGUF files, if it is not llama-server in the search path.
        server: String;
        /// How many threads compute vectors; 0 means one per processor core.
        threads: usize = 0, Rule::Integer(0, 256);
        /// A long text gets several vectors, one per window of it, but no more than this.
        max_windows: usize = 64, Rule::Integer(1, 1000);
    }

    /// `[chat]`: what answers questions: which memories to keep, what they add up to.
    Chat {
        /// none works by rules; openai (and every server that speaks like it), anthropic, gemini and ollama are asked
        /// over the network; command runs a program that you have: a client such as claude, or any other.
        provider: String = "none".to_owned(), Rule::Word(chat_providers());
        /// The model for everything that has none of its own below; empty means the provider's usual ones, a small one
        /// for small work. For command: the client (claude, codex, gemini, opencode or copilot), or client/model.
        model: String;
        /// The address of the provider, for a server of your own; empty means the usual one.
        url: String;
        /// The model that decides whether something is worth keeping.
        gate: String;
        /// The model that takes facts out of conversations.
        extract: String;
        /// The model that settles contradictions.
        consolidate: String;
        /// The model that says what a week adds up to.
        reflect: String;
        /// The model that shortens.
        summarize: String;
        /// How often a model is asked at most until its answer has the wanted form; a command is asked once.
        tries: u32 = 2, Rule::Integer(1, 5);
        /// The program of the provider command.
        command: ChatCommand;
    }

    /// `[chat.command]`: a program as a chat model. It is run without a shell, never for the gate or on the way to a
    /// prompt, and at most once per window of a conversation.
    ChatCommand {
        /// The program, if it is not the client that chat.model names in the search path.
        program: String;
        /// Its arguments, in place of the client's usual ones. `{prompt}` stands for the prompt, which goes to standard
        /// input if no argument has it. The program prints its answer.
        arguments: Vec<String>;
        /// How long a call may take, in milliseconds; then the program and all that it started is killed.
        timeout_ms: u64 = 120_000, Rule::Integer(100, HOUR_MS);
        /// How many calls a day (in UTC) may have; rules do the rest. 0 means no limit.
        calls_per_day: u64 = 50, Rule::Integer(0, 1_000_000);
        /// How many calls the facts of one conversation may take; rules do the rest. 0 means no limit.
        calls_per_session: u64 = 10, Rule::Integer(0, 1_000_000);
    }

    /// `[spend]`: what models may cost.
    Spend {
        /// When a day (in UTC) has cost so many dollars, models that cost something pause until the next; nothing else
        /// does. 0 means no limit.
        daily_cap_usd: f64 = 5.0, Rule::Number(0.0, 100_000.0);
        /// What models cost in dollars per million tokens read, or read/written, as provider/model=0.1 or
        /// provider/model=0.1/0.4. Check them against your provider's list.
        prices: Vec<String> = prices(), Rule::Any;
    }

    /// `[network]`: how providers are reached.
    Network {
        /// A file of certificates (PEM) that are trusted besides the usual ones, for a server or proxy of your own.
        ca_file: String;
        /// How long one request to a provider elsewhere may take, in milliseconds.
        timeout_ms: u64 = 60_000, Rule::Integer(100, HOUR_MS);
        /// The same for a provider on this machine, which may have to load a model first.
        local_timeout_ms: u64 = 300_000, Rule::Integer(100, HOUR_MS);
    }

    /// `[cache]`: how vectors of texts that come again are kept.
    Cache {
        /// Keep them.
        enabled: bool = true, Rule::Any;
        /// How many are kept; those unused for longest go first. 0 means all of them.
        max_entries: u64 = 0, Rule::Integer(0, 100_000_000);
    }

    /// `[jobs]`: how background work is run.
    Jobs {
        /// How long a command works off jobs before it returns, in milliseconds, when no daemon runs.
        cli_budget_ms: u64 = 250, Rule::Integer(0, 10 * MINUTE_MS);
        /// How long a worker may hold a job before another may take it, in milliseconds.
        lease_ms: u64 = 60_000, Rule::Integer(1000, HOUR_MS);
        /// After how many failed tries a job is parked.
        max_tries: u32 = 5, Rule::Integer(1, 100);
        /// How long a failed job waits before its second try, in milliseconds; the wait grows with every try.
        backoff_ms: u64 = 1000, Rule::Integer(10, HOUR_MS);
    }

    /// `[backup]`: how backups are kept.
    Backup {
        /// How many backups are kept; older ones are deleted.
        keep: usize = 7, Rule::Integer(1, 1000);
    }

    /// `[dedup]`: when two facts count as one.
    Dedup {
        /// The share of common words (Jaccard index) from which `remember` points out a similar fact.
        jaccard: f64 = 0.75, Rule::Number(0.5, 1.0);
        /// The likeness of meaning above which facts drawn from conversations are merged, if their words and values
        /// do not speak against it.
        similarity: f64 = 0.85, Rule::Number(0.5, 1.0);
    }

    /// `[memory]`: how memories fade.
    Memory {
        /// How fast the confidence in a new fact fades, per day; 0 means never.
        decay_rate: f64 = 0.1, Rule::Number(0.0, 1.0);
        /// The same for types of facts that a project needs for longer than a month.
        lasting_decay_rate: f64 = 0.01, Rule::Number(0.0, 1.0);
        /// Which types those are.
        lasting_types: Vec<String> = lasting(), Rule::Any;
    }

    /// `[context]`: how what an agent needs is put together.
    Context {
        /// The vocabulary in which tokens are counted.
        vocabulary: String = "cl100k_base".to_owned(), Rule::Word(&["cl100k_base", "o200k_base"]);
        /// The profile of an agent's loop.
        agent_loop: LoopProfile;
        /// The profile of tiers.
        tiers: TiersProfile;
    }

    /// `[context.agent_loop]`: task, constraints, conversation and tool results, with what is known around them.
    LoopProfile {
        /// How many tokens there is room for.
        budget_tokens: usize = 16_384, Rule::Integer(1, 10_000_000);
        /// The share of the task, its constraints, tool results and conversation.
        share_working: f64 = 0.6, Rule::Number(0.0, 1.0);
        /// The share of what was learned, said and done before.
        share_episodic: f64 = 0.2, Rule::Number(0.0, 1.0);
        /// The share of code and documents.
        share_semantic: f64 = 0.2, Rule::Number(0.0, 1.0);
        /// How many memories at most.
        max_episodes: usize = 5, Rule::Integer(0, 1000);
        /// How many pieces of files at most.
        max_chunks: usize = 10, Rule::Integer(0, 1000);
        /// How many tool results at most, the last ones.
        tool_results: usize = 5, Rule::Integer(0, 1000);
        /// The relevance below which nothing is recalled.
        min_score: f64 = 0.3, Rule::Number(0.0, 1.0);
    }

    /// `[context.tiers]`: what the task, the project and all projects hold.
    TiersProfile {
        /// How many tokens there is room for.
        budget_tokens: usize = 8192, Rule::Integer(1, 10_000_000);
        /// The share of the task.
        share_task: f64 = 0.4, Rule::Number(0.0, 1.0);
        /// The share of the project.
        share_project: f64 = 0.4, Rule::Number(0.0, 1.0);
        /// The share of all projects.
        share_global: f64 = 0.2, Rule::Number(0.0, 1.0);
        /// How many of the first and of the last items of each tier are kept whatever their rank.
        keep_ends: usize = 1, Rule::Integer(0, 100);
    }

    /// `[inject]`: what is handed to an agent before each turn.
    Inject {
        /// How many items at most.
        max_items: usize = 5, Rule::Integer(1, 100);
        /// How many tokens the block has at most, its marks included.
        max_tokens: usize = 500, Rule::Integer(1, 1_000_000);
        /// The relevance that the best hit must have; otherwise nothing is injected. Half of its relevance is enough for
        /// what comes along.
        min_score: f64 = 0.57, Rule::Number(0.0, 1.0);
        /// How many of the last messages make the question.
        messages: usize = 3, Rule::Integer(1, 20);
        /// What may be injected: facts, memory (note files), sessions (what other conversations said), code, docs.
        sources: Vec<String> = words(&["facts", "memory", "sessions"]), Rule::Words(&["facts", "memory", "sessions", "code", "docs"]);
        /// Add the latest reflection, at most once a day and within a fifth of the tokens.
        reflection: bool = true, Rule::Any;
        /// For how many days it is kept what was injected, and whether it was used.
        receipt_days: u64 = 90, Rule::Integer(1, 36_500);
    }

    /// `[tiers]`: how much tiers hold.
    Tiers {
        /// How many decisions, conventions, failures, patterns and preferences a project holds. Beyond that the
        /// least important tenth goes; confirmed facts neither count nor go.
        max_items: u64 = 1000, Rule::Integer(1, 10_000_000);
    }

    /// `[confirmations]`: how writes wait for a person.
    Confirmations {
        /// For how many hours a write waits for an answer.
        expire_hours: u64 = 168, Rule::Integer(1, 87_600);
    }

    /// `[entities]`: how names are found in what was stored, in the background. What has a shape of its own (addresses,
    /// days, paths, tags) is found when it is stored; a chat model looks at night (`maintain.enrich`).
    Entities {
        /// Which of the two lists below is used.
        strategy: String = "accurate".to_owned(), Rule::Word(&["fast", "accurate"]);
        /// Who looks for names if it must be fast: regex (shapes), dictionary (names that are known), local (people,
        /// organisations and places, by a small model inside the program), llm (the chat model of the role extract, ten
        /// memories a call).
        fast: Vec<String> = words(&["regex", "dictionary"]), Rule::SomeWords(NAME_PROVIDERS);
        /// Who looks for names otherwise.
        accurate: Vec<String> = words(&["regex", "dictionary", "local"]), Rule::SomeWords(NAME_PROVIDERS);
    }

    /// `[extract]`: how facts are drawn from conversations.
    Extract {
        /// Draw facts from conversations by itself.
        enabled: bool = true, Rule::Any;
        /// Look at a conversation when so many messages are new.
        every_messages: u64 = 10, Rule::Integer(1, 10_000);
        /// Or when the first of them is so many seconds old.
        every_seconds: u64 = 300, Rule::Integer(1, 7 * 24 * 60 * 60);
        /// How much of a conversation is looked at as a whole, in tokens.
        window_tokens: usize = 500, Rule::Integer(50, 20_000);
        /// How much of what stood before is looked at along with it, in tokens.
        overlap_tokens: usize = 100, Rule::Integer(0, 5000);
        /// How many facts one such part can give.
        max_facts_per_window: usize = 8, Rule::Integer(1, 100);
        /// How many facts one conversation can give.
        max_facts_per_session: usize = 100, Rule::Integer(1, 10_000);
        /// The longest fact, in characters.
        max_chars: usize = 500, Rule::Integer(50, 10_000);
        /// A folder with instructions of your own for models (gate.md, extract.md, consolidate.md, reflect.md,
        /// summarize.md, names.md); a relative path starts at the home folder. Empty means those that are built in.
        prompts: String = String::new(), Rule::Any;
    }

    /// `[maintain]`: when upkeep is done, as cron expressions in local time; empty means never.
    Maintain {
        /// Do upkeep on time while a daemon runs.
        enabled: bool = true, Rule::Any;
        /// The time zone, such as Europe/Berlin; empty means the machine's.
        time_zone: String = String::new(), Rule::Any;
        /// When names are looked for again in what mentions few.
        enrich: String = "0 2 * * *".to_owned(), Rule::Any;
        /// How many memories per night.
        enrich_limit: usize = 50, Rule::Integer(1, 10_000);
        /// When conversations that nobody went through yet are gone through.
        consolidate: String = "0 3 * * *".to_owned(), Rule::Any;
        /// A conversation that was quiet for so many minutes is over.
        idle_minutes: u64 = 30, Rule::Integer(0, 24 * 60);
        /// When facts that nobody asked for are let go.
        decay: String = "0 4 * * *".to_owned(), Rule::Any;
        /// When the week is looked back upon.
        reflect: String = "0 3 * * 0".to_owned(), Rule::Any;
        /// When the store is tidied: its log moved into the main file, old vectors removed.
        tidy: String = "30 4 * * *".to_owned(), Rule::Any;
        /// When a backup is made.
        backup: String = "0 5 * * *".to_owned(), Rule::Any;
    }

    /// `[daemon]`: the service that stays and answers every client.
    Daemon {
        /// Let hooks and stdio MCP start the daemon when there is none.
        autostart: bool = true, Rule::Any;
        /// The port on the loopback address. When it is taken and was not asked for by flag, any free one is used.
        port: u32 = 4747, Rule::Integer(0, 65_535);
        /// How long a daemon that was started by a hook or by MCP stays without anything to do, in seconds; 0 means
        /// for ever.
        idle_exit_s: u64 = 3600, Rule::Integer(0, 10 * 365 * 86_400);
        /// How long a command waits for the daemon's first sign of life before it works alone, in milliseconds.
        answer_ms: u64 = 1000, Rule::Integer(10, MINUTE_MS);
        /// The largest request that is read, in bytes.
        max_body_bytes: u64 = 33_554_432, Rule::Integer(KIB, GIB);
        /// How many requests are worked on at once; more are told to come back.
        max_requests: usize = 256, Rule::Integer(1, 100_000);
        /// How long a request may take before it is given up, in milliseconds.
        request_timeout_ms: u64 = 300_000, Rule::Integer(100, HOUR_MS);
    }

    /// `[hooks]`: what happens when a client calls its hooks.
    Hooks {
        /// Answer hooks at all. Off means that they return at once and keep nothing.
        enabled: bool = true, Rule::Any;
        /// How long a hook may keep its client waiting, in milliseconds.
        deadline_ms: u64 = 300, Rule::Integer(10, MINUTE_MS);
        /// Keep prompts and replies as episodes.
        capture: bool = true, Rule::Any;
        /// Hand the client what fits the prompt.
        inject: bool = true, Rule::Any;
        /// Keep tool calls too; `capture.roles` must then contain tool.
        tools: bool = false, Rule::Any;
        /// The longest text that a hook hands to its client, in characters.
        max_chars: usize = 10_000, Rule::Integer(100, 100_000);
    }
}

impl Settings {
    /// A short mark of everything that changes what an operation answers. Two processes with the same mark can answer
    /// for one another.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let alike = Self { daemon: Daemon::default(), hooks: Hooks::default(), ..self.clone() };
        // Plain data always has a JSON form; were there none, no two marks would be alike, which is safe.
        let text = serde_json::to_string(&alike).unwrap_or_else(|error| error.to_string());
        blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
    }
}

impl Store {
    /// The SQLite file of one agent: placeholders filled in, and absolute when `home` is.
    pub fn file(&self, home: &Path, agent: &str) -> PathBuf {
        let mut file = std::ffi::OsString::new();
        let mut rest = self.path.as_str();
        // One pass over the template, so that a placeholder inside the home folder's own name stays as it is.
        while let Some((before, after)) = rest.split_once('{') {
            file.push(before);
            if let Some(after_home) = after.strip_prefix("home}") {
                file.push(home);
                rest = after_home;
            } else if let Some(after_agent) = after.strip_prefix("agent}").or(after.strip_prefix("agentId}")) {
                file.push(agent);
                rest = after_agent;
            } else {
                file.push("{");
                rest = after;
            }
        }
        file.push(rest);
        home.join(file)
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_file_is_filled_in_once() {
        for (template, home, expected) in [
            ("{home}/{agent}.sqlite", "/data", "/data/work.sqlite"),
            ("{home}/{agent}/{agent}.sqlite", "/data", "/data/work/work.sqlite"),
            ("stores/{agent}.sqlite", "/data", "/data/stores/work.sqlite"),
            ("stores/{agentId}.sqlite", "/data", "/data/stores/work.sqlite"),
            ("/srv/memory.sqlite", "/data", "/srv/memory.sqlite"),
            ("{home}/x.sqlite", "/odd{agent}name", "/odd{agent}name/x.sqlite"),
        ] {
            let store = Store { path: template.to_owned(), ..Store::default() };
            assert_eq!(store.file(Path::new(home), "work"), Path::new(expected), "{template}");
        }
    }

    #[test]
    fn settings_survive_serialisation_and_refuse_unknown_fields() {
        let mut settings = Settings::default();
        settings.query.max_results = 3;
        let text = toml_edit::ser::to_string(&settings).unwrap();
        assert_eq!(toml_edit::de::from_str::<Settings>(&text).unwrap(), settings);
        assert!(toml_edit::de::from_str::<Settings>("[query]\nmax_result = 3\n").is_err());
    }

    #[expect(unreachable_pub, reason = "the table makes public structs, and these are seen by one test only")]
    mod nested {
        use super::super::*;

        settings! {
            /// The outermost section.
            Outer {
                /// Its only section.
                middle: Middle;
            }

            /// A section with a setting and a section.
            Middle {
                /// A setting.
                weight: f64 = 0.5, Rule::Number(0.0, 1.0);
                /// A section.
                inner: Inner;
            }

            /// The innermost section.
            Inner {
                /// A setting
                /// in two lines.
                enabled: bool = true, Rule::Any;
            }
        }
    }

    #[test]
    fn sections_nest() {
        let mut keys = Vec::new();
        nested::Outer::default()
            .visit(&SettingPath::root(), &mut |place, leaf| keys.push((place.key.clone(), leaf.value().to_string())));
        let expected = [("middle.weight", "0.5"), ("middle.inner.enabled", "true")];
        assert_eq!(keys, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }
}
