"""How many requests the daemon takes, and how long each waits, beside the same engine without it.

usage: load.py PROGRAM [MEMORIES]
Fills a store, lets the daemon make its vectors, then loads capture and recall over HTTP with `wrk` at 1, 8 and 64
connections. Beside that stands the same work in one process: `capture --json` and `mcp` over a pipe, one after the
other, without a daemon. SECONDS is the time for each figure (10), SETTLE_S how long vectors and facts are waited
for (1800); SCRUBJAY_EMBEDDING_… and SCRUBJAY_EXTRACT_… settings are handed on.
"""

import http.client
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

PEOPLE = "Ada Brook Cleo Dana Emil Farah Goran Hedda Ivo Jana Karim Lena Mats Nora Oskar Petra".split()
THINGS = ("billing shipping search login invoice report backup payment calendar inventory checkout mailer "
          "scheduler gateway catalogue profile").split()
DEEDS = "moved owns rewrote tested broke mended measured documented".split()
PLACES = "Frankfurt Dublin Oslo Madrid staging production review release".split()

SCRIPT = """
wrk.method = "POST"
wrk.headers["Authorization"] = "Bearer %(token)s"
wrk.headers["Scrubjay-Project"] = "app"
wrk.headers["Content-Type"] = "application/json"
local people, things = {%(people)s}, {%(things)s}
local threads = 0
function setup(thread) thread:set("number", threads) threads = threads + 1 end
function init() math.randomseed(%(seed)d + number) count = 0 end
function request()
  count = count + 1
  local person, thing = people[math.random(#people)], things[math.random(#things)]
  local body = %(body)s
  return wrk.format(nil, nil, nil, body)
end
function done(summary) io.write(string.format("FAILED %%d\\n", summary.errors.status + summary.errors.timeout)) end
"""
CAPTURE = """string.format('{"session_id":"load-%(seed)d-%%d","role":"user","content":"%%s said in message %%d of %%d that the %%s service waits"}',
    number, person, count, number * 1000 + %(seed)d, thing)"""
RECALL = """string.format('{"query":"what did %%s do with the %%s service in ticket %%d","limit":10}', person, thing, math.random(9999))"""


def sentence(number):
    chosen = random.Random(number)
    pick = chosen.choice
    return (f"{pick(PEOPLE)} {pick(DEEDS)} the {pick(THINGS)} service in {pick(PLACES)} for ticket {number}, "
            f"because the {pick(THINGS)} service of {pick(PEOPLE)} needs module{chosen.randrange(500)}")


def post(told, token, path, value):
    connection = http.client.HTTPConnection(told["url"].removeprefix("http://"), timeout=300)
    headers = {"Authorization": f"Bearer {token}", "Scrubjay-Project": "app", "Content-Type": "application/json"}
    connection.request("POST", path, json.dumps(value), headers)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, (answer.status, body[:500])
    return json.loads(body)


def milliseconds(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60000}[unit]


