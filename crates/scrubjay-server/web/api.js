// The client of the daemon's API. What can be asked comes from the operations' schemas, within what the token allows.
import { changed, state, set, toast } from "./store.js";
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
  const answer = await reach(`/v1/${operation}`, { method: "POST", headers, body: JSON.stringify(input), signal });
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
export function follow(project, live) {
  const stream = new EventSource(`/v1/events${project ? `?project=${encodeURIComponent(project)}` : ""}`);
  stream.addEventListener("changed", changed);
  stream.addEventListener("session_completed", changed);
  stream.onopen = () => (live(true), changed());
  stream.onerror = () => {
    live(false);
    // A browser gives up only when it was turned away: the token may be gone.
    if (stream.readyState === EventSource.CLOSED) connect().catch(() => {});
  };
  return () => stream.close();
}

/**
 * Does something, and offers to undo it. `undo` names what to undo: ids of memories or of runs. `back` names the steps that
 * take back what has no run: operations with their input, and the project they are said in if it is another one. `undoIn`
 * names the project where the change can be undone, if it is another one.
 */
export async function change(operation, input, { message, undo, undoIn, back, after, project }) {
  try {
    // It is undone where it was done, wherever the person looks by then.
    const where = project ?? state.project;
    const answer = await call(operation, input, { project: where });
    if (!answer) return null;
    const pending = answer.pending;
    const targets = pending || back ? [] : [undo?.(answer) ?? answer.run ?? []].flat().filter(Boolean);
    const steps = pending ? [] : (back?.(answer) ?? []).filter(([name]) => can(name));
    const undoes = steps.length ? () => takeBack(steps, where, after) : targets.length && can("undo") ? () => undoAll(targets, after, undoIn?.(answer) ?? where) : null;
    toast({ message: pending ? text.waitsForConfirmation : typeof message === "function" ? message(answer) : message, undo: undoes });
    after?.(answer);
    return answer;
  } catch (failure) {
    report(failure);
    return null;
  }
}

async function takeBack(steps, where, after) {
  try {
    for (const [operation, input, how] of steps) await call(operation, input, { project: where, ...how });
    toast({ message: text.undone });
    after?.();
  } catch (failure) {
    report(failure);
  }
}

/** Undoes changes, the last first. */
export async function undoAll(targets, after, project = state.project) {
  try {
    for (const target of [...targets].reverse()) await call("undo", { target }, { project });
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

// A browser says no more than that it failed; a person wants to know what to do.
async function reach(path, request) {
  try {
    return await fetch(path, request);
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new Failure({ detail: text.unreachable }, 0);
  }
}

// A name for one request, so that a repetition is harmless.
function key() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function signedOut() {
  set({ signedOut: true });
  return null;
}
