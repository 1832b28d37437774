//! Wiring clients in and taking us out again.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use scrubjay_engine::clients::CLIENTS;
use serde_json::{Value, json};

use crate::daemon::scratch;
use crate::scratch::Scratch;

fn user(scratch: &Scratch) -> PathBuf {
    scratch.home().parent().unwrap().to_owned()
}

// Everything in the user's folder apart from our own home and the work folder.
fn files(scratch: &Scratch) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![user(scratch)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path == scratch.home() || path == scratch.work() {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(user(scratch)).unwrap().display().to_string();
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn write(scratch: &Scratch, name: &str, text: &str) {
    let path = user(scratch).join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

const FOREIGN: &str = "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}],\n\t\t\"PreToolUse\": []\n\t},\n\t\"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}\n";

#[test]
fn what_is_put_in_is_taken_out_to_the_byte() {
    let scratch = scratch();
    write(&scratch, ".claude/settings.json", FOREIGN);
    write(&scratch, ".claude.json", "{\"numStartups\":3,\"mcpServers\":{\"other\":{\"command\":\"x\"}}}");
    write(&scratch, ".codex/config.toml", "# mine\nmodel = \"o5\"\n\n[mcp_servers.other]\ncommand = \"x\" # keep\n");
    write(&scratch, ".gemini/settings.json", "{}");
    write(&scratch, ".cursor/hooks.json", "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"./mine.sh\"}]}}\n");
    write(&scratch, ".config/opencode/opencode.json", "{\n  \"theme\": \"dark\"\n}\n");
    write(&scratch, ".copilot/config.json", "{}");
    write(&scratch, ".gemini/antigravity-cli/settings.json", "{}");
    write(
        &scratch,
        ".gemini/config/hooks.json",
        "{\"mine\": {\"Stop\": [{\"type\": \"command\", \"command\": \"./x\"}]}}\n",
    );
    let before = files(&scratch);
    let planned = scratch.json(&["install", "--all", "--dry-run"]);
    assert_eq!(planned["clients"].as_array().unwrap().len(), CLIENTS.len(), "{planned}");
    assert_eq!(files(&scratch), before, "a dry run wrote something");
    let done = scratch.json(&["install", "--all"]);
    for client in done["clients"].as_array().unwrap() {
        assert_eq!(client["changed"], true, "{client}");
        assert!(client["files"].to_string().contains("+ "), "{client}");
    }
    let wired = files(&scratch);
    assert_ne!(wired, before);
    for (name, text) in &wired {
        if name.ends_with(".json") {
            serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
    // Again changes nothing.
    let again = scratch.json(&["install", "--all"]);
    assert!(again["clients"].as_array().unwrap().iter().all(|client| client["changed"] == false), "{again}");
    assert_eq!(files(&scratch), wired);
    scratch.json(&["uninstall", "--all"]);
    assert_eq!(files(&scratch), before);
}

const COMMENTED: &str = "// Mine, all of it.\n{\n  \"model\": \"opus\", // the large one\n  /* Do not touch:\n     it took long. */\n  \"hooks\": {\n    \"Stop\": [\n      // A bell.\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"},]},\n    ],\n  },\n}\n";

#[test]
fn settings_with_comments_are_changed_in_place() {
    let scratch = scratch();
    write(&scratch, ".claude/settings.json", COMMENTED);
    write(&scratch, ".config/opencode/opencode.json", "{\r\n\t// Dark.\r\n\t\"theme\": \"dark\"\r\n}");
    write(&scratch, ".gemini/settings.json", "{} // nothing yet\n");
    let before = files(&scratch);
    scratch.json(&["install", "claude-code", "opencode", "gemini"]);
    let path = user(&scratch).join(".claude/settings.json");
    let wired = std::fs::read_to_string(&path).unwrap();
    for kept in ["// Mine, all of it.", "// the large one", "/* Do not touch:\n     it took long. */", "// A bell."] {
        assert!(wired.contains(kept), "{kept}: {wired}");
    }
    // What was there is there still, line for line.
    for line in COMMENTED.lines().filter(|line| line.trim().len() > 2) {
        assert!(wired.contains(line.trim_end_matches([',', '}', ']'])), "{line}: {wired}");
    }
    assert!(wired.contains("\"UserPromptSubmit\"") && wired.contains("say done"), "{wired}");
    let again = scratch.json(&["install", "claude-code", "opencode", "gemini"]);
    assert!(again["clients"].as_array().unwrap().iter().all(|client| client["changed"] == false), "{again}");
    // The owner goes on writing; what we put in goes and nothing else.
    let edited = wired.replace("// the large one", "// the larger one");
    std::fs::write(&path, &edited).unwrap();
    scratch.json(&["uninstall", "claude-code", "opencode", "gemini"]);
    let left = std::fs::read_to_string(&path).unwrap();
    let squeezed = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    assert_eq!(squeezed(&left), squeezed(&COMMENTED.replace("the large one", "the larger one")), "{left}");
    std::fs::write(&path, COMMENTED).unwrap();
    assert_eq!(files(&scratch), before);
}

