// Scrubjay for OpenCode: hands prompts and replies to Scrubjay and puts what fits before the model.
// Made by `scrubjay install opencode`; `scrubjay uninstall opencode` removes it.
import { spawn } from "node:child_process";

const COMMAND = [/* command */];

// Runs a hook. It never throws and never takes longer than a second.
function hook(event, payload) {
  return new Promise((resolve) => {
    let answered = "";
    let child;
    const finish = (value) => {
      clearTimeout(timer);
      resolve(value);
    };
    const timer = setTimeout(() => {
      child?.kill();
      resolve({});
    }, 1000);
    try {
      // The event comes after `hook opencode`; flags may follow it.
      const at = COMMAND.indexOf("opencode", 2) + 1;
      const words = [...COMMAND.slice(1, at), event, ...COMMAND.slice(at)];
      child = spawn(COMMAND[0], words, { stdio: ["pipe", "pipe", "ignore"] });
      child.on("error", () => finish({}));
      child.stdin.on("error", () => {});
      child.stdout.on("data", (part) => (answered += part));
      child.on("close", () => {
        try {
          finish(JSON.parse(answered || "{}"));
        } catch {
          finish({});
        }
      });
      child.stdin.end(JSON.stringify(payload));
    } catch {
      finish({});
    }
  });
}

function textOf(parts) {
  return (parts || [])
    .filter((part) => part.type === "text" && !part.synthetic)
    .map((part) => part.text)
    .join("\n");
}

export const Scrubjay = async ({ client, directory }) => {
  // What a session began with, until its first message takes it along.
  const begun = new Map();
  // What was handed over, by the message it belongs to. It goes into every request that holds the message, because
  // OpenCode keeps nothing of it; so the beginning of the conversation stays the same from turn to turn.
  const handed = new Map();
  const told = new Map();
  const compacting = new Set();
  // A sub-agent's session: what is said in it was said by an agent.
  const children = new Set();

  async function reply(session) {
    const messages = await client.session.messages({ path: { id: session } });
    const list = messages.data || messages || [];
    // A summary of the conversation is an assistant's message, too, but nothing that it said.
    const last = [...list].reverse().find(({ info }) => info?.role === "assistant" && !info.summary);
    if (!last || told.get(session) === last.info.id) return;
    told.set(session, last.info.id);
    const text = textOf(last.parts);
    if (text) await hook("session.idle", { session_id: session, cwd: directory, text });
  }

  function forget(session) {
    for (const [message, { of }] of handed) if (of === session) handed.delete(message);
    for (const known of [begun, told, compacting, children]) known.delete(session);
  }

  return {
    event: async ({ event }) => {
      const info = event.properties?.info;
      const session = event.properties?.sessionID || info?.id;
      if (!session) return;
      try {
        if (event.type === "session.created") {
          if (info?.parentID) children.add(session);
          else begun.set(session, hook(event.type, { session_id: session, cwd: directory }));
        } else if (children.has(session)) {
          if (event.type === "session.deleted") forget(session);
        } else if (event.type === "session.idle") {
          await reply(session);
        } else if (event.type === "session.compacted" || event.type === "session.deleted") {
          await hook(event.type, { session_id: session, cwd: directory });
          if (event.type === "session.deleted") forget(session);
        }
      } catch {
        // Memory must never stand in the way of the work.
      }
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID || output.message?.sessionID;
      const message = output.message?.id || input.messageID;
      const text = textOf(output.parts);
      if (!session || !message || !text || children.has(session)) return;
      // One after the other, so that the second knows what the first handed over.
      const first = await begun.get(session);
      begun.delete(session);
      const second = await hook("chat.message", { session_id: session, cwd: directory, text });
      const texts = [first?.context, second?.context].filter(Boolean);
      if (texts.length) handed.set(message, { of: session, texts });
    },
    "experimental.session.compacting": async (input) => {
      if (input?.sessionID) compacting.add(input.sessionID);
    },
    // Called for the request that answers and for the one that shortens the conversation, but not for its title.
    "experimental.chat.messages.transform": async (_, output) => {
      const messages = output?.messages || [];
      // A summary would take our lines along as if they had been said.
      const session = messages.find(({ info }) => info?.sessionID)?.info.sessionID;
      if (compacting.delete(session)) return;
      for (const { info, parts } of messages) {
        const texts = info?.role === "user" ? handed.get(info.id)?.texts || [] : [];
        for (const [number, text] of texts.entries()) {
          const id = `prt_scrubjay_${number}_${info.id}`;
          if (parts.some((part) => part.id === id)) continue;
          parts.push({ id, sessionID: info.sessionID, messageID: info.id, type: "text", text, synthetic: true });
        }
      }
    },
  };
};
