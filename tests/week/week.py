"""A week of a new user, through the real binary.

usage: week.py PROGRAM
Every step is a process of its own, as clients and people start them, without a daemon. What is kept is compared at the
end, text by text: each expected one is there once and in its scope, and nothing else is. A failure is an exception.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile

# A conversation that is long enough to be interrupted in.
LONG = 4000


class Week:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.home = os.path.join(folder, "home")
        self.environment = {
            "HOME": folder, "PATH": os.environ["PATH"], "SCRUBJAY_HOME": self.home,
            "SCRUBJAY_DAEMON_AUTOSTART": "false", "SCRUBJAY_HOOKS_DEADLINE_MS": "20000",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
        }
        self.expected = {}  # text -> name of its scope
        self.gone = []  # texts that must not be anywhere

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def run(self, *words, cwd, given=None, status=0):
        done = subprocess.run([self.program, *words], env=self.environment, cwd=cwd, input=given, text=True,
                              capture_output=True, timeout=120)
        assert done.returncode == status, (words, done)
        return done.stdout

    def json(self, *words, cwd):
        return json.loads(self.run(*words, "--json", cwd=cwd))

    def git(self, *words, cwd):
        subprocess.run(["git", *words], env=self.environment, cwd=cwd, check=True, capture_output=True)

    def repository(self, name, remote=None):
        place = self.path(name)
        os.makedirs(place)
        self.git("init", "-q", cwd=place)
        with open(os.path.join(place, "README.md"), "w") as file:
            file.write(f"# {name}\n")
        self.git("add", "-A", cwd=place)
        author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        self.git(*author, "commit", "-q", "-m", f"Begin {name}", cwd=place)
        if remote:
            self.git("remote", "add", "origin", remote, cwd=place)
        return place

    def hook(self, client, event, cwd, **payload):
        payload["cwd"] = cwd
        done = subprocess.run([self.program, "hook", client, event], env=self.environment, cwd=cwd, text=True,
                              input=json.dumps(payload), capture_output=True, timeout=120)
        assert done.returncode == 0 and done.stderr == "", (client, event, done)
        return done.stdout

    def talk(self, client, session, cwd, scope, prompt, reply, kept=True):
        """One turn, as the client's own hooks tell it."""
        if client == "gemini":
            told = self.hook("gemini", "BeforeAgent", cwd, session_id=session, prompt=prompt)
            self.hook("gemini", "AfterAgent", cwd, session_id=session, prompt=prompt, prompt_response=reply)
        else:
            told = self.hook(client, "UserPromptSubmit", cwd, session_id=session, prompt=prompt)
            self.hook(client, "Stop", cwd, session_id=session, last_assistant_message=reply)
        for text in (prompt, reply):
            if kept:
                self.expect(scope, text)
            else:
                self.gone.append(text)
        return told

    def expect(self, scope, text):
        assert text not in self.expected, text
        self.expected[text] = scope

    def remember(self, cwd, scope, text, *flags):
        made = self.json("remember", *flags, text, cwd=cwd)
        assert made["id"], made
        self.expect(scope, text)
        return made["id"]

    def scope(self, cwd):
        """The scope that a command in this folder stands in."""
        made = self.json("remember", "--key", "where am I", "Where this folder belongs", cwd=cwd)
        shown = self.json("show", made["id"], cwd=cwd)
        self.run("purge", "--yes", made["id"], cwd=cwd)
        return shown["scope"]

    def has(self, *words):
        """Whether this build knows a command."""
        done = subprocess.run([self.program, *words, "--help"], env=self.environment, cwd=self.folder,
                              capture_output=True, text=True)
        return done.returncode == 0

    def takes(self, flag, *words):
        done = subprocess.run([self.program, *words, "--help"], env=self.environment, cwd=self.folder,
                              capture_output=True, text=True)
        return flag in done.stdout


