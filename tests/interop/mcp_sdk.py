"""Drives every tool with the official MCP SDK for Python, over standard streams and over HTTP.

usage: mcp_sdk.py PROGRAM
PROGRAM is the scrubjay binary. Everything happens in a temporary home; a failure is an exception.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile

import httpx2
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

# With the older revisions' handshake, and as the newest revision wants it.
MODES = ["legacy", "auto", "2026-07-28"]


def data(result):
    structured = getattr(result, "structuredContent", None) or getattr(result, "structured_content", None)
    assert structured is not None, result
    text = json.loads(result.content[0].text)
    assert text == structured, (text, structured)
    return structured


def failed(result):
    return getattr(result, "isError", None) or getattr(result, "is_error", False)


async def drive(session, label):
    tools = (await session.list_tools()).tools
    names = [tool.name for tool in tools]
    for tool in tools:
        schema = getattr(tool, "outputSchema", None) or getattr(tool, "output_schema", None)
        assert schema and schema["type"] == "object", tool.name
        assert len(tool.description) < 2048, tool.name

    async def call(tool, **arguments):
        result = await session.call_tool(tool, arguments)
        assert not failed(result), (tool, result)
        used.add(tool)
        return data(result)

    used = set()
    made = await call("remember_fact", content=f"Ada Lovelace (ada@example.org) owns billing, says {label}")
    fact = made["id"] or made["merged_into"]
    hits = (await call("search_memory", query="who owns billing"))["hits"]
    assert any(hit["id"] == fact for hit in hits), hits
    await call("confirm_fact", id=fact)
    await call("get_entity_info", name="ada@example.org")
    assert (await call("memory_stats"))["memories"] >= 1
    corrected = await call("correct_fact", id=fact, content=f"Brook owns billing now, says {label}")
    if "get_context" in names:
        result = await session.call_tool("get_context", CONTEXT)
        assert not failed(result), result
        data(result)
        used.add("get_context")
    newest = (await call("search_memory", query="Brook owns billing now"))["hits"][0]["id"]
    await call("forget_memory", ids=[newest])
    assert set(names) == used, set(names) ^ used
    assert corrected

    wrong = await session.call_tool("search_memory", {"querry": "x"})
    assert failed(wrong), wrong
    try:
        refused = failed(await session.call_tool("no_such_tool", {}))
    except Exception as error:  # A protocol error is what the specification asks for.
        refused = "no_such_tool" in str(error)
    assert refused

    again = await call("remember_fact", content=f"Cleo keeps the backups, says {label}")
    resources = (await session.list_resources()).resources
    assert resources
    read = await session.read_resource(f"memory://{again['id']}")
    assert "Cleo keeps the backups" in read.contents[0].text
    templates = await session.list_resource_templates()
    assert len(templates.resource_templates) == 2, templates
    prompts = (await session.list_prompts()).prompts
    assert {prompt.name for prompt in prompts} == {"recall", "brief"}
    prompt = await session.get_prompt("recall", {"question": "who keeps the backups"})
    assert "Cleo keeps the backups" in prompt.messages[0].content.text
    print(f"{label}: {len(names)} tools, {len(resources)} resources, {len(prompts)} prompts")


CONTEXT = {"task": "decide who pays"}


def environment(home):
    return {"SCRUBJAY_HOME": home, "SCRUBJAY_PROJECT": "app", "HOME": home, "PATH": os.environ["PATH"],
            "SCRUBJAY_DAEMON_AUTOSTART": "false"}


async def over_stdio(program, home):
    for mode in MODES:
        parameters = StdioServerParameters(command=program, args=["mcp"], env=environment(home))
        async with Client(parameters, mode=mode) as session:
            await drive(session, f"stdio, {mode}")


async def over_http(program, home):
    command = [program, "serve", "--port", "0", "--json"]
    daemon = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(home))
    try:
        told = json.loads(daemon.stdout.readline())
        token = open(told["token_file"]).read().strip()
        headers = {"Authorization": f"Bearer {token}", "Scrubjay-Project": "app"}
        for mode in MODES:
            async with httpx2.AsyncClient(headers=headers, timeout=60) as client:
                transport = streamable_http_client(told["url"] + "/mcp", http_client=client)
                async with Client(transport, mode=mode) as session:
                    await drive(session, f"HTTP, {mode}")
    finally:
        daemon.terminate()
        daemon.wait(30)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as home:
        asyncio.run(over_stdio(program, os.path.join(home, "a")))
        asyncio.run(over_http(program, os.path.join(home, "b")))
    print("all tools answered over both transports")


main()
