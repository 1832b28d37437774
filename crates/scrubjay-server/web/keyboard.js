// Keys that work everywhere. A page adds its own while it is shown.
import { useLayoutEffect } from "./vendor/htm-preact.js";
import { go, tune } from "./router.js";
import { dismiss, set, state } from "./store.js";

export const GO = { h: "home", m: "memories", s: "search", r: "review", i: "receipts", c: "context", t: "sessions", e: "entities", p: "projects", o: "sources", j: "jobs", x: "settings" };

let prefix = false;
const own = [];

/** Keys of a page: a map from a key to what it does. */
export function useKeys(keys) {
  // Before the next key can come, so that it never meets keys of an earlier drawing.
  useLayoutEffect(() => {
    own.push(keys);
    return () => own.splice(own.indexOf(keys), 1);
  });
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key === "Escape") {
    if (typing) event.target.blur();
    else if (state.route.params.m) tune({ m: "" });
    return;
  }
  if (typing || document.querySelector("dialog[open]")) return;
  const done = () => event.preventDefault();
  if (prefix) {
    prefix = false;
    if (GO[event.key]) return done(), go(GO[event.key]);
  }
  if (event.key === "g") {
    prefix = true;
    setTimeout(() => (prefix = false), 1200);
    return;
  }
  for (const keys of [...own].reverse()) {
    if (keys[event.key]) return done(), keys[event.key](event);
  }
  if (event.key === "/") {
    done();
    if (state.route.page === "search") document.querySelector("#query")?.focus();
    else go("search");
  } else if (event.key === "?") set({ help: true });
  else if (event.key === "u") {
    const last = [...state.toasts].reverse().find((one) => one.undo);
    if (last) return dismiss(last.id), last.undo();
  }
});
