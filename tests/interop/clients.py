"""Runs a real client against a scripted model, with the hooks that `scrubjay install` wrote.

usage: clients.py SCRUBJAY NAME PROGRAM [PLUGIN]
NAME is claude-code, codex, gemini or opencode; PROGRAM starts the client; PLUGIN is the folder of our marketplace, for
clients that have one, and is used instead of `scrubjay install`.
Run it inside `unshare -n` with the loopback interface up: nothing but this machine is reached. It checks that the
prompt is kept, that what fits is in the request that the client sends, that the reply is kept, each once, that a second
session gets what the first one said, and that `uninstall` takes out what `install` put in.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from model import Model

FACT = "Ada owns the billing service"
PROMPT = "Who owns the billing service?"
REPLY = "Ada owns the billing service, and Brook stands in for her in August, as far as I remember."
SECOND = "Who stands in for Ada in August?"


def claude_code(home, url):
    (home / ".claude").mkdir()
    return {"CLAUDE_CONFIG_DIR": str(home / ".claude"), "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1"}


def codex(home, url):
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(
        '# Mine.\nmodel = "scripted"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n\n'
        "[analytics]\nenabled = false\n\n"
        f'[model_providers.scripted]\nname = "Scripted"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
        'env_key = "SCRIPTED_KEY"\n')
    return {"CODEX_HOME": str(home / ".codex"), "SCRIPTED_KEY": "none"}


def gemini(home, url):
    (home / ".gemini").mkdir()
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "telemetry": {"enabled": False},
                "privacy": {"usageStatisticsEnabled": False}, "general": {"disableAutoUpdate": True, "enableAutoUpdate": False}}
    (home / ".gemini/settings.json").write_text(json.dumps(settings))
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true", "NO_BROWSER": "1"}


def opencode(home, url):
    folder = home / ".config/opencode"
    folder.mkdir(parents=True)
    model = {"name": "Scripted", "tool_call": True, "limit": {"context": 100000, "output": 4000}}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "Scripted", "models": {"model": model},
                "options": {"baseURL": f"{url}/v1", "apiKey": "none"}}
    settings = {"$schema": "https://opencode.ai/config.json", "autoupdate": False, "share": "disabled",
                "model": "scripted/model", "small_model": "scripted/model", "provider": {"scripted": provider}}
    (folder / "opencode.json").write_text(json.dumps(settings, indent=2))
    return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}


# How each is set up, what comes before the prompt, and where its transcripts can be read again.
CLIENTS = {
    "claude-code": (claude_code, ["-p"], True),
    # A person is asked once whether hooks may run; nobody is there to be asked.
    "codex": (codex, ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"], True),
    "gemini": (gemini, ["-p"], False),
    # It puts quotation marks around a word with spaces, so the words are given one by one.
    "opencode": (opencode, ["run", None], False),
}


def state(home):
    """Every file that the client may have been given by us, with its bytes."""
    ours = [".claude/settings.json", ".claude/.claude.json", ".claude.json", ".codex/hooks.json", ".codex/config.toml",
            ".gemini/settings.json", ".config/opencode/opencode.json", ".config/opencode/plugins/scrubjay.js"]
    return {name: (home / name).read_text() for name in ours if (home / name).exists()}


def main():
    scrubjay, name, program = os.path.abspath(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3])
    plugin = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
    prepare, words, transcripts = CLIENTS[name]
    model = Model(REPLY)
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        work = home / "work"
        work.mkdir()
        environment = {"HOME": str(home), "PATH": os.environ["PATH"], "SCRUBJAY_HOME": str(home / "memory"),
                       "SCRUBJAY_HOOKS_DEADLINE_MS": os.environ.get("DEADLINE_MS", "5000"), **prepare(home, model.url)}
        subprocess.run(["git", "init", "-q", str(work)], check=False)
        # The plugin finds us on the search path.
        (home / "bin").mkdir()
        (home / "bin/scrubjay").symlink_to(scrubjay)
        environment["PATH"] = f"{home / 'bin'}:{environment['PATH']}"

        def manage(*arguments):
            done = subprocess.run([program, "plugin", *arguments], env=environment, cwd=work, capture_output=True,
                                  text=True, timeout=120, stdin=subprocess.DEVNULL)
            assert done.returncode == 0, (done.stdout, done.stderr)
            return done.stdout

        def run(*arguments):
            done = subprocess.run([scrubjay, *arguments], env=environment, cwd=work, capture_output=True, text=True)
            assert done.returncode == 0, done
            return done.stdout

        def episodes():
            kept = json.loads(run("list", "--kind", "episode", "--limit", "100", "--json"))["memories"]
            return [memory["content"] for memory in kept]

        def said(prompt):
            """Has the client answer a prompt; gives back the requests it made for it."""
            before = len(model.requests)
            asked = [*words[:-1], *prompt.split()] if words[-1] is None else [*words, prompt]
            done = subprocess.run([program, *asked], env=environment, cwd=work, capture_output=True, text=True,
                                  timeout=300, stdin=subprocess.DEVNULL)
            assert done.returncode == 0, (done.returncode, done.stdout[-3000:], done.stderr[-3000:])
            assert REPLY in done.stdout, (done.stdout[-3000:], done.stderr[-3000:])
            for _ in range(100):
                texts = episodes()
                if prompt in texts and REPLY in texts:
                    break
                time.sleep(0.1)
            return [json.dumps(request) for request in model.requests[before:]]

        untouched = state(home)
        daemon = subprocess.Popen([scrubjay, "serve", "--port", "0", "--json"], env=environment, cwd=work,
                                  stdout=subprocess.PIPE)
        try:
            daemon.stdout.readline()
            if plugin:
                assert "warning" not in manage("validate", plugin)
                manage("marketplace", "add", plugin)
                manage("install", "scrubjay@scrubjay")
            else:
                run("install", name)
            wired = state(home)
            assert wired != untouched
            run("remember", FACT)
            with_prompt = [request for request in said(PROMPT) if PROMPT in request]
            assert with_prompt, model.others
            given = [request for request in with_prompt if "scrubjay-memory nonce=" in request and FACT in request]
            assert given, with_prompt[0][:6000]
            texts = episodes()
            assert texts.count(PROMPT) == 1 and texts.count(REPLY) == 1, texts
            # Another session learns what this one said.
            assert any("Brook stands in" in request and "scrubjay-memory nonce=" in request for request in said(SECOND))
            texts = episodes()
            assert (texts.count(PROMPT), texts.count(SECOND), texts.count(REPLY)) == (1, 1, 2), texts
            if transcripts:
                # The transcripts say the same again, and our blocks with it; nothing is kept twice.
                time.sleep(1)
                run("import", "transcripts", name)
                texts = episodes()
                assert (texts.count(PROMPT), texts.count(SECOND), texts.count(REPLY)) == (1, 1, 2), texts
            assert not any("scrubjay-memory" in text for text in texts), texts
            sessions = json.loads(run("sessions", "--json"))["sessions"]
            assert len(sessions) == 2, sessions
            # What the client itself changed meanwhile stays; what we added goes.
            if plugin:
                manage("uninstall", "scrubjay@scrubjay")
                manage("marketplace", "remove", "scrubjay")
            else:
                run("uninstall", name)
            left = state(home)
            assert plugin or "scrubjay" not in json.dumps(left).replace(str(work), ""), left
            for file, text in untouched.items():
                assert file in left and (left[file] == text or wired[file] != text), (file, left.get(file), text)
            version = subprocess.run([program, "--version"], env=environment, cwd=work, capture_output=True, text=True)
            print(f"{name} {version.stdout.strip()}{' with the plugin' if plugin else ''}: {len(model.requests)} requests, {len(texts)} episodes, "
                  f"{len(sessions)} sessions, {len(given)} of {len(with_prompt)} requests with the prompt had the block")
        finally:
            daemon.terminate()
            daemon.wait(30)


if __name__ == "__main__":
    main()
