"""Calls the fault server with the vendors' own clients and looks at what they make of its answers."""

import io
import json
import subprocess
import sys
import time
import warnings

KEY = "test-key-canary-41f7"
SCHEMA = {
    "type": "object",
    "properties": {"keep": {"type": "boolean"}, "facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["keep", "facts"],
    "additionalProperties": False,
}


def check(what, condition):
    if not condition:
        raise SystemExit(f"vendor-clients: {what} does not hold")
    print(f"ok: {what}")


def unit(vector):
    return abs(sum(value * value for value in vector) - 1) < 1e-3


def openai_client(address):
    import openai

    client = openai.OpenAI(api_key=KEY, base_url=f"{address}/v1", max_retries=0)
    # The client asks for base64 by itself and decodes it.
    answer = client.embeddings.create(model="text-embedding-3-small", input=["one", "two"])
    check("openai embeddings", [entry.index for entry in answer.data] == [0, 1] and answer.usage.prompt_tokens > 0)
    check("openai vectors", len(answer.data[0].embedding) == 1536 and unit(answer.data[0].embedding))
    short = client.embeddings.create(model="text-embedding-3-large", input="one", dimensions=256, encoding_format="float")
    check("openai dimensions", len(short.data[0].embedding) == 256)
    answer = client.chat.completions.create(
        model="gpt-5-nano",
        messages=[{"role": "user", "content": "Hello"}],
        response_format={"type": "json_schema", "json_schema": {"name": "facts", "strict": True, "schema": SCHEMA}},
    )
    choice = answer.choices[0]
    check("openai chat", choice.finish_reason == "stop" and json.loads(choice.message.content)["keep"] is True)
    for kind, call in [
        (openai.AuthenticationError, lambda: openai.OpenAI(api_key="x", base_url=f"{address}/v1", max_retries=0).models.list()),
        (openai.NotFoundError, lambda: client.embeddings.create(model="nothing", input="x")),
        (openai.BadRequestError, lambda: client.embeddings.create(model="text-embedding-3-small", input="")),
    ]:
        try:
            call()
        except kind as error:
            check(f"openai {kind.__name__}", error.body is not None)
        else:
            check(f"openai {kind.__name__}", False)
    line = {"custom_id": "0", "method": "POST", "url": "/v1/embeddings", "body": {"model": "text-embedding-3-small", "input": "one"}}
    file = client.files.create(file=("batch.jsonl", io.BytesIO(json.dumps(line).encode() + b"\n")), purpose="batch")
    batch = client.batches.create(
        input_file_id=file.id, endpoint="/v1/embeddings", completion_window="24h", metadata={"scrubjay_batch": "name"}
    )
    check("openai batch", batch.status == "validating")
    for _ in range(2):
        batch = client.batches.retrieve(batch.id)
    check("openai batch done", batch.status == "completed" and batch.output_file_id)
    result = json.loads(client.files.content(batch.output_file_id).text.splitlines()[0])
    check("openai batch output", result["custom_id"] == "0" and len(result["response"]["body"]["data"][0]["embedding"]) == 1536)
    check("openai batch list", [entry.metadata["scrubjay_batch"] for entry in client.batches.list()] == ["name"])


def ollama_client(address):
    import ollama

    client = ollama.Client(host=address)
    answer = client.embed(model="nomic-embed-text", input=["one", "two"])
    check("ollama embed", len(answer.embeddings) == 2 and len(answer.embeddings[0]) == 768 and answer.prompt_eval_count > 0)
    answer = client.chat(model="llama3.2", messages=[{"role": "user", "content": "Hello"}], format=SCHEMA)
    check("ollama chat", answer.done and answer.done_reason == "stop" and json.loads(answer.message.content)["keep"])
    streamed = list(client.chat(model="llama3.2", messages=[{"role": "user", "content": "Hello"}], stream=True))
    check("ollama stream", streamed[-1].done and "Hello" in "".join(part.message.content for part in streamed))
    check("ollama list", len(client.list().models) == 2)
    try:
        client.embed(model="nothing", input="x")
    except ollama.ResponseError as error:
        check("ollama error", error.status_code == 404 and "not found" in error.error)
    else:
        check("ollama error", False)


def anthropic_client(address):
    import anthropic

    client = anthropic.Anthropic(api_key=KEY, base_url=address, max_retries=0)
    answer = client.messages.create(
        model="claude-haiku-4-5", max_tokens=64, system="Be brief.", messages=[{"role": "user", "content": "Hello"}]
    )
    check("anthropic text", answer.content[0].text == "You said: Hello" and answer.stop_reason == "end_turn")
    check("anthropic usage", answer.usage.input_tokens > 0 and answer.usage.output_tokens > 0)
    answer = client.messages.create(
        model="claude-haiku-4-5",
        max_tokens=64,
        messages=[{"role": "user", "content": "Hello"}],
        tools=[{"name": "facts", "description": "Gives the answer.", "input_schema": SCHEMA}],
        tool_choice={"type": "tool", "name": "facts"},
    )
    check("anthropic tool", answer.stop_reason == "tool_use" and answer.content[0].input["keep"] is True)
    try:
        anthropic.Anthropic(api_key="x", base_url=address, max_retries=0).messages.create(
            model="claude-haiku-4-5", max_tokens=1, messages=[{"role": "user", "content": "x"}]
        )
    except anthropic.AuthenticationError as error:
        check("anthropic error", error.body["error"]["type"] == "authentication_error")
    else:
        check("anthropic error", False)


def gemini_client(address):
    from google import genai
    from google.genai import errors, types

    client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=address, api_version="v1beta"))
    answer = client.models.embed_content(
        model="gemini-embedding-001",
        contents=["one", "two"],
        config=types.EmbedContentConfig(task_type="RETRIEVAL_DOCUMENT", output_dimensionality=768),
    )
    check("gemini embeddings", len(answer.embeddings) == 2 and len(answer.embeddings[0].values) == 768)
    answer = client.models.generate_content(
        model="gemini-2.5-flash-lite",
        contents="Hello",
        config=types.GenerateContentConfig(response_mime_type="application/json", response_json_schema=SCHEMA),
    )
    check("gemini content", json.loads(answer.text)["keep"] is True and answer.usage_metadata.prompt_token_count > 0)
    check("gemini stop", answer.candidates[0].finish_reason.name == "STOP")
    job = client.batches.create_embeddings(
        model="gemini-embedding-001",
        src=types.EmbeddingsBatchJobSource(
            inlined_requests=types.EmbedContentBatch(
                contents=[types.Content(parts=[types.Part(text="one")])],
                config=types.EmbedContentConfig(output_dimensionality=768),
            )
        ),
        config={"display_name": "name"},
    )
    check("gemini batch", job.state.name == "JOB_STATE_PENDING" and job.display_name == "name")
    for _ in range(2):
        job = client.batches.get(name=job.name)
        time.sleep(0)
    check("gemini batch done", job.state.name == "JOB_STATE_SUCCEEDED")
    response = job.dest.inlined_embed_content_responses[0]
    check("gemini batch output", len(response.response.embedding.values) == 768)
    check("gemini batch list", job.name in [entry.name for entry in client.batches.list()])
    try:
        client.models.embed_content(model="nothing", contents="x")
    except errors.ClientError as error:
        check("gemini error", error.code == 404 and error.status == "NOT_FOUND")
    else:
        check("gemini error", False)


def main():
    warnings.simplefilter("ignore")
    server = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        for client in (openai_client, ollama_client, anthropic_client, gemini_client):
            client(address)
    finally:
        server.stdin.close()
        server.wait(timeout=10)
    print("vendor-clients: all hold")


main()
