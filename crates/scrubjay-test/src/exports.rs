//! A small export of every tool that Scrubjay imports from, with what should come out of it.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

/// What an importer must find in its sample.
pub struct Sample {
    /// The importer's name.
    pub tool: &'static str,
    /// Writes the export into an empty folder.
    pub write: fn(&Path),
    /// Episodes and facts.
    pub counts: (u64, u64),
    /// A text that must be found, with its kind, type, role and time.
    pub has: &'static [(&'static str, &'static str, &'static str, &'static str, &'static str)],
}

/// Every sample; each importer has one.
pub const SAMPLES: &[Sample] = &[
    Sample {
        tool: "chatgpt",
        write: chatgpt,
        counts: (3, 0),
        has: &[
            ("Which port does staging use?", "episode", "message", "user", "2023-11-14T22:13:20Z"),
            ("Staging listens on 5433.", "episode", "message", "assistant", "2023-11-14T22:13:30Z"),
        ],
    },
    Sample {
        tool: "claude",
        write: claude,
        counts: (3, 4),
        has: &[
            ("How do we deploy?", "episode", "message", "user", "2025-01-02T10:00:00Z"),
            ("With the blue script.", "episode", "message", "assistant", "2025-01-02T10:00:05Z"),
            ("Work: Prefers short answers", "fact", "general", "", ""),
            ("Shop: Write invoices in French", "fact", "convention", "", "2025-01-01T00:00:00Z"),
        ],
    },
    Sample {
        tool: "mem0",
        write: mem0,
        counts: (0, 3),
        has: &[
            ("Loves hiking in the Jura", "fact", "general", "", "2025-03-01T09:00:00Z"),
            ("ada works on the engine", "fact", "general", "", ""),
        ],
    },
    Sample {
        tool: "claude-mem",
        write: claude_mem,
        counts: (3, 2),
        has: &[
            ("Invoices are numbered by year", "fact", "decision", "assistant", "2025-11-01T12:26:40Z"),
            ("The retry loop never stopped.", "episode", "failure", "assistant", "2025-11-01T12:27:40Z"),
            ("Please number the invoices by year", "episode", "message", "user", "2025-11-01T12:26:00Z"),
            ("Always run the tests before a commit", "fact", "convention", "", ""),
        ],
    },
    Sample {
        tool: "basic-memory",
        write: basic_memory,
        counts: (2, 3),
        has: &[
            ("Coffee: Pour over brings out the flavour #brewing (at home)", "fact", "fact", "", "2025-02-03T00:00:00Z"),
            ("Coffee: We buy from the roastery in Bern", "fact", "decision", "", ""),
            ("Coffee pairs with Chocolate", "fact", "general", "", ""),
            ("Coffee is what keeps the team going.", "episode", "note", "user", ""),
        ],
    },
    Sample {
        tool: "openmemory",
        write: openmemory,
        counts: (0, 1),
        has: &[("Ada owns the billing service", "fact", "general", "", "2025-04-01T00:00:00Z")],
    },
    Sample {
        tool: "slack",
        write: slack,
        counts: (2, 0),
        has: &[
            (
                "@Grace Hopper we ship on Friday, see #releases",
                "episode",
                "message",
                "Ada Lovelace",
                "2024-01-15T09:00:00Z",
            ),
            ("Fine with me", "episode", "message", "Grace Hopper", "2024-01-15T09:05:00Z"),
        ],
    },
    Sample {
        tool: "obsidian",
        write: obsidian,
        counts: (2, 0),
        has: &[("The garden faces south, see [[Plants]].", "episode", "note", "user", "2025-05-06T00:00:00Z")],
    },
];

fn put(folder: &Path, name: &str, value: &Value) {
    text(folder, name, &value.to_string());
}

fn text(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The same files in an archive.
pub fn zipped(folder: &Path, archive: &Path) {
    fn add(root: &Path, folder: &Path, archive: &mut zip::ZipWriter<std::fs::File>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                add(root, &path, archive);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap();
                archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
                archive.write_all(&std::fs::read(&path).unwrap()).unwrap();
            }
        }
    }
    let mut writer = zip::ZipWriter::new(std::fs::File::create(archive).unwrap());
    add(folder, folder, &mut writer);
    writer.finish().unwrap();
}

fn node(id: &str, parent: Option<&str>, children: &[&str], message: &Value) -> Value {
    json!({"id": id, "parent": parent, "children": children, "message": message})
}

fn message(id: &str, role: &str, time: f64, words: &str) -> Value {
    json!({"id": id, "author": {"role": role}, "create_time": time, "recipient": "all", "metadata": {},
        "content": {"content_type": "text", "parts": [words]}})
}

fn chatgpt(folder: &Path) {
    let mapping = json!({
        "root": node("root", None, &["s"], &Value::Null),
        "s": node("s", Some("root"), &["q"], &message("s", "system", 1_700_000_000.0, "You are helpful")),
        "q": node("q", Some("s"), &["old", "new"], &message("q", "user", 1_700_000_000.0, "Which port does staging use?")),
        "old": node("old", Some("q"), &[], &message("old", "assistant", 1_700_000_005.0, "Staging has no port.")),
        "new": node("new", Some("q"), &["t"], &message("new", "assistant", 1_700_000_010.0, "Staging listens on 5433.")),
        "t": node("t", Some("new"), &["i"], &message("t", "tool", 1_700_000_011.0, "printed by a tool")),
        "i": node("i", Some("t"), &["end"], &json!({"id": "i", "author": {"role": "user"}, "metadata": {},
            "content": {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}]}})),
        "end": node("end", Some("i"), &[], &message("end", "user", 1_700_000_020.0, "Thank you")),
    });
    let conversation = json!({"conversation_id": "c1", "title": "Staging", "create_time": 1_700_000_000.0,
        "mapping": mapping, "current_node": "end"});
    put(folder, "conversations.json", &json!([conversation, {"title": "broken"}]));
    put(folder, "user.json", &json!({"id": "u"}));
}

