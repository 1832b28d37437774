"""Runs a real client against a scripted model, with the hooks that `scrubjay install` wrote.

usage: clients.py SCRUBJAY NAME PROGRAM [PLUGIN [also]]
NAME is claude-code, codex, gemini, opencode or copilot; PROGRAM starts the client; PLUGIN is the folder of our
marketplace, for clients that have one, and is used instead of `scrubjay install`, or with `also` together with it.
Run it inside `unshare -n` with the loopback interface up: nothing but this machine is reached. It checks that the
prompt is kept, that what fits is in the request that asks for the answer and in no other, that the reply is kept, each
once, that a second session gets what the first one said, that a session which is taken up again is not told the same
twice, that our tools are offered, and that `uninstall` brings back every byte and leaves no file or folder behind.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from model import Model

FACT = "Ada owns the billing service"
PROMPT = "Who owns the billing service?"
REPLY = "Ada owns the billing service, and Brook stands in for her in August, as far as I remember."
SECOND = "Who stands in for Ada in August?"
THIRD = "And who owns the billing service in September?"


def claude_code(home, url):
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{\n  "cleanupPeriodDays": 20,\n  "includeCoAuthoredBy": false\n}\n')
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
    text = json.dumps(settings, indent=2).replace('"telemetry"', '/* off */ "telemetry"')
    (home / ".gemini/settings.json").write_text(f"// Mine.\n{text} // all\n")
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true", "NO_BROWSER": "1"}


def opencode(home, url):
    folder = home / ".config/opencode"
    folder.mkdir(parents=True)
    model = {"name": "Scripted", "tool_call": True, "limit": {"context": 100000, "output": 4000}}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "Scripted", "models": {"model": model},
                "options": {"baseURL": f"{url}/v1", "apiKey": "none"}}
    settings = {"$schema": "https://opencode.ai/config.json", "autoupdate": False, "share": "disabled",
                "model": "scripted/model", "small_model": "scripted/model", "provider": {"scripted": provider}}
    text = json.dumps(settings, indent=2).replace('"autoupdate"', '/* never */ "autoupdate"')
    (folder / "opencode.json").write_text(f"// Mine.\n{text}\n")
    return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}


def copilot(home, url):
    (home / ".copilot").mkdir()
    return {"COPILOT_HOME": str(home / ".copilot"), "COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_MODEL": "scripted",
            "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_OFFLINE": "true"}


CODEX = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"]

# How each is set up, what comes before the prompt, the same to take up the last session, and whether its transcripts
# can be read again.
CLIENTS = {
    "claude-code": (claude_code, ["-p"], ["--continue", "-p"], True),
    # A person is asked once whether hooks may run; nobody is there to be asked.
    "codex": (codex, ["exec", *CODEX], ["exec", *CODEX, "resume", "--last"], True),
    "gemini": (gemini, ["-p"], ["--resume", "latest", "-p"], False),
    # It puts quotation marks around a word with spaces, so the words are given one by one.
    "opencode": (opencode, ["run", None], ["run", "--continue", None], False),
    "copilot": (copilot, ["-p"], ["--continue", "-p"], True),
}

# Where each keeps what we change; everything else is its own business.
OURS = [".claude/settings.json", ".claude/.claude.json", ".claude.json", ".codex/hooks.json", ".codex/config.toml",
        ".gemini/settings.json", ".config/opencode/opencode.json", ".config/opencode/plugins/scrubjay.js",
        ".config/opencode/plugins", ".copilot/hooks/scrubjay.json", ".copilot/hooks", ".copilot/mcp-config.json"]


def state(home):
    """Every file and folder that the client may have been given by us, with its bytes."""
    there = {name: home / name for name in OURS if (home / name).exists()}
    return {name: path.read_text() if path.is_file() else "a folder" for name, path in there.items()}


def blocks(request):
    """What we handed over in a request, block by block. Gemini escapes the marks."""
    text = request.replace("&lt;", "<").replace("&gt;", ">")
    return re.findall(r"<scrubjay-memory nonce=.*?</scrubjay-memory", text, re.DOTALL)


def main():
    scrubjay, name, program = os.path.abspath(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3])
    plugin = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
    both = plugin and sys.argv[5:] == ["also"]
    prepare, words, again, transcripts = CLIENTS[name]
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

        told = []

        def said(prompt, words=words):
            """Has the client answer a prompt; gives back the request for the answer."""
            before, replies = len(model.requests), episodes().count(REPLY)
            asked = [*words[:-1], *prompt.split()] if words[-1] is None else [*words, prompt]
            done = subprocess.run([program, *asked], env=environment, cwd=work, capture_output=True, text=True,
                                  timeout=300, stdin=subprocess.DEVNULL)
            assert done.returncode == 0, (done.returncode, done.stdout[-3000:], done.stderr[-3000:])
            assert REPLY in done.stdout, (done.stdout[-3000:], done.stderr[-3000:])
            told.append(done.stdout + done.stderr)
            # Some clients write their transcript when their hooks have ended, and the reply is read from it later.
            for _ in range(100):
                texts = episodes()
                if prompt in texts and texts.count(REPLY) > replies:
                    break
                time.sleep(0.1)
            # The one that offers tools is the one that answers; others ask for a title or a summary.
            mine = [request for request in model.requests[before:] if prompt in json.dumps(request)]
            answering = [json.dumps(request) for request in mine if request.get("tools")]
            offered.append(json.dumps([request.get("tools") for request in mine]))
            others = [json.dumps(request) for request in mine if not request.get("tools")]
            assert answering, (len(mine), model.others)
            # Gemini sends the whole conversation to whoever chooses the model for it.
            told_others = name != "gemini" and any(blocks(request) for request in others)
            assert not told_others, "a request that does not answer was told, too"
            counts.append((len(answering), len(others)))
            return answering[-1]

        counts, offered = [], []
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
            if both:
                run("install", name)
            wired = state(home)
            assert wired != untouched
            run("remember", FACT)
            first = said(PROMPT)
            assert sum(block.count(FACT) for block in blocks(first)) == 1, (blocks(first), first[:6000])
            assert "search_memory" in offered[0], "our tools are not offered"
            texts = episodes()
            assert texts.count(PROMPT) == 1 and texts.count(REPLY) == 1, texts
            # Another session learns what this one said.
            assert "Brook stands in" in "".join(blocks(second := said(SECOND))), second[:6000]
            texts = episodes()
            assert (texts.count(PROMPT), texts.count(SECOND), texts.count(REPLY)) == (1, 1, 2), texts
            if transcripts:
                # The transcripts say the same again, and our blocks with it; nothing is kept twice.
                time.sleep(1)
                run("import", "transcripts", name)
                texts = episodes()
                assert (texts.count(PROMPT), texts.count(SECOND), texts.count(REPLY)) == (1, 1, 2), texts
            # Taken up again, the session is not told a second time what it was told.
            third = said(THIRD, again)
            repeated = [block for block in blocks(third) if blocks(third).count(block) > 1]
            assert not repeated and "".join(blocks(third)).count(FACT) <= 2, (blocks(third), third[:6000])
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
            assert left == untouched or any(wired.get(file) != text for file, text in left.items()), (left, untouched)
            # What the client wrote into a file that was not there before stays; an empty one does not.
            made = {file: text for file, text in left.items() if file not in untouched}
            assert not any(text == "a folder" or len(text.strip()) < 3 for text in made.values()), f"left behind: {made}"
            assert not any("clamping" in text for text in told), told
            version = subprocess.run([program, "--version"], env=environment, cwd=work, capture_output=True, text=True)
            print(f"{name} {version.stdout.strip()}{' with the plugin' if plugin else ''}: {len(model.requests)} requests, {len(texts)} episodes, "
                  f"{len(sessions)} sessions, requests that answered and others by prompt: {counts}")
        finally:
            daemon.terminate()
            daemon.wait(30)


if __name__ == "__main__":
    main()