def main():
    program, wanted = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100000
    seconds, settle = int(os.environ.get("SECONDS", "10")), int(os.environ.get("SETTLE_S", "1800"))
    with tempfile.TemporaryDirectory(dir=os.environ.get("WHERE")) as folder:
        environment = {"HOME": folder, "PATH": os.environ["PATH"], "SCRUBJAY_HOME": os.path.join(folder, "home"),
                       "SCRUBJAY_PROJECT": "app", "SCRUBJAY_DAEMON_AUTOSTART": "false"}
        for name, value in os.environ.items():
            if name.startswith(("SCRUBJAY_EMBEDDING_", "SCRUBJAY_EXTRACT_")):
                environment[name] = value

        def serve():
            daemon = subprocess.Popen([program, "serve", "--port", "0", "--json"], env=environment, cwd=folder,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            told = json.loads(daemon.stdout.readline())
            return daemon, told, open(told["token_file"]).read().strip()

        no_vectors = environment.get("SCRUBJAY_EMBEDDING_PROVIDER") == "none"
        daemon, told, token = serve()
        started = time.monotonic()
        for first in range(0, wanted, 1000):
            count = min(1000, wanted - first)
            said = [{"session_id": f"s{(first + n) // 50}", "role": "user", "content": sentence(first + n)}
                    for n in range(count)]
            post(told, token, "/v1/messages", said)
        took = time.monotonic() - started
        print(f"{wanted} memories taken in, 1000 in one request: {wanted / took:.0f} a second", flush=True)
        while time.monotonic() - started < settle:
            asked = subprocess.run([program, "status", "--json"], env=environment, cwd=folder, capture_output=True)
            waiting = json.loads(asked.stdout)
            due = sum(agent.get("jobs_due", 0) for agent in waiting.get("agents", []))
            # A job that runs is not due any more, and queues itself again when it is done.
            vectors = post(told, token, "/v1/reembed", {"status": True})
            if due == 0 and (no_vectors or vectors["embedded"] == vectors["items"]):
                break
            time.sleep(2)
        print(f"settled after {time.monotonic() - started:.0f} s: {vectors['embedded']} of {vectors['items']} have vectors",
              flush=True)

        def load(what, body, path, connections):
            script = os.path.join(folder, "load.lua")
            seed = random.randrange(10**6)
            words = {"token": token, "seed": seed, "people": ",".join(f'"{name}"' for name in PEOPLE),
                     "things": ",".join(f'"{name}"' for name in THINGS), "body": body % {"seed": seed}}
            with open(script, "w") as file:
                file.write(SCRIPT % words)
            command = ["wrk", "-t", str(min(2, connections)), "-c", str(connections), "-d", f"{seconds}s", "--latency",
                       "--timeout", "30s", "-s", script, told["url"] + path]
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, done
            if "99%" not in done.stdout or "Requests/sec" not in done.stdout:
                raise AssertionError(done.stdout + done.stderr)
            parts = dict(re.findall(r"\b(50|99)%\s+([\d.]+(?:us|ms|s|m))", done.stdout))
            rate = float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout).group(1))
            failed = int(re.search(r"FAILED (\d+)", done.stdout).group(1))
            print(f"| {what} | HTTP, {connections} at once | {rate:.0f} | {milliseconds(parts['50']):.1f} | "
                  f"{milliseconds(parts['99']):.1f} | {failed} |", flush=True)

        def piped(what, words, question, answered):
            child = subprocess.Popen([program, *words], env=environment, cwd=folder, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            times, until, number = [], time.monotonic() + seconds, 0
            while time.monotonic() < until:
                number += 1
                began = time.perf_counter()
                child.stdin.write(json.dumps(question(number)) + "\n")
                child.stdin.flush()
                line = child.stdout.readline()
                times.append((time.perf_counter() - began) * 1000)
                assert answered in line, line
            child.stdin.close()
            child.wait()
            times = sorted(times[1:])
            print(f"| {what} | one process, one at a time | {1000 * len(times) / sum(times):.0f} | "
                  f"{times[len(times) // 2]:.1f} | {times[len(times) * 99 // 100]:.1f} | 0 |", flush=True)

        print("| | how | a second | p50 ms | p99 ms | failed |\n|---|---|--:|--:|--:|--:|", flush=True)
        try:
            for connections in (1, 8, 64):
                load("recall", RECALL, "/v1/recall", connections)
            for connections in (1, 8, 64):
                load("capture", CAPTURE, "/v1/messages", connections)
        finally:
            daemon.terminate()
            daemon.wait(60)
        piped("recall", ["mcp"], lambda n: {
            "jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "search_memory", "arguments": {
                "query": f"what did {random.choice(PEOPLE)} do with the {random.choice(THINGS)} service in ticket {n}",
                "limit": 10}}}, '"isError":false')
        piped("capture", ["capture", "--json"], lambda n: {
            "session_id": "alone", "role": "user", "content": f"said alone in message {n} about the "
            f"{random.choice(THINGS)} service"}, '"id":"ep_')


main()
