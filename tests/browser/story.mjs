// The conversations of `scrubjay demo`, told again through the API, and what came of them.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const STORY = fileURLToPath(new URL("../../crates/scrubjay/data/demo.jsonl", import.meta.url));

const day = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

export async function fill(daemon) {
  const messages = readFileSync(STORY, "utf8").trim().split("\n").map((line) => JSON.parse(line)).map((message) => ({
    session_id: message.session_id, role: message.role, time: `${day(-message.days_ago)}T${message.at}:00Z`,
    content: message.content.replaceAll(/\{date([+-]\d+)\}/g, (_, days) => day(Number(days))).replaceAll("{secret}", "a token"),
  }));
  // What somebody asks to be remembered becomes a fact, whatever else is learned from talk.
  messages.push({
    session_id: "standup", role: "user", time: `${day(-10)}T09:14:00Z`,
    content: "Please remember that refunds are counted in whole cents, never in floats.",
  });
  // Two names that may be one person's.
  const named = ["Grace has the invoices of the marina.", "Grace Hopper signs the contract with the marina on Monday.", "I told Grace that the berths are counted twice."];
  messages.push(...named.map((content, number) => ({ session_id: "contract", role: "user", time: `${day(-2)}T10:0${number}:00Z`, content })));
  await daemon.ask("capture", { messages });
  for (const session of ["kickoff", "standup", "incident"]) await daemon.ask("consolidate", { session });
  const first = await daemon.remember(`The release of Tern 2.0 is on ${day(9)}`, { type: "decision", tags: ["release"] });
  await daemon.ask("correct", { id: first, content: `The release of Tern 2.0 is on ${day(16)}` });
  await daemon.remember("We use pnpm, never npm", { type: "convention", tags: ["tooling"] });
  await daemon.remember("Staging runs on port 5433", { type: "environment" });
  for (const [session, text] of [["thursday", "When is the release of Tern?"], ["thursday", "Which port does staging run on?"], ["friday", "Why did bookings fail?"]]) await daemon.ask("inject", { session, text });
}
