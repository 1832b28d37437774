"""Runs the official MCP conformance suite against the daemon.

usage: conformance.py SCRUBJAY NODE CONFORMANCE     CONFORMANCE is the suite's dist/index.js; it wants Node 22
The suite has no way to send a token, so a small proxy on loopback adds it and changes nothing else. Most scenarios ask
for tools of a reference server (`test_simple_text` and so on), which a memory has not; those that any server can be
asked run here, and each must pass.
"""

import http.client
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import urllib.parse

SCENARIOS = ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"]


def proxy(url, token):
    port = urllib.parse.urlsplit(url).port

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def forward(self):
            here = self.server.server_port
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name: value.replace(f":{here}", f":{port}") for name, value in self.headers.items()}
            headers["Authorization"] = f"Bearer {token}"
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "transfer-encoding", "connection", "date"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = do_OPTIONS = forward

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    # The suite leaves connections as it likes.
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://localhost:{server.server_port}/mcp"


def main():
    scrubjay, node, suite = (os.path.abspath(path) for path in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"], "SCRUBJAY_HOME": os.path.join(home, "memory")}
        daemon = subprocess.Popen([scrubjay, "serve", "--port", "0", "--json"], env=environment, cwd=home,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        failed = []
        try:
            told = json.loads(daemon.stdout.readline())
            url = proxy(told["url"], open(told["token_file"]).read().strip())
            for scenario in SCENARIOS:
                done = subprocess.run([node, suite, "server", "--url", url, "--scenario", scenario], env=environment,
                                      cwd=home, capture_output=True, text=True, timeout=120)
                print(f"conformance {scenario}: {'passed' if done.returncode == 0 else 'FAILED'}", flush=True)
                if done.returncode != 0:
                    failed.append(scenario)
                    print(done.stdout[-3000:], done.stderr[-1000:])
        finally:
            daemon.terminate()
            daemon.wait(30)
    sys.exit(1 if failed else 0)


main()
