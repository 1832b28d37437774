"""How long hooks keep their client waiting, by the state of the daemon.

usage: hook_latency.py PROGRAM [RUNS [LOAD]]
Each run is a process of its own, as clients start them. Every run must exit with 0, write nothing to standard error,
and lose nothing: at the end every prompt is in the store exactly once. With LOAD, so many busy loops run meanwhile, and
only the daemon that is there is measured, before and under that load.
"""

import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time


def main():
    program, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    load = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, "home")
        environment = {"HOME": folder, "PATH": os.environ["PATH"], "SCRUBJAY_HOME": home, "SCRUBJAY_PROJECT": "app",
                       "SCRUBJAY_DAEMON_AUTOSTART": "false"}
        prompts = []

        def command(*words):
            done = subprocess.run([program, *words], env=environment, cwd=folder, capture_output=True, text=True)
            assert done.returncode == 0, done
            return done.stdout

        def call(state, number):
            """One prompt: how long it took and what CPU it used in ms, and whether anything came back."""
            # Under load the question is whether anything comes back, so the question is one that has an answer.
            prompt = f"Who owns the billing service, asked {state} for the {number}th time?"
            prompt = "Who owns the billing service?" if load else prompt
            prompts.append(prompt)
            payload = json.dumps({"session_id": f"{state}-{number}", "prompt": prompt, "cwd": folder})
            started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([program, "hook", "claude-code", "UserPromptSubmit"], input=payload, text=True,
                                  env=environment, cwd=folder, capture_output=True)
            took, after = (time.perf_counter() - started) * 1000, resource.getrusage(resource.RUSAGE_CHILDREN)
            used = (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000
            assert done.returncode == 0 and not done.stderr, done
            return took, used, "scrubjay-memory" in done.stdout

        def tell(state, calls):
            times, used = sorted(took for took, _, _ in calls), sorted(cpu for _, cpu, _ in calls)
            count, injected = len(times), sum(found for _, _, found in calls)
            p50, p95, p99 = (times[min(count - 1, count * part // 100)] for part in (50, 95, 99))
            print(f"| {state} | {count} | {p50:.1f} | {p95:.1f} | {p99:.1f} | {times[-1]:.1f} | {used[count // 2]:.1f} | "
                  f"{injected * 100 / count:.1f} % |", flush=True)

        def measure(state):
            tell(state, [call(state, number) for number in range(runs)])

        def serve():
            daemon = subprocess.Popen([program, "serve", "--port", "0", "--json"], env=environment, cwd=folder,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            daemon.stdout.readline()
            return daemon

        def under_load():
            # A hundred times the same question would be all that there is to find.
            environment["SCRUBJAY_HOOKS_CAPTURE"] = "false"
            daemon = serve()
            time.sleep(3)
            measure("warm")
            # They end by themselves, should this be killed.
            spin = "import time\nend = time.monotonic() + 600\nwhile time.monotonic() < end: pass"
            loops = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(load)]
            try:
                measure(f"warm, load {load}")
            finally:
                for loop in loops:
                    loop.kill()
                    loop.wait()
                daemon.terminate()
                daemon.wait()

        command("remember", "Ada owns the billing service")
        print("| daemon | runs | p50 ms | p95 ms | p99 ms | longest | CPU p50 ms | answered |\n|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)
        if load:
            return under_load()
        # Cold: the first hook of a daemon that has just begun to listen.
        calls = []
        for number in range(runs):
            daemon = serve()
            calls.append(call("cold", number))
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
        kept = command("export")
        daemon.terminate()
        daemon.wait()
        for prompt in prompts:
            assert kept.count(json.dumps(prompt)) == 1, (prompt, kept.count(json.dumps(prompt)))
        print(f"{len(prompts)} prompts, each kept once")


main()