def monday(week):
    """Two projects, two clients, nothing of one is seen in the other."""
    alpha = week.repository("alpha")
    beta = week.repository("beta", "https://git.example.org/team/beta.git")
    week.hook("claude-code", "SessionStart", alpha, session_id="a1", source="startup")
    week.talk("claude-code", "a1", alpha, "alpha", "Our staging database listens on port 5433",
              "Noted: staging listens on 5433.")
    week.talk("codex", "b1", beta, "beta", "We deploy beta with make ship on Tuesdays", "Understood, make ship.")
    week.remember(alpha, "alpha", "Invoices of alpha are numbered by year", "--type", "decision")
    week.remember(beta, "beta", "Beta keeps its logs for ninety days", "--type", "convention")
    week.scopes = {"alpha": week.scope(alpha), "beta": week.scope(beta), "global": "global"}
    assert week.scopes["alpha"] != week.scopes["beta"], week.scopes
    seen = week.json("recall", "staging database port", cwd=beta)
    assert "5433" not in json.dumps(seen), seen
    return alpha, beta


def tuesday(week, alpha):
    """A third client is told what the first one learned."""
    told = week.talk("gemini", "a2", alpha, "alpha", "On which port does the staging database listen?",
                     "It listens on 5433, as you said.")
    assert "5433" in told, told
    again = week.hook("gemini", "BeforeAgent", alpha, session_id="a2",
                      prompt="On which port does the staging database listen?")
    assert "scrubjay-memory" not in again or "5433" not in again, "the same item twice in a session: " + again
    return alpha


def wednesday(week, alpha, beta):
    """Folders are renamed, remotes come and change; the memories stay."""
    if not week.takes("adopt", "projects"):
        return alpha, beta, "projects keep their memories when renamed and re-remoted"
    week.git("remote", "add", "origin", "git@git.example.org:team/alpha.git", cwd=alpha)
    assert week.scope(alpha) == week.scopes["alpha"], "a remote was added"
    renamed = week.path("alpha-shop")
    os.rename(alpha, renamed)
    assert week.scope(renamed) == week.scopes["alpha"], "the folder was renamed"
    week.git("remote", "set-url", "origin", "https://code.example.net/beta.git", cwd=beta)
    assert week.scope(beta) == week.scopes["beta"], "the remote has another address"
    found = week.json("recall", "how are invoices numbered", cwd=renamed)
    assert "numbered by year" in json.dumps(found["hits"]), found
    week.talk("claude-code", "a3", renamed, "alpha", "The renamed shop still uses sqlite", "It does.")
    return renamed, beta, None


def thursday(week, beta):
    """Off means off."""
    if not (week.has("pause") and week.has("resume")):
        return "pause and resume"
    week.run("pause", cwd=beta)
    told = week.talk("codex", "b2", beta, "beta", "My salary is ninety thousand, say nobody", "I will not.", kept=False)
    assert "scrubjay-memory" not in told, told
    week.run("resume", cwd=beta)
    week.talk("codex", "b3", beta, "beta", "Beta speaks gRPC to the gateway", "Yes, gRPC.")
    return None


def vault(week, alpha):
    """A vault to read. It comes before the long import, so that its vectors are not behind thousands of others."""
    folder = week.path("vault")
    os.makedirs(folder)
    with open(os.path.join(folder, "Garden.md"), "w") as file:
        file.write("# Garden\n\nThe quince tree was planted in 2019.\n")
    week.run("sources", "add", "--kind", "notes", "--scope", "global", folder, cwd=alpha)
    week.run("sync", cwd=alpha)
    week.run("jobs", "run", cwd=alpha)
    found = week.json("recall", "when was the quince tree planted", cwd=alpha)
    assert any("2019" in hit["snippet"] and hit["path"] for hit in found["hits"]), found


