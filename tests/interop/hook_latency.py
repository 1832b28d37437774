"""How long hooks keep their client waiting, by the state of the daemon.

usage: hook_latency.py PROGRAM [RUNS]
Each run is a process of its own, as clients start them. Every run must exit with 0, write nothing to standard error,
and lose nothing: at the end every prompt is in the store exactly once.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time


def main():
    program, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, "home")
        environment = {"HOME": folder, "PATH": os.environ["PATH"], "SCRUBJAY_HOME": home, "SCRUBJAY_PROJECT": "app",
                       "SCRUBJAY_DAEMON_AUTOSTART": "false"}
        prompts = []

        def command(*words):
            done = subprocess.run([program, *words], env=environment, cwd=folder, capture_output=True, text=True)
            assert done.returncode == 0, done
            return done.stdout

        def measure(state, count):
            times, injected = [], 0
            for number in range(count):
                prompt = f"Who owns the billing service, asked {state} for the {number}th time?"
                prompts.append(prompt)
                payload = json.dumps({"session_id": f"{state}-{number}", "prompt": prompt, "cwd": folder})
                started = time.perf_counter()
                done = subprocess.run([program, "hook", "claude-code", "UserPromptSubmit"], input=payload, text=True,
                                      env=environment, cwd=folder, capture_output=True)
                times.append((time.perf_counter() - started) * 1000)
                assert done.returncode == 0 and not done.stderr, done
                injected += "Ada owns" in done.stdout
            times.sort()
            p50, p99 = times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)]
            print(f"| {state} | {count} | {p50:.1f} | {p99:.1f} | {times[-1]:.1f} | {injected * 100 // count} % |", flush=True)

        def serve():
            daemon = subprocess.Popen([program, "serve", "--port", "0", "--json"], env=environment, cwd=folder,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            daemon.stdout.readline()
            return daemon

        command("remember", "Ada owns the billing service")
        print("| daemon | runs | p50 ms | p99 ms | longest | injected |\n|---|---|---|---|---|---|", flush=True)
        daemon = serve()
        measure("cold", 1)
        time.sleep(3)
        measure("warm", runs)
        daemon.kill()
        daemon.wait()
        measure("absent", runs)
        listener = socket.socket(socket.AF_UNIX)
        os.path.exists(os.path.join(home, "daemon.sock")) and os.remove(os.path.join(home, "daemon.sock"))
        listener.bind(os.path.join(home, "daemon.sock"))
        listener.listen(runs + 16)
        measure("hung", runs // 4)

        def babble():
            while True:
                try:
                    connection, _ = listener.accept()
                    connection.sendall(b"nonsense\r\n\r\n")
                    connection.close()
                except OSError:
                    return

        threading.Thread(target=babble, daemon=True).start()
        measure("broken", runs // 4)
        listener.close()
        os.remove(os.path.join(home, "daemon.sock"))
        daemon = serve()
        for _ in range(600):
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
