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
  const waiting = new Map();
  const told = new Map();
  const note = (session, answer) => {
    if (answer.context) waiting.set(session, [...(waiting.get(session) || []), answer.context]);
  };

  async function reply(session) {
    const messages = await client.session.messages({ path: { id: session } });
    const list = messages.data || messages || [];
    const last = [...list].reverse().find((message) => message.info?.role === "assistant");
    if (!last || told.get(session) === last.info.id) return;
    told.set(session, last.info.id);
    const text = textOf(last.parts);
    if (text) await hook("session.idle", { session_id: session, cwd: directory, text });
  }

  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID || event.properties?.info?.id;
      if (!session) return;
      try {
        if (event.type === "session.created") {
          note(session, await hook(event.type, { session_id: session, cwd: directory }));
        } else if (event.type === "session.idle") {
          await reply(session);
        } else if (event.type === "session.compacted" || event.type === "session.deleted") {
          await hook(event.type, { session_id: session, cwd: directory });
          if (event.type === "session.deleted") {
            waiting.delete(session);
            told.delete(session);
          }
        }
      } catch {
        // Memory must never stand in the way of the work.
      }
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID || output.message?.sessionID;
      const text = textOf(output.parts);
      if (session && text) note(session, await hook("chat.message", { session_id: session, cwd: directory, text }));
    },
    "experimental.chat.system.transform": async (input, output) => {
      const session = input.sessionID;
      const contexts = session ? waiting.get(session) : [...waiting.values()].pop();
      if (!contexts?.length) return;
      output.system.push(...contexts);
      if (session) waiting.delete(session);
      else waiting.clear();
    },
  };
};
