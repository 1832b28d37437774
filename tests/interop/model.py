"""A scripted model that speaks the protocols of those who make clients: whatever it is asked, it gives one reply.

Anthropic's messages, OpenAI's responses and chat completions, Gemini's generateContent, each as one answer or as a
stream. Every request that asked for a reply is kept, so that what a client sent can be looked at.
"""

import http.server
import json
import threading


def events(*pairs):
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in pairs)


def lines(*values):
    return "".join(f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n" for value in values)


def anthropic(request, reply):
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": request.get("model", "m"),
               "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    whole = {**message, "content": [{"type": "text", "text": reply}], "stop_reason": "end_turn"}
    return whole, events(
        ("message_start", {"type": "message_start", "message": message}),
        ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": reply}}),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        ("message_delta", {"type": "message_delta", "usage": usage,
                           "delta": {"stop_reason": "end_turn", "stop_sequence": None}}),
        ("message_stop", {"type": "message_stop"}),
    )


def responses(request, reply):
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": reply, "annotations": []}]}
    usage = {"input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2}
    begun = {"id": "resp_1", "object": "response", "created_at": 1, "model": request.get("model", "m"),
             "status": "in_progress", "output": []}
    whole = {**begun, "status": "completed", "output": [item], "usage": usage}
    return whole, events(
        ("response.created", {"type": "response.created", "response": begun}),
        ("response.output_item.added", {"type": "response.output_item.added", "output_index": 0,
                                        "item": {**item, "status": "in_progress", "content": []}}),
        ("response.output_text.delta", {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0,
                                        "content_index": 0, "delta": reply}),
        ("response.output_item.done", {"type": "response.output_item.done", "output_index": 0, "item": item}),
        ("response.completed", {"type": "response.completed", "response": whole}),
    )


def chat(request, reply):
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    base = {"id": "chatcmpl-1", "created": 1, "model": request.get("model", "m")}
    message = {"role": "assistant", "content": reply}
    whole = {**base, "object": "chat.completion", "usage": usage,
             "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    piece = {**base, "object": "chat.completion.chunk"}
    return whole, lines(
        {**piece, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage},
        "[DONE]",
    )


def gemini(request, reply):
    # A request for JSON is one of the client's own questions about the conversation, not the conversation.
    wanted = request.get("generationConfig", {}).get("responseMimeType") == "application/json"
    text = json.dumps({"reasoning": "plain", "model_choice": "flash", "complexity_score": 1,
                       "complexity_reasoning": "plain"}) if wanted else reply
    whole = {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}],
             "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}
    return whole, lines(whole)


def protocol(path):
    path, _, query = path.partition("?")
    if "enerateContent" in path:
        return gemini, "streamGenerateContent" in path
    if path.endswith("/messages"):
        return anthropic, None
    if path.endswith("/responses"):
        return responses, None
    if path.endswith("/chat/completions"):
        return chat, None
    return None, None


class Model:
    """The server. `requests` holds what was asked, oldest first; `others` the paths that no protocol knows."""

    def __init__(self, reply):
        self.requests, self.others = [], []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                speak, streams = protocol(self.path)
                if speak is None:
                    model.others.append(f"POST {self.path}")
                    counted = b'{"input_tokens": 1, "totalTokens": 1}' if "oken" in self.path else b"{}"
                    return self.answer("application/json", counted)
                request = json.loads(body)
                model.requests.append(request)
                whole, stream = speak(request, reply)
                if request.get("stream", False) if streams is None else streams:
                    return self.answer("text/event-stream", stream.encode())
                self.answer("application/json", json.dumps(whole).encode())

            def do_GET(self):
                model.others.append(f"{self.command} {self.path}")
                self.answer("application/json", b'{"object": "list", "data": [], "models": []}')

            do_HEAD = do_GET

            def answer(self, kind, body):
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
