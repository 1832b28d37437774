// What the pages share: one object, and who listens to it.
import { useEffect, useState } from "./vendor/htm-preact.js";

export const state = {
  offers: null,
  project: "",
  route: { page: "home", params: {} },
  toasts: [],
  live: false,
  tick: 0,
  help: false,
  signedOut: false,
  question: null,
  projectsTurn: 0,
  theme: read("theme") || "auto",
  projects: JSON.parse(read("projects") || "[]"),
};

const listeners = new Set();

/** Changes some of it and tells everyone who listens. */
export function set(part) {
  Object.assign(state, part);
  for (const listener of [...listeners]) listener();
}

/** A value made from the state; whoever uses it is drawn again when it is another one. */
export function useShared(pick) {
  const [value, keep] = useState(() => pick(state));
  useEffect(() => {
    const look = () => keep(() => pick(state));
    listeners.add(look);
    look();
    return () => listeners.delete(look);
  }, []);
  return value;
}

// The first change shows at once; while they go on, the pages look again every other second, and not where nobody sees it.
const SOON = 250;
const CALM = 2000;
let waiting = null;
let told = 0;
/** Something was changed by someone. Many changes at once are one. */
export function changed() {
  waiting ??= setTimeout(tell, Math.max(SOON, CALM - (performance.now() - told)));
}

function tell() {
  if (document.hidden) {
    document.addEventListener("visibilitychange", tell, { once: true });
    return;
  }
  waiting = null;
  told = performance.now();
  set({ tick: state.tick + 1 });
}

let next = 1;
/** Shows a message for a while. */
export function toast({ message, undo = null, bad = false }) {
  const id = next++;
  set({ toasts: [...state.toasts.slice(-3), { id, message, undo, bad }] });
  setTimeout(() => dismiss(id), undo ? 12_000 : bad ? 9_000 : 4_000);
}

export function dismiss(id) {
  if (state.toasts.some((one) => one.id === id)) set({ toasts: state.toasts.filter((one) => one.id !== id) });
}

/** Asks before something that cannot be taken back. Tells whether to go on. */
export function ask(question) {
  return new Promise((settle) => set({ question: { ...question, settle: (answer) => (set({ question: null }), settle(answer)) } }));
}

/** Sets light, dark or what the system says. */
export function setTheme(theme) {
  keep("theme", theme);
  set({ theme });
  document.documentElement.dataset.theme = theme;
}

/** Keeps a project in mind, so that it can be chosen again. */
export function noteProjects(names) {
  const known = [...new Set([...names.filter(Boolean), ...state.projects])].slice(0, 50);
  if (known.join() === state.projects.join()) return;
  keep("projects", JSON.stringify(known));
  set({ projects: known });
}

// A browser may forbid to keep anything; then nothing is kept.
function read(name) {
  try {
    return localStorage.getItem(`scrubjay.${name}`);
  } catch {
    return null;
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(`scrubjay.${name}`, value);
  } catch {
    // It lasts as long as the page.
  }
}
