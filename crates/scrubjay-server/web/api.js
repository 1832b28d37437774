// The client of the daemon's API. What can be asked comes from the operations' schemas, within what the token allows.
import { state, set, toast } from "./store.js";
import { text } from "./strings.js";

let offers = { operations: {} };

/** Learns what can be asked. */
export async function connect() {
  const answer = await fetch("/web/offers.json");
  if (answer.status === 401) return signedOut();
  offers = await answer.json();
  set({ offers });
  return offers;
}

/** Whether an operation can be asked for, with this field if one is named. */
export function can(operation, field) {
  const offer = offers.operations[operation];
  return Boolean(offer) && (!field || field in offer.fields);
}

/** The values that a field of an operation may have. */
export function choices(operation, field) {
  return offers.operations[operation]?.fields[field] ?? [];
}

/** A failure that the daemon reports, or the way to it. */
export class Failure extends Error {
  constructor(problem, status) {
    super(problem.detail || problem.title || String(status));
    this.code = problem.code;
    this.status = status;
  }
}

/** Asks for an operation and gives its answer. */
export async function call(operation, input = {}, { signal, project = state.project } = {}) {
  const offer = offers.operations[operation];
  if (!offer) throw new Failure({ detail: text.notOffered(operation) }, 403);
  const unknown = Object.keys(input).find((field) => !(field in offer.fields));
  if (unknown) throw new Failure({ detail: text.unknownField(operation, unknown) }, 400);
  const headers = { "Content-Type": "application/json", Accept: "application/json", "Scrubjay-Actor": "dashboard" };
  if (project) headers["Scrubjay-Project"] = project;
  if (offer.risk !== "read") headers["Idempotency-Key"] = key();
  const answer = await fetch(`/v1/${operation}`, { method: "POST", headers, body: JSON.stringify(input), signal });
  if (answer.status === 401) return signedOut();
  const body = await answer.json().catch(() => ({ detail: text.noAnswer }));
  if (!answer.ok) throw new Failure(body, answer.status);
  return body;
}

/** Asks without leaving a trace: what a person looks at here counts as no use of it. */
export function look(operation, input, how) {
  return call(operation, can(operation, "peek") ? { ...input, peek: true } : input, how);
}

/** Follows what changes, for as long as the project is looked at. Gives a function that ends it. */
export function follow(project, changed, live) {
  const stream = new EventSource(`/v1/events${project ? `?project=${encodeURIComponent(project)}` : ""}`);
  stream.addEventListener("changed", changed);
  stream.addEventListener("session_completed", changed);
  stream.onopen = () => live(true);
  stream.onerror = () => {
    live(false);
    // A browser gives up only when it was turned away: the token may be gone.
    if (stream.readyState === EventSource.CLOSED) connect().catch(() => {});
  };
  return () => stream.close();
}

/** Does something, and offers to undo it. `undo` names what to undo: ids of memories or of runs. */
export async function change(operation, input, { message, undo, after }) {
  try {
    const answer = await call(operation, input);
    if (!answer) return null;
    const pending = answer.pending;
    const targets = pending ? [] : [undo?.(answer) ?? answer.run ?? []].flat().filter(Boolean);
    toast({
      message: pending ? text.waitsForConfirmation : typeof message === "function" ? message(answer) : message,
      undo: targets.length && can("undo") ? () => undoAll(targets, after) : null,
    });
    after?.(answer);
    return answer;
  } catch (failure) {
    report(failure);
    return null;
  }
}

/** Undoes changes, the last first. */
export async function undoAll(targets, after) {
  try {
    for (const target of [...targets].reverse()) await call("undo", { target });
    toast({ message: text.undone });
    after?.();
  } catch (failure) {
    report(failure);
  }
}

/** Tells a person of a failure. */
export function report(failure) {
  if (failure.name === "AbortError") return;
  toast({ message: failure.message, bad: true });
}

// A name for one request, so that a repetition is harmless.
function key() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function signedOut() {
  set({ signedOut: true });
  return null;
}