def friday(week, alpha):
    """What two other tools remembered comes along, one of them interrupted by force."""
    export = week.path("chatgpt.zip")
    chatgpt(export, LONG)
    texts = [f"Long talk, turn {turn}" for turn in range(LONG)]
    told = week.json("import", "chatgpt", "--dry-run", export, cwd=alpha)
    assert told["episodes"] == LONG and told["run"] is None, told
    killed = interrupted(week, ["import", "chatgpt", export], alpha)
    done = week.json("import", "chatgpt", export, cwd=alpha)
    assert done["episodes"] + done["duplicates"] == LONG, done
    assert not killed or (done["duplicates"] > 0 and done["episodes"] > 0), (killed, done)
    again = week.json("import", "chatgpt", export, cwd=alpha)
    assert (again["episodes"], again["duplicates"]) == (0, LONG), again
    for text in texts:
        week.expect("global", text)

    database = week.path("claude-mem", "claude-mem.db")
    claude_mem(database)
    scope = week.scopes["alpha"].removeprefix("project/")
    done = week.json("--project", scope, "import", "claude-mem", "--only", "shop", week.path("claude-mem"), cwd=alpha)
    assert (done["facts"], done["episodes"]) == (1, 1), done
    week.expect("alpha", "Receipts are kept for ten years\nThe tax office asked for it.")
    week.expect("alpha", "Please keep the receipts")
    week.gone.append("Something of another project")
    return killed


def saturday(week, alpha):
    """A folder of facts that goes both ways."""
    facts = week.path("facts")
    week.run("sources", "add", "--kind", "notes", "--write", facts, cwd=alpha)
    files = {open(os.path.join(facts, name)).read(): os.path.join(facts, name)
             for name in os.listdir(facts) if name.endswith(".md")}
    # The decision, the one of claude-mem, and what was drawn from the conversations.
    assert len(files) >= 2, files
    text, place = next((text, place) for text, place in files.items() if "numbered by year" in text)
    with open(place, "w") as file:
        file.write(text.replace("numbered by year", "numbered by year and month"))
    with open(os.path.join(facts, "mine.md"), "w") as file:
        file.write("The office closes at six\n")
    week.run("sync", cwd=alpha)
    week.expected.pop("Invoices of alpha are numbered by year")
    week.expect("alpha", "Invoices of alpha are numbered by year and month")
    week.expect("alpha", "The office closes at six")
    os.remove(os.path.join(facts, "mine.md"))
    week.run("sync", cwd=alpha)
    week.expected.pop("The office closes at six")
    before = sorted(os.listdir(facts))
    week.run("sync", cwd=alpha)
    assert sorted(os.listdir(facts)) == before


def sunday(week, alpha, beta):
    """A person asks to be forgotten."""
    if not week.takes("--entity", "purge"):
        return "the purge of a person"
    said = "Grace Hopper (grace@example.org) reviews the compiler"
    for place in (alpha, beta):
        week.remember(place, "alpha" if place == alpha else "beta", f"{said} of {os.path.basename(place)}")
    week.talk("claude-code", "a9", alpha, "alpha", "Ask grace@example.org about it", "I will write to her.")
    told = week.json("purge", "--entity", "grace@example.org", "--all-projects", "--dry-run", cwd=alpha)
    assert told["dry_run"] and len(told["ids"]) >= 3, told
    week.run("purge", "--entity", "grace@example.org", "--all-projects", "--yes", cwd=alpha)
    for text in [text for text in week.expected if "grace@" in text]:
        week.expected.pop(text)
        week.gone.append(text)
    return None


def everything_is_where_it_should_be(week, alpha):
    export = week.run("export", "--all-projects", cwd=alpha)
    kept = [json.loads(line) for line in export.splitlines()]
    kept = [record for record in kept if record.get("record") == "memory" and not record["valid_until"]]
    # What was drawn from conversations in the background is not part of the count; it says where it came from.
    own = [record for record in kept if not record["source_ids"]]
    seen = {}
    for record in own:
        seen.setdefault(record["content"], []).append(record["scope"])
    for text, name in week.expected.items():
        assert seen.get(text) == [week.scopes[name]], (text, week.scopes[name], seen.get(text))
    others = {text: scopes for text, scopes in seen.items() if text not in week.expected}
    assert not others, others
    for text in week.gone:
        assert text not in export, text
    for record in kept:
        for source in record["source_ids"]:
            assert any(other["id"] == source and other["scope"] == record["scope"] for other in kept), record
    health = week.json("doctor", cwd=alpha)
    # Nobody made a backup in this week.
    bad = [found for found in health["findings"] if found["status"] != "good" and found["check"] != "backups"]
    assert not bad, bad
    return len(own)