#[test]
fn what_is_shown_is_what_is_written_and_a_file_of_ours_is_not_shown_whole() {
    let scratch = scratch();
    let before = "// mine\n{ \"theme\": \"dark\" }\n";
    write(&scratch, ".config/opencode/opencode.json", before);
    let told = scratch.run(&["install", "opencode"]).out;
    assert!(told.contains("\"mcp\"") && !told.contains("session.idle"), "{told}");
    assert!(told.contains("made, ") && told.contains("--dry-run shows them"), "{told}");
    let diff = |client: &Value| {
        let files = client["files"].as_array().unwrap().clone();
        let file = files.iter().find(|file| file["path"].as_str().unwrap().ends_with("opencode.json")).unwrap().clone();
        file["diff"].as_str().unwrap().to_owned()
    };
    // The line comes back as it was, and nothing else is said to.
    let planned = diff(&scratch.json(&["uninstall", "opencode", "--dry-run"])["clients"][0]);
    let added: Vec<&str> = planned.lines().filter(|line| line.starts_with('+')).collect();
    assert_eq!(added, ["+ { \"theme\": \"dark\" }"], "{planned}");
    assert_eq!(diff(&scratch.json(&["uninstall", "opencode"])["clients"][0]), planned);
    let after = std::fs::read_to_string(user(&scratch).join(".config/opencode/opencode.json")).unwrap();
    assert_eq!(after, before);
}

#[test]
fn one_client_that_cannot_be_wired_does_not_stop_the_others() {
    let scratch = scratch();
    write(&scratch, ".claude/settings.json", "{ torn");
    write(&scratch, ".gemini/settings.json", "{}");
    write(&scratch, ".codex/config.toml", "model = \"o5\"\n");
    let done = scratch.run(&["install", "--all"]);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.err.contains("Claude Code was left as it is") && done.err.contains("settings.json, add:"), "{done:?}");
    assert!(done.err.contains("\"UserPromptSubmit\""), "{done:?}");
    let text = |name: &str| std::fs::read_to_string(user(&scratch).join(name)).unwrap();
    assert_eq!(text(".claude/settings.json"), "{ torn");
    assert!(
        text(".gemini/settings.json").contains("scrubjay") && text(".codex/hooks.json").contains("hook codex Stop")
    );
    let mut command = scratch.command();
    let told = crate::scratch::finish(command.args(["install", "--all", "--json"]), None);
    let answer: Value = serde_json::from_str(&told.out).unwrap();
    let of = |name: &str| answer["clients"].as_array().unwrap().iter().find(|client| client["client"] == name).unwrap();
    assert!(of("claude-code")["error"].as_str().unwrap().contains("cannot be changed"), "{answer}");
    assert!(of("claude-code")["to_add"][0]["lines"].as_str().unwrap().contains("SessionStart"), "{answer}");
    assert_eq!(of("gemini")["changed"], false, "{answer}");
}

