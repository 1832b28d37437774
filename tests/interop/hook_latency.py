"""How long hooks keep their client waiting, by the state of the daemon, and how many prompts they answer.

usage: hook_latency.py PROGRAM [RUNS [LOAD]]
The store holds one statement for each prompt that is asked, and a prompt counts as answered if its statement comes back.
Each run is a process of its own, as clients start them. Every run must exit with 0, write nothing to standard error,
and lose nothing: at the end every prompt is in the store exactly once. With LOAD, so many busy loops run meanwhile, and
only the daemon that is there is measured, without and under that load, and then stopped, so that it answers nobody. AGAINST names other programs (separated by
colons) that are then measured too, each with its own store and daemon, turn by turn with the first.
"""

import itertools
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

KINDS = "amber brisk coral dusky eager frosty gentle hollow ivory jolly keen lunar mellow noble olive proud".split()
NAMES = "heron badger cedar dolphin ember falcon glacier harbor island jasmine kestrel lantern meadow nectar".split()
PLACES = "north south east west upper lower inner outer old new left right front back high low near far".split()
OWNERS = "Ada Brook Carol Dmitri Elena Farid Grace Hiro Ines Jonas Kofi Leila".split()
STOPPED = 40  # runs with a daemon that answers nobody: each takes most of the deadline
SERVICES = ["-".join(words) for words in itertools.product(KINDS, NAMES, PLACES)]


class Place:
    """A program with a home of its own, which knows who owns which service."""

    def __init__(self, program, folder, count):
        self.program, self.folder, self.home = program, folder, os.path.join(folder, "home")
        os.makedirs(folder, exist_ok=True)
        self.environment = {"HOME": folder, "PATH": os.environ["PATH"], "SCRUBJAY_HOME": self.home,
                            "SCRUBJAY_PROJECT": "app", "SCRUBJAY_DAEMON_AUTOSTART": "false"}
        self.services, self.prompts = iter(enumerate(SERVICES)), []
        assert count <= len(SERVICES), f"at most {len(SERVICES)} prompts can be asked"
        path = os.path.join(folder, "known.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for number in range(count):
                line = {"role": "user", "content": self.statement(number), "session_id": "before"}
                file.write(json.dumps(line) + "\n")
        self.command("import", "transcripts", "generic", "--path", path, "--yes")
        self.command("jobs", "run")

    def statement(self, number):
        return f"{OWNERS[number % len(OWNERS)]} owns the {SERVICES[number]} service."

    def command(self, *words):
        done = subprocess.run([self.program, *words], env=self.environment, cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == 0, done
        return done.stdout

    def serve(self):
        daemon = subprocess.Popen([self.program, "serve", "--port", "0", "--json"], env=self.environment,
                                  cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        daemon.stdout.readline()
        return daemon

    def call(self):
        """One prompt: how long it took and what CPU it used in ms, and whether it was answered."""
        number, service = next(self.services)
        prompt = f"Who owns the {service} service?"
        self.prompts.append(prompt)
        payload = json.dumps({"session_id": f"session-{number}", "prompt": prompt, "cwd": self.folder})
        started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([self.program, "hook", "claude-code", "UserPromptSubmit"], input=payload, text=True,
                              env=self.environment, cwd=self.folder, capture_output=True)
        took, after = (time.perf_counter() - started) * 1000, resource.getrusage(resource.RUSAGE_CHILDREN)
        used = (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000
        assert done.returncode == 0 and not done.stderr, done
        return took, used, self.statement(number) in done.stdout


def tell(state, calls):
    times, used = sorted(took for took, _, _ in calls), sorted(cpu for _, cpu, _ in calls)
    count, answered = len(times), sum(found for _, _, found in calls)
    p50, p95, p99 = (times[min(count - 1, count * part // 100)] for part in (50, 95, 99))
    print(f"| {state} | {count} | {p50:.1f} | {p95:.1f} | {p99:.1f} | {times[-1]:.1f} | {used[count // 2]:.1f} | "
          f"{100 - answered * 100 / count:.1f} % |", flush=True)


def under_load(places, runs, load):
    """Measures the programs turn by turn, so that whatever else the machine does, it does to all of them."""

    def measure(state, runs=runs):
        calls = [[] for _ in places]
        for _ in range(runs):
            for place, mine in zip(places, calls):
                mine.append(place.call())
        for place, mine in zip(places, calls):
            tell(f"{state}{f', {os.path.basename(place.program)}' if len(places) > 1 else ''}", mine)

    daemons = [place.serve() for place in places]
    loops = []
    try:
        time.sleep(3)
        measure("warm")
        loops = busy(load)
        measure(f"warm, load {load}")
        end(loops)
        for daemon in daemons:
            daemon.send_signal(signal.SIGSTOP)
        measure("stopped", min(runs, STOPPED))
        loops = busy(load)
        measure(f"stopped, load {load}", min(runs, STOPPED))
    finally:
        for daemon in daemons:
            daemon.send_signal(signal.SIGCONT)
        end(loops + daemons)


def busy(load):
    # They end by themselves, should this be killed.
    spin = "import time\nend = time.monotonic() + 900\nwhile time.monotonic() < end: pass"
    return [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(load)]


def end(processes):
    for process in processes:
        process.terminate()
        process.wait()


def main():
    program, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 800
    load = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    against = [os.path.abspath(name) for name in os.environ.get("AGAINST", "").split(":") if name]
    print("| daemon | runs | p50 ms | p95 ms | p99 ms | longest | CPU p50 ms | empty |\n|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        if load:
            programs = [program, *against]
            places = [Place(name, os.path.join(folder, str(at)), 4 * runs) for at, name in enumerate(programs)]
            return under_load(places, runs, load)
        place = Place(program, folder, 5 * runs)
        home, serve, prompts = place.home, place.serve, place.prompts

        def measure(state):
            tell(state, [place.call() for _ in range(runs)])

        # Cold: the first hook of a daemon that has just begun to listen.
        calls = []
        for _ in range(runs):
            daemon = serve()
            calls.append(place.call())
            daemon.kill()
            daemon.wait()
        tell("cold", calls)
        daemon = serve()
        time.sleep(3)
        measure("warm")
        daemon.kill()
        daemon.wait()
        measure("absent")
        listener = socket.socket(socket.AF_UNIX)
        os.path.exists(os.path.join(home, "daemon.sock")) and os.remove(os.path.join(home, "daemon.sock"))
        listener.bind(os.path.join(home, "daemon.sock"))
        listener.listen(runs + 16)
        measure("hung")

        def babble():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                try:
                    connection.sendall(b"nonsense\r\n\r\n")
                except OSError:
                    pass  # Whoever waited for the hung daemon has left.
                connection.close()

        threading.Thread(target=babble, daemon=True).start()
        measure("broken")
        listener.close()
        os.remove(os.path.join(home, "daemon.sock"))
        daemon = serve()
        for _ in range(6000):
            left = [name for name in os.listdir(os.path.join(home, "spool", "default")) if name.endswith(".json")]
            if not left:
                break
            time.sleep(0.1)
        kept = place.command("export")
        daemon.terminate()
        daemon.wait()
        for prompt in prompts:
            assert kept.count(json.dumps(prompt)) == 1, (prompt, kept.count(json.dumps(prompt)))
        print(f"{len(prompts)} prompts, each kept once")


if __name__ == "__main__":
    main()