def chatgpt(path, turns):
    """A conversation as ChatGPT exports it: a tree of nodes, the last one named."""
    mapping = {"root": {"id": "root", "parent": None, "children": ["n0"], "message": None}}
    for turn in range(turns):
        message = {"id": f"m{turn}", "author": {"role": "assistant" if turn % 2 else "user"}, "recipient": "all",
                   "create_time": 1700000000 + turn, "metadata": {},
                   "content": {"content_type": "text", "parts": [f"Long talk, turn {turn}"]}}
        children = [f"n{turn + 1}"] if turn + 1 < turns else []
        mapping[f"n{turn}"] = {"id": f"n{turn}", "parent": f"n{turn - 1}" if turn else "root", "children": children,
                               "message": message}
    conversation = {"conversation_id": "long", "title": "Long", "create_time": 1700000000, "mapping": mapping,
                    "current_node": f"n{turns - 1}"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([conversation]))


def claude_mem(path):
    """The tables of claude-mem that matter, with two projects in them."""
    os.makedirs(os.path.dirname(path))
    database = sqlite3.connect(path)
    database.executescript("""
        CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT, memory_session_id TEXT, project TEXT);
        CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, type TEXT, title TEXT,
            narrative TEXT, created_at_epoch INTEGER);
        CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, content_session_id TEXT, prompt_text TEXT,
            created_at_epoch INTEGER);
    """)
    rows = database.execute
    rows("INSERT INTO sdk_sessions VALUES (1, 'c1', 'm1', 'shop'), (2, 'c2', 'm2', 'other')")
    rows("INSERT INTO observations VALUES (1, 'm1', 'shop', 'decision', 'Receipts are kept for ten years',"
         " 'The tax office asked for it.', 1762000000000)")
    rows("INSERT INTO observations VALUES (2, 'm2', 'other', 'decision', 'Something of another project', NULL, 1762000000000)")
    rows("INSERT INTO user_prompts VALUES (1, 'c1', 'Please keep the receipts', 1762000000000)")
    database.commit()
    database.close()


def interrupted(week, words, cwd):
    """Runs a command and kills it once it has stored something; whether it was caught in the middle."""
    store = os.path.join(week.home, "default.sqlite")

    def stored():
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=5) as database:
            return database.execute("SELECT count(*) FROM memories WHERE client_id LIKE 'chatgpt:%'").fetchone()[0]

    process = subprocess.Popen([week.program, *words], env=week.environment, cwd=cwd, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        while process.poll() is None and stored() == 0:
            time.sleep(0.01)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait(30)
    return 0 < stored() < LONG


def main():
    program = os.path.abspath(sys.argv[1])
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        week = Week(program, os.path.realpath(folder))
        alpha, beta = monday(week)
        alpha = tuesday(week, alpha)
        alpha, beta, waits = wednesday(week, alpha, beta)
        waiting = [waits, thursday(week, beta)]
        vault(week, alpha)
        killed = friday(week, alpha)
        saturday(week, alpha)
        waiting.append(sunday(week, alpha, beta))
        count = everything_is_where_it_should_be(week, alpha)
    for step in filter(None, waiting):
        print(f"week: WAITS for this build to know it: {step}")
    caught = "killed in the middle" if killed else "too quick to be killed"
    print(f"week: {count} memories where they should be, and nothing else; the import was {caught}; "
          f"{time.monotonic() - started:.0f} s")


main()