fn claude(folder: &Path) {
    put(
        folder,
        "conversations.json",
        &json!([{"uuid": "k1", "name": "Deploying", "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": "How do we deploy?", "created_at": "2025-01-02T10:00:00Z", "content": []},
            {"uuid": "m2", "sender": "assistant", "text": "", "created_at": "2025-01-02T10:00:05Z", "content": [
                {"type": "tool_use", "name": "search"}, {"type": "text", "text": "With the blue script."}]},
            {"uuid": "m3", "sender": "human", "text": "", "content": []},
        ]}]),
    );
    put(
        folder,
        "memories.json",
        &json!([{"account_uuid": "a", "conversations_memory":
        "**Work**\n- Prefers short answers\n- Uses Rust", "project_memories": {"p1": "The shop sells coffee."}}]),
    );
    put(
        folder,
        "projects.json",
        &json!([{"uuid": "p1", "name": "Shop", "created_at": "2025-01-01T00:00:00Z",
        "prompt_template": "Write invoices in French", "docs": [
            {"uuid": "d1", "filename": "prices.md", "content": "A cup costs four francs.", "created_at": "2025-01-01T00:00:00Z"}]}]),
    );
}

fn mem0(folder: &Path) {
    put(
        folder,
        "memories.json",
        &json!({"results": [
        {"id": "m-1", "memory": "Loves hiking in the Jura", "user_id": "ada", "hash": "x", "categories": ["hobbies"],
            "metadata": {"source": "chat"}, "created_at": "2025-02-28T09:00:00Z", "updated_at": "2025-03-01T09:00:00Z"},
        {"id": "m-2", "memory": "Is allergic to nuts", "user_id": "ada", "created_at": "2025-02-28T09:00:00Z"},
        {"id": "m-3", "user_id": "ada"}],
        "relations": [{"source": "ada", "relationship": "works_on", "target": "the engine"}]}),
    );
}

fn claude_mem(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("claude-mem.db"), include_bytes!("claude-mem.db")).unwrap();
}

fn basic_memory(folder: &Path) {
    text(
        folder,
        "drinks/Coffee.md",
        "---\ntitle: Coffee\ntype: note\npermalink: drinks/coffee\ntags:\n- drinks\ncreated: 2025-02-03\n---\n\n# Coffee\n\n\
         Coffee is what keeps the team going.\n\n## Observations\n- [method] Pour over brings out the flavour #brewing (at home)\n\
         - [decision] We buy from the roastery in Bern\n- [ ] buy filters\n\n## Relations\n- pairs_with [[Chocolate]]\n",
    );
}

fn openmemory(folder: &Path) {
    let memory = |id: &str, state: &str, content: &str| {
        json!({"id": id, "content": content, "state": state, "app_id": "a1", "category_ids": ["k1"], "metadata": {},
            "created_at": "2025-04-01T00:00:00+00:00"})
    };
    put(
        folder,
        "memories.json",
        &json!({"user": {"user_id": "ada"}, "apps": [{"id": "a1", "name": "cursor"}],
            "categories": [{"id": "k1", "name": "Team Structure"}], "export_meta": {"version": "1"}, "memories": [
            memory("o-1", "active", "Ada owns the billing service"), memory("o-2", "deleted", "Gone")]}),
    );
}

fn slack(folder: &Path) {
    put(
        folder,
        "users.json",
        &json!([
        {"id": "U1", "name": "ada", "profile": {"real_name": "Ada Lovelace"}},
        {"id": "U2", "name": "grace", "real_name": "Grace Hopper", "profile": {}}]),
    );
    put(folder, "channels.json", &json!([{"id": "C1", "name": "general"}, {"id": "C2", "name": "releases"}]));
    put(
        folder,
        "general/2024-01-15.json",
        &json!([
        {"type": "message", "subtype": "channel_join", "user": "U1", "text": "<@U1> has joined", "ts": "1705309100.000100"},
        {"type": "message", "user": "U1", "text": "<@U2> we ship on Friday, see <#C2>", "ts": "1705309200.000100",
            "thread_ts": "1705309200.000100", "client_msg_id": "x"},
        {"type": "message", "user": "U2", "text": "Fine with me", "ts": "1705309500.000200", "thread_ts": "1705309200.000100"},
        {"type": "message", "subtype": "bot_message", "bot_id": "B1", "text": "build passed", "ts": "1705309600.000100"},
        {"type": "message", "user": "U2", "text": "no time"}]),
    );
}

fn obsidian(folder: &Path) {
    text(folder, ".obsidian/app.json", "{}");
    text(folder, ".trash/Old.md", "thrown away");
    text(
        folder,
        "Home/Garden.md",
        "---\ntags: [home]\ndate: 2025-05-06\n---\n# Garden\nThe garden faces south, see [[Plants]].\n\n# Tools\nA spade. #todo\n",
    );
}
