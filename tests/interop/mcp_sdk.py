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

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

try:
    from mcp.client.streamable_http import streamable_http_client as http_client

    NEW_HTTP = True
except ImportError:
    from mcp.client.streamable_http import streamablehttp_client as http_client

    NEW_HTTP = False


def data(result):
    structured = getattr(result, "structuredContent", None) or getattr(result, "structured_content", None)
    assert structured is not None, result
    text = json.loads(result.content[0].text)
    assert text == structured, (text, structured)
    return structured


def failed(result):
    return getattr(result, "isError", None) or getattr(result, "is_error", False)


async def drive(session, label):
    await session.initialize()
    tools = (await session.list_tools()).tools
    names = [tool.name for tool in tools]
    for tool in tools:
        schema = getattr(tool, "outputSchema", None) or getattr(tool, "output_schema", None)
        assert schema and schema["type"] == "object", tool.name
        assert len(tool.description) < 2048, tool.name

    async def call(name, **arguments):
        result = await session.call_tool(name, arguments)
        assert not failed(result), (name, result)
        used.add(name)
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
        assert failed(await session.call_tool("no_such_tool", {}))
    except Exception as error:  # A protocol error is what the specification asks for.
        assert "no_such_tool" in str(error), error

    again = await call("remember_fact", content=f"Cleo keeps the backups, says {label}")
    resources = (await session.list_resources()).resources
    assert resources
    read = await session.read_resource(f"memory://{again['id']}")
    assert "Cleo keeps the backups" in read.contents[0].text
    assert len((await session.list_resource_templates()).resourceTemplates) == 2 if hasattr(
        await session.list_resource_templates(), "resourceTemplates"
    ) else True
    prompts = (await session.list_prompts()).prompts
    assert {prompt.name for prompt in prompts} == {"recall", "brief"}
    prompt = await session.get_prompt("recall", {"question": "who keeps the backups"})
    assert "Cleo keeps the backups" in prompt.messages[0].content.text
    print(f"{label}: {len(names)} tools, {len(resources)} resources, {len(prompts)} prompts")


CONTEXT = {"task": "decide who pays"}


async def over_stdio(program, home):
    environment = {"SCRUBJAY_HOME": home, "SCRUBJAY_PROJECT": "app", "HOME": home, "PATH": os.environ["PATH"]}
    environment["SCRUBJAY_DAEMON_AUTOSTART"] = "false"
    parameters = StdioServerParameters(command=program, args=["mcp"], env=environment)
    async with stdio_client(parameters) as (read, write):
        async with ClientSession(read, write) as session:
            await drive(session, "stdio")


async def over_http(program, home):
    command = [program, "serve", "--port", "0", "--json", "--home", home]
    daemon = subprocess.Popen(command, stdout=subprocess.PIPE, env={"HOME": home, "PATH": os.environ["PATH"]})
    try:
        told = json.loads(daemon.stdout.readline())
        token = open(told["token_file"]).read().strip()
        headers = {"Authorization": f"Bearer {token}", "Scrubjay-Project": "app"}
        if NEW_HTTP:
            import httpx

            async with httpx.AsyncClient(headers=headers, timeout=60) as client:
                async with http_client(told["url"] + "/mcp", http_client=client) as streams:
                    async with ClientSession(streams[0], streams[1]) as session:
                        await drive(session, "HTTP")
        else:
            async with http_client(told["url"] + "/mcp", headers=headers) as streams:
                async with ClientSession(streams[0], streams[1]) as session:
                    await drive(session, "HTTP")
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
