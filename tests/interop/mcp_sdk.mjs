// Drives every tool with the official MCP SDK for TypeScript, over standard streams and over HTTP.
//
// usage: node mcp_sdk.mjs SDK_FOLDER PROGRAM
// SDK_FOLDER is where npm put `@modelcontextprotocol/sdk`; PROGRAM is the scrubjay binary. Everything happens in a
// temporary home; a failure is an exception.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createInterface } from "node:readline";

const [folder, binary] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(folder, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");

async function drive(client, label) {
  const { tools } = await client.listTools();
  const used = new Set();
  for (const tool of tools) {
    assert.equal(tool.outputSchema?.type, "object", tool.name);
    assert.ok(tool.description.length < 2048, tool.name);
    assert.equal(typeof tool.annotations?.readOnlyHint, "boolean", tool.name);
  }
  // The SDK itself holds what comes back against the tool's output schema.
  const call = async (name, input) => {
    const result = await client.callTool({ name, arguments: input });
    assert.ok(!result.isError, `${name}: ${JSON.stringify(result)}`);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, name);
    used.add(name);
    return result.structuredContent;
  };
  const made = await call("remember_fact", { content: `Ada Lovelace (ada@example.org) owns billing, says ${label}` });
  const fact = made.id || made.merged_into;
  const { hits } = await call("search_memory", { query: "who owns billing" });
  assert.ok(hits.some((hit) => hit.id === fact), JSON.stringify(hits));
  await call("confirm_fact", { id: fact });
  await call("get_entity_info", { name: "ada@example.org" });
  assert.ok((await call("memory_stats", {})).memories >= 1);
  await call("get_context", { task: "decide who pays" });
  await call("correct_fact", { id: fact, content: `Brook owns billing now, says ${label}` });
  const newest = (await call("search_memory", { query: "Brook owns billing now" })).hits[0].id;
  await call("forget_memory", { ids: [newest] });
  assert.deepEqual([...used].sort(), tools.map((tool) => tool.name).sort());

  const wrong = await client.callTool({ name: "search_memory", arguments: { querry: "x" } });
  assert.ok(wrong.isError, JSON.stringify(wrong));
  await assert.rejects(async () => {
    const answer = await client.callTool({ name: "no_such_tool", arguments: {} });
    if (answer.isError) throw new Error("no_such_tool");
  }, /no_such_tool/);

  const kept = await call("remember_fact", { content: `Cleo keeps the backups, says ${label}` });
  const { resources } = await client.listResources();
  assert.ok(resources.length > 0);
  const read = await client.readResource({ uri: `memory://${kept.id}` });
  assert.match(read.contents[0].text, /Cleo keeps the backups/);
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2);
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((prompt) => prompt.name).sort(), ["brief", "recall"]);
  const prompt = await client.getPrompt({ name: "recall", arguments: { question: "who keeps the backups" } });
  assert.match(prompt.messages[0].content.text, /Cleo keeps the backups/);
  await client.ping();
  console.log(`${label}: ${tools.length} tools, ${resources.length} resources, ${prompts.length} prompts`);
}

const home = mkdtempSync(join(tmpdir(), "scrubjay-sdk-"));
const environment = (name) => ({
  PATH: process.env.PATH, HOME: home, SCRUBJAY_HOME: join(home, name), SCRUBJAY_PROJECT: "app",
  SCRUBJAY_DAEMON_AUTOSTART: "false",
});
const hello = () => new Client({ name: "interop", version: "1" });

const stdio = hello();
await stdio.connect(new StdioClientTransport({ command: binary, args: ["mcp"], env: environment("a") }));
await drive(stdio, "TypeScript over stdio");
await stdio.close();

const daemon = spawn(binary, ["serve", "--port", "0", "--json"], { env: environment("b"), stdio: ["ignore", "pipe", "ignore"] });
try {
  const line = await new Promise((done) => createInterface({ input: daemon.stdout }).once("line", done));
  const told = JSON.parse(line);
  const token = readFileSync(told.token_file, "utf8").trim();
  const headers = { Authorization: `Bearer ${token}`, "Scrubjay-Project": "app" };
  const http = hello();
  await http.connect(new StreamableHTTPClientTransport(new URL(`${told.url}/mcp`), { requestInit: { headers } }));
  await drive(http, "TypeScript over HTTP");
  await http.close();
} finally {
  daemon.kill();
  await new Promise((done) => daemon.once("exit", done));
  rmSync(home, { recursive: true, force: true });
}