#[test]
fn nothing_that_was_made_is_left_behind() {
    let scratch = scratch();
    let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
    let there = || -> Vec<String> {
        let mut found: Vec<String> = std::fs::read_dir(user(&scratch))
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        found.retain(|name| name != "home");
        found.sort();
        found
    };
    let before = there();
    for name in &names {
        scratch.json(&["install", name]);
        assert_ne!(there(), before, "{name}");
        scratch.json(&["uninstall", name]);
        assert_eq!(there(), before, "{name} left something behind");
    }
    // A folder that somebody else uses by now stays.
    scratch.json(&["install", "copilot"]);
    write(&scratch, ".copilot/hooks/mine.json", "{}");
    scratch.json(&["uninstall", "copilot"]);
    assert_eq!(files(&scratch), [(".copilot/hooks/mine.json".to_owned(), "{}".to_owned())]);
}

#[test]
fn what_others_changed_meanwhile_stays() {
    let scratch = scratch();
    write(&scratch, ".claude/settings.json", FOREIGN);
    scratch.json(&["install", "claude-code"]);
    let path = user(&scratch).join(".claude/settings.json");
    let mut settings: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let words = &settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["args"];
    assert_eq!((&words[0], &words[1], &words[2]), (&json!("hook"), &json!("claude-code"), &json!("UserPromptSubmit")));
    assert_eq!(settings["hooks"]["Stop"].as_array().unwrap().len(), 2, "{settings}");
    assert!(settings["hooks"].get("PostToolUse").is_none(), "tool calls are not kept unless asked for");
    settings["model"] = json!("sonnet");
    settings["hooks"]["Notification"] = json!([{"hooks": [{"type": "command", "command": "notify"}]}]);
    std::fs::write(&path, serde_json::to_string_pretty(&settings).unwrap()).unwrap();
    scratch.json(&["uninstall", "claude-code"]);
    let left: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert!(!left.to_string().contains("scrubjay"), "{left}");
    assert_eq!(left["model"], "sonnet");
    assert_eq!(left["hooks"]["Stop"][0]["hooks"][0]["command"], "say done");
    assert_eq!(left["hooks"]["Notification"].as_array().unwrap().len(), 1);
    assert_eq!(left["permissions"], json!({"allow": ["Bash(ls:*)"]}));
    // A backup of every state that was overwritten is there.
    let backups = std::fs::read_dir(scratch.home().join("backups/clients")).unwrap().count();
    assert!(backups >= 2, "{backups}");
}

#[test]
fn a_file_that_is_not_understood_is_not_touched() {
    let scratch = scratch();
    for odd in ["[]", "{\"hooks\": 3}", "{ torn", "{'single': 1}", "{\"a\": 1 \"b\": 2}"] {
        write(&scratch, ".claude/settings.json", odd);
        let done = scratch.run(&["install", "claude-code"]);
        done.failed(&[2], odd);
        assert!(done.err.contains("settings.json, add:") && done.err.contains("\"UserPromptSubmit\""), "{done:?}");
        assert_eq!(std::fs::read_to_string(user(&scratch).join(".claude/settings.json")).unwrap(), odd);
        assert!(!user(&scratch).join(".claude.json").exists(), "half of it was written");
    }
    for words in [&["install"][..], &["install", "nobody"], &["install", "--all", "codex"]] {
        scratch.run(words).failed(&[2], "a bad choice");
    }
    let empty = crate::daemon::scratch();
    empty.run(&["install", "--all"]).failed(&[3], "no client");
}

