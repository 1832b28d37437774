"""Runs the real Claude Code against a scripted model, with the hooks that `scrubjay install` wrote.

usage: claude_code.py SCRUBJAY CLAUDE
Run it inside `unshare -n` with the loopback interface up: nothing but this machine is reached. It checks that the
prompt is kept, that what fits is in the request that Claude Code sends, and that the reply is kept, each once.
"""

import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

REPLY = "Ada owns the billing service, as far as I remember."
REQUESTS = []


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if "/v1/messages" not in self.path or "count_tokens" in self.path:
            return self.answer("application/json", b'{"input_tokens": 1}')
        request = json.loads(body)
        REQUESTS.append(request)
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": request.get("model", "m"),
                   "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        events = [
            ("message_start", {"type": "message_start", "message": message}),
            ("content_block_start", {"type": "content_block_start", "index": 0,
                                     "content_block": {"type": "text", "text": ""}}),
            ("content_block_delta", {"type": "content_block_delta", "index": 0,
                                     "delta": {"type": "text_delta", "text": REPLY}}),
            ("content_block_stop", {"type": "content_block_stop", "index": 0}),
            ("message_delta", {"type": "message_delta", "usage": usage,
                               "delta": {"stop_reason": "end_turn", "stop_sequence": None}}),
            ("message_stop", {"type": "message_stop"}),
        ]
        if not request.get("stream"):
            message.update(content=[{"type": "text", "text": REPLY}], stop_reason="end_turn")
            return self.answer("application/json", json.dumps(message).encode())
        text = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
        self.answer("text/event-stream", text.encode())

    def do_GET(self):
        self.answer("application/json", b"{}")

    do_HEAD = do_GET

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def main():
    scrubjay, claude = (os.path.abspath(path) for path in sys.argv[1:3])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as home:
        work = os.path.join(home, "work")
        os.makedirs(work)
        memory = os.path.join(home, "memory")
        environment = {
            "HOME": home, "PATH": os.environ["PATH"], "CLAUDE_CONFIG_DIR": os.path.join(home, ".claude"),
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}", "ANTHROPIC_API_KEY": "sk-ant-none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
            "SCRUBJAY_HOME": memory, "SCRUBJAY_HOOKS_DEADLINE_MS": os.environ.get("DEADLINE_MS", "5000"),
        }

        def run(*words, **options):
            done = subprocess.run([scrubjay, *words], env=environment, cwd=work, capture_output=True, text=True, **options)
            assert done.returncode == 0, done
            return done.stdout

        daemon = subprocess.Popen([scrubjay, "serve", "--port", "0", "--json"], env=environment, cwd=work,
                                  stdout=subprocess.PIPE)
        try:
            daemon.stdout.readline()
            os.makedirs(environment["CLAUDE_CONFIG_DIR"])
            run("install", "claude-code")
            run("remember", "Ada owns the billing service")
            prompt = "Who owns the billing service?"
            done = subprocess.run([claude, "-p", prompt], env=environment, cwd=work, capture_output=True, text=True,
                                  timeout=300, stdin=subprocess.DEVNULL)
            assert done.returncode == 0, done
            assert REPLY in done.stdout, done
            sent = json.dumps([request["messages"] for request in REQUESTS])
            assert prompt in sent, sent[:2000]
            assert "scrubjay-memory nonce=" in sent and "Ada owns the billing service" in sent, sent[:4000]
            for _ in range(100):
                kept = json.loads(run("list", "--kind", "episode", "--json"))["memories"]
                texts = [memory["content"] for memory in kept]
                if prompt in texts and REPLY in texts:
                    break
                time.sleep(0.1)
            assert texts.count(prompt) == 1 and texts.count(REPLY) == 1, texts
            # The transcript says the same again, and our block with it; nothing is kept twice.
            time.sleep(1)
            run("import", "transcripts", "claude-code")
            kept = json.loads(run("list", "--kind", "episode", "--json"))["memories"]
            texts = [memory["content"] for memory in kept]
            assert texts.count(prompt) == 1 and texts.count(REPLY) == 1, texts
            assert not any("scrubjay-memory" in text for text in texts), texts
            sessions = json.loads(run("sessions", "--json"))["sessions"]
            print(f"Claude Code: {len(REQUESTS)} requests, {len(texts)} episodes, {len(sessions)} session")
            settings = os.path.join(environment["CLAUDE_CONFIG_DIR"], "settings.json")
            assert "UserPromptSubmit" in open(settings).read()
            run("uninstall", "claude-code")
            left = open(settings).read() if os.path.exists(settings) else ""
            assert "UserPromptSubmit" not in left, left
        finally:
            daemon.terminate()
            daemon.wait(30)


main()
