"""Asks a real client as a chat model (`models set chat command/NAME`), with a scripted model behind it.

usage: asked.py SCRUBJAY NAME PROGRAM
NAME is claude, codex, gemini, opencode or copilot; PROGRAM starts the client.
Run it inside `unshare -n` with the loopback interface up: nothing but this machine is reached. The client has our hooks
and our MCP server, where `install` knows it. It checks that a conversation becomes facts with exactly one call of the
client per window that passes the gate, each one request to the model, that a window without anything to keep costs none,
and that nothing of these calls is captured, spooled or injected.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from clients import claude_code, codex, gemini, opencode
from model import Model

TURNS = [("user", "We use pnpm here, never npm."), ("assistant", "Understood, pnpm it is."),
         ("user", "The staging database is on port 5433.")]
FACT = {"content": "The project uses pnpm, never npm", "type": "convention", "importance": 3, "tags": [], "entities": [],
        "evidence": [1]}
REPLY = json.dumps({"facts": [FACT]})


def copilot(home, url):
    return {"COPILOT_HOME": str(home / ".copilot"), "COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_MODEL": "scripted",
            "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_OFFLINE": "true"}


def foreign(home, name):
    """A hook and an MCP server of somebody else, each of which leaves a file behind if it is started."""
    (home / "ran").mkdir()
    words = {what: ["sh", "-c", f"touch {home}/ran/{what}; cat >/dev/null"] for what in ("hook", "server")}
    hook = {"type": "command", "command": f"touch {home}/ran/hook"}
    server = {"command": words["server"][0], "args": words["server"][1:]}

    def merge(path, more):
        file = home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        # The settings have comments, which the clients take and Python does not.
        text = re.sub(r"^//.*$|/\*.*?\*/|(?<=}) //.*$", "", file.read_text(), flags=re.MULTILINE) if file.exists() else "{}"
        known = json.loads(text)
        file.write_text(json.dumps({**known, **more}))

    if name == "claude":
        merge(".claude/settings.json", {"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}})
        merge(".claude/.claude.json", {"mcpServers": {"foreign": server}})
    if name == "codex":
        merge(".codex/hooks.json", {"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}})
        with (home / ".codex/config.toml").open("a") as file:
            file.write(f"\n[mcp_servers.foreign]\ncommand = 'sh'\nargs = {json.dumps(words['server'][1:])}\n")
    if name == "gemini":
        merge(".gemini/settings.json", {"hooks": {"BeforeAgent": [{"hooks": [hook]}]}, "mcpServers": {"foreign": server}})
    if name == "opencode":
        merge(".config/opencode/opencode.json", {"mcp": {"foreign": {"type": "local", "command": words["server"]}}})
    if name == "copilot":
        merge(".copilot/mcp-config.json", {"mcpServers": {"foreign": {"type": "local", "tools": ["*"], **server}}})
        merge(".copilot/hooks/foreign.json", {"version": 1, "hooks": {"userPromptSubmitted": [
            {"type": "command", "bash": hook["command"]}]}})


# How each is set up, and what `install` calls it.
CLIENTS = {"claude": (claude_code, "claude-code"), "codex": (codex, "codex"), "gemini": (gemini, "gemini"),
           "opencode": (opencode, "opencode"), "copilot": (copilot, None)}


# What of others' hooks and servers a client cannot be kept from starting.
RUNS = {"codex": ["server"], "gemini": ["hook"], "opencode": ["server"], "copilot": ["hook", "server"]}


def main():
    scrubjay, name, program = os.path.abspath(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3])
    prepare, wired_as = CLIENTS[name]
    model = Model(REPLY)
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        (work := home / "work").mkdir()
        (home / "bin").mkdir()
        (home / f"bin/{name}").symlink_to(program)
        environment = {"HOME": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
                       "SCRUBJAY_HOME": str(home / "memory"), "SCRUBJAY_DAEMON_AUTOSTART": "false",
                       "SCRUBJAY_PROJECT": "app", **prepare(home, model.url)}

        foreign(home, name)

        def run(*arguments):
            done = subprocess.run([scrubjay, *arguments], env=environment, cwd=work, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL)
            assert done.returncode == 0, done
            return json.loads(done.stdout) if "--json" in arguments else done.stdout

        def counts():
            stored = run("list", "--limit", "100", "--json")["memories"]
            return len([memory for memory in stored if memory["kind"] == "episode"])

        if wired_as:
            run("install", wired_as)
        found = next(entry for entry in run("models", "--json")["providers"] if entry["name"] == "command")["clients"]
        assert name in [client["name"] for client in found], found
        run("models", "set", "chat", f"command/{name}")
        for role, text in TURNS:
            run("capture", "--session", "s1", "--role", role, text)
        for text in ["ok", "thanks", "go on"]:
            run("capture", "--session", "s2", "--role", "user", text)
        before = counts()
        assert not model.requests, "capturing asks nobody"
        answer = run("consolidate", "--json")
        facts = [memory["content"] for memory in run("list", "--kind", "fact", "--json")["memories"]]
        assert facts == [FACT["content"]], (facts, answer, model.requests, model.others)
        asked = [json.dumps(request) for request in model.requests]
        assert len(asked) == 1, (len(asked), [request[:600] for request in asked])
        assert "5433" in asked[0] and "scrubjay-memory nonce=" not in asked[0], asked[0][:3000]
        assert "search_memory" not in asked[0] and "mcp__scrubjay" not in asked[0], "our server is part of the call"
        spend = run("spend", "--json")
        assert spend["command_calls_today"] == 1, spend
        assert counts() == before, run("list", "--limit", "100")
        spool = home / "memory/spool"
        assert not spool.exists() or not list(spool.rglob("*.json")), list(spool.rglob("*"))
        # What could be imported later is not left behind either.
        left = [path for place in (".claude/projects", ".codex/sessions") for path in (home / place).rglob("*.jsonl")]
        assert not left, left
        ran = sorted(path.name for path in (home / "ran").iterdir())
        tools = len(model.requests[0].get("tools") or [])
        version = subprocess.run([program, "--version"], env=environment, cwd=work, capture_output=True, text=True)
        print(f"{name} {version.stdout.strip().splitlines()[0]}: 1 call, 1 request with {tools} tools, {len(facts)} fact, "
              f"{before} episodes before and after, of others' hooks and servers {' and '.join(ran) or 'none'} ran")
        assert ran == RUNS.get(name, []), ran


main()