#[test]
fn links_stay_links_and_every_hook_runs() {
    let scratch = scratch();
    write(&scratch, "dotfiles/claude.json", "{}\n");
    std::fs::create_dir_all(user(&scratch).join(".claude")).unwrap();
    let link = user(&scratch).join(".claude/settings.json");
    std::os::unix::fs::symlink(user(&scratch).join("dotfiles/claude.json"), &link).unwrap();
    let mut words = vec!["install"];
    words.extend(CLIENTS.iter().map(|client| client.name));
    scratch.json(&words);
    assert!(link.symlink_metadata().unwrap().is_symlink());
    // Each line that a client would run does run.
    let settings: Value = serde_json::from_str(&std::fs::read_to_string(&link).unwrap()).unwrap();
    for (event, groups) in settings["hooks"].as_object().unwrap() {
        let handler = &groups[0]["hooks"][0];
        let mut command = std::process::Command::new(handler["command"].as_str().unwrap());
        command.args(handler["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()));
        command.env_clear().env("HOME", user(&scratch)).current_dir(scratch.work());
        let done = crate::scratch::finish(&mut command, Some(b"{\"session_id\":\"s\"}"));
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{event}: {done:?}");
    }
    let codex: Value =
        serde_json::from_str(&std::fs::read_to_string(user(&scratch).join(".codex/hooks.json")).unwrap()).unwrap();
    let line = codex["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", line]).env_clear().env("HOME", user(&scratch)).current_dir(scratch.work());
    let done = crate::scratch::finish(
        &mut shell,
        Some(b"{\"session_id\":\"s\",\"last_assistant_message\":\"by a shell line\"}"),
    );
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{done:?}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the search path of the machine finds node")]
fn the_plugin_for_opencode_does_what_it_should() {
    let scratch = scratch();
    if std::process::Command::new("node").arg("--version").output().is_err() {
        eprintln!("node cannot be run here; the plugin was not tried");
        return;
    }
    scratch.remember("Ada owns the billing service");
    scratch.json(&["install", "opencode", "--set", "hooks.deadline_ms=20000"]);
    let plugin = user(&scratch).join(".config/opencode/plugins/scrubjay.js");
    let script = format!(
        r#"
        import {{ copyFileSync }} from "node:fs";
        copyFileSync({plugin:?}, "plugin.mjs");
        const {{ Scrubjay }} = await import(process.cwd() + "/plugin.mjs");
        const reply = [{{ info: {{ id: "m2", role: "assistant" }}, parts: [{{ type: "text", text: "Ada does, says the plugin." }}] }}];
        const client = {{ session: {{ messages: async () => ({{ data: reply }}) }} }};
        const hooks = await Scrubjay({{ client, directory: process.cwd() }});
        const event = (type, properties) => hooks.event({{ event: {{ type, properties }} }});
        await event("session.created", {{ info: {{ id: "oc1" }} }});
        const text = "Who owns the billing service, plugin?";
        const message = {{ id: "m1", role: "user", sessionID: "oc1" }};
        const said = {{ message, parts: [{{ type: "text", text }}] }};
        await hooks["chat.message"]({{ sessionID: "oc1" }}, said);
        // OpenCode makes messages anew for every request.
        const request = async () => {{
          const messages = [{{ info: message, parts: [...said.parts] }}];
          await hooks["experimental.chat.messages.transform"]({{}}, {{ messages }});
          return messages;
        }};
        const output = {{ first: await request(), second: await request() }};
        await hooks["experimental.session.compacting"]({{ sessionID: "oc1" }});
        output.compacting = await request();
        await event("session.idle", {{ sessionID: "oc1" }});
        reply.push({{ info: {{ id: "m3", role: "assistant", summary: true }}, parts: [{{ type: "text", text: "Goal: all that was said." }}] }});
        await event("session.idle", {{ sessionID: "oc1" }});
        // What an agent says to its sub-agent, nobody said.
        await event("session.created", {{ info: {{ id: "oc2", parentID: "oc1" }} }});
        await hooks["chat.message"]({{ sessionID: "oc2" }}, {{ message: {{ id: "m4" }}, parts: [{{ type: "text", text: "Look for it, helper." }}] }});
        output.title = hooks["experimental.chat.system.transform"] === undefined;
        console.log(JSON.stringify(output));
        "#
    );
    std::fs::write(scratch.work().join("drive.mjs"), script).unwrap();
    let mut node = std::process::Command::new("node");
    let path = std::env::vars_os().find(|(name, _)| name == "PATH").map(|(_, value)| value).unwrap_or_default();
    node.arg("drive.mjs").current_dir(scratch.work()).env_clear().env("PATH", path);
    node.env("HOME", user(&scratch)).env("SCRUBJAY_PROJECT", "app").env("SCRUBJAY_HOOKS_DEADLINE_MS", "20000");
    let done = crate::scratch::finish(&mut node, None);
    assert_eq!(done.code, Some(0), "{done:?}");
    let contents = scratch.contents();
    // The plugin waits for a second; on a machine that is too busy for that,
    // what was said is kept all the same.
    let output: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(output["title"], true, "a title's request is left alone");
    assert_eq!(output["first"], output["second"], "every request of the turn has it once");
    assert_eq!(output["compacting"][0]["parts"].as_array().unwrap().len(), 1, "a summary does not take it along");
    if done.out.contains("Ada owns the billing service") {
        assert!(done.out.contains("scrubjay-memory"), "{done:?}");
        assert_eq!(output["first"].to_string().matches("Ada owns the billing service").count(), 1, "{done:?}");
    }
    assert!(contents.contains("Who owns the billing service, plugin?"), "{done:?} {contents}");
    assert!(contents.contains("Ada does, says the plugin."), "{done:?} {contents}");
    assert!(!contents.contains("Goal: all that was said."), "a summary is nobody's words: {contents}");
    assert!(!contents.contains("Look for it, helper."), "{contents}");
}

#[test]
fn settings_that_are_no_regular_file_are_refused() {
    let scratch = scratch();
    let settings = user(&scratch).join(".claude/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let before = files(&scratch);
    // Outside, where nothing else here opens it.
    let outside = tempfile::tempdir().unwrap();
    let pipe = outside.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let system_file = outside.path().join("system.json");
    std::fs::write(&system_file, "{}").unwrap();
    for (to, what) in [
        (PathBuf::from("/dev/null"), "a device"),
        (pipe, "a pipe"),
        (system_file.clone(), "is a link to"),
        (user(&scratch).join("nowhere.json"), "a link to nothing"),
    ] {
        symlink(&to, &settings).unwrap();
        for words in [["install", "claude-code"], ["uninstall", "claude-code"]] {
            let done = scratch.run(&words);
            done.failed(&[4], what);
            assert!(done.err.contains(what), "{done:?}");
        }
        assert_eq!(std::fs::read_link(&settings).unwrap(), to, "the link stays");
        std::fs::remove_file(&settings).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&system_file).unwrap(), "{}");
    assert_eq!(files(&scratch), before, "something was written");
}

#[test]
fn a_link_inside_the_users_own_folder_is_followed_and_told() {
    let scratch = scratch();
    write(&scratch, "dotfiles/claude.json", FOREIGN);
    let settings = user(&scratch).join(".claude/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    symlink(user(&scratch).join("dotfiles/claude.json"), &settings).unwrap();
    let shown = scratch.run(&["install", "claude-code"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.out.contains("settings.json is a link to this file"), "{shown:?}");
    let file = user(&scratch).join("dotfiles/claude.json");
    assert!(std::fs::read_to_string(&file).unwrap().contains("scrubjay"));
    assert!(std::fs::symlink_metadata(&settings).unwrap().is_symlink());
    scratch.json(&["uninstall", "claude-code"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), FOREIGN);
}

#[test]
fn a_context_file_is_a_regular_file_beside_its_link() {
    let scratch = scratch();
    scratch.remember("Ada owns the billing service");
    let work = scratch.work();
    // A fetched repository may hold links to anywhere.
    let profile = user(&scratch).join("profile");
    std::fs::write(&profile, "mine\n").unwrap();
    symlink(&profile, work.join("AGENTS.md")).unwrap();
    let refused = scratch.run(&["context-file", "AGENTS.md"]);
    refused.failed(&[4], "a link that leads out");
    assert_eq!(std::fs::read_to_string(&profile).unwrap(), "mine\n");
    assert!(std::process::Command::new("mkfifo").arg(work.join("PIPE.md")).status().unwrap().success());
    scratch.run(&["context-file", "PIPE.md"]).failed(&[4], "a pipe");
    std::fs::write(work.join("CLAUDE.md"), "# Mine\n").unwrap();
    symlink("CLAUDE.md", work.join("LINK.md")).unwrap();
    scratch.json(&["context-file", "LINK.md"]);
    assert!(std::fs::read_to_string(work.join("CLAUDE.md")).unwrap().contains("Ada owns the billing service"));
    assert!(std::fs::symlink_metadata(work.join("LINK.md")).unwrap().is_symlink());
    scratch.json(&["context-file", "--remove", "LINK.md"]);
    assert_eq!(std::fs::read_to_string(work.join("CLAUDE.md")).unwrap(), "# Mine\n");
}
