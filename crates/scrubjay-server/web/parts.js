// Small pieces that several pages are made of.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/htm-preact.js";
import { call, can, change, report, undoAll } from "./api.js";
import { go, to } from "./router.js";
import { dismiss, state, toast, useShared } from "./store.js";
import { text } from "./strings.js";

/** Fetches something when it is needed, again when something changed, and keeps what it shows meanwhile. */
export function useAnswer(ask, dependencies, { live = true } = {}) {
  const tick = useShared((shared) => shared.tick);
  const [answer, keep] = useState({ loading: true });
  const again = useRef(0);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    Promise.resolve()
      .then(() => ask(control.signal))
      .then((value) => !control.signal.aborted && value !== null && keep({ value }))
      .catch((failure) => failure.name !== "AbortError" && !control.signal.aborted && keep((before) => ({ ...before, loading: false, failure })));
    return () => control.abort();
  }, [...dependencies, live ? tick : 0, turn]);
  return { ...answer, again: () => setTurn((again.current += 1)) };
}

/** Waits until nothing was typed for a moment. */
export function useSettled(value, delay = 150) {
  const [settled, keep] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => keep(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return settled;
}

/** A time as people say it, with the exact one on hover. */
export function Time({ at, bare }) {
  const [, redraw] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => redraw((count) => count + 1), 30_000);
    return () => clearInterval(timer);
  }, []);
  if (!at) return bare ? "" : html`<span class="dim">${text.never}</span>`;
  const date = new Date(at);
  return html`<time datetime=${at} title=${date.toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" })}>${relative(date)}</time>`;
}

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
export function relative(date, now = new Date()) {
  const seconds = (date - now) / 1000;
  const steps = [[60, "second", 1], [3600, "minute", 60], [86_400, "hour", 3600], [7 * 86_400, "day", 86_400]];
  if (Math.abs(seconds) < 10) return text.now;
  for (const [limit, unit, size] of steps) {
    if (Math.abs(seconds) < limit) return words.format(Math.round(seconds / size), unit);
  }
  return date.toLocaleDateString("en", { day: "numeric", month: "short", year: date.getFullYear() === now.getFullYear() ? undefined : "numeric" });
}

/** An id, short, copied by a click. */
export function Id({ id }) {
  if (!id) return "";
  const copy = async (event) => {
    event.stopPropagation();
    try {
      await navigator.clipboard.writeText(id);
      toast({ message: text.copied(id) });
    } catch {
      toast({ message: text.notCopied(id), bad: true });
    }
  };
  return html`<button type="button" class="id" title=${text.copyId(id)} onClick=${copy}>${short(id)}</button>`;
}

export function short(id) {
  const [kind, rest] = String(id).includes("_") ? String(id).split(/_(.*)/s) : ["", String(id)];
  const tail = rest.replaceAll("-", "").slice(-6);
  return kind ? `${kind}_${tail}` : tail;
}

/** A number between 0 and 1 as a bar with a name. */
export function Bar({ name, value, shown, title }) {
  const share = Math.max(0, Math.min(1, value));
  return html`<div class="bar" title=${title || ""}>
    <span class="bar-name">${name}</span>
    <svg class="bar-track" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="6" class="track" /><rect width=${100 * share} height="6" class="fill" /></svg>
    <span class="bar-value">${shown ?? value.toFixed(2)}</span>
  </div>`;
}

export const percent = (share) => `${Math.round(100 * share)} %`;
export const number = (count) => Number(count ?? 0).toLocaleString("en");
export const money = (usd) => `$${Number(usd ?? 0).toFixed(2)}`;

/** What stands where nothing is yet. */
export function Empty({ title, children }) {
  return html`<div class="empty"><h2>${title}</h2>${children}</div>`;
}

/** What stands while something is fetched or failed. */
export function Pending({ answer, children }) {
  if (answer.value !== undefined) return html`${answer.failure && html`<p class="failure" role="alert">${answer.failure.message}</p>`}${children(answer.value)}`;
  if (answer.failure) return html`<p class="failure" role="alert">${answer.failure.message}</p>`;
  return html`<p class="dim" aria-busy="true">${text.loading}</p>`;
}

/** A command to copy. */
export function Shell({ command }) {
  const copy = () => navigator.clipboard.writeText(command).then(() => toast({ message: text.copied(command) }), () => {});
  return html`<button type="button" class="shell" title=${text.copyCommand} onClick=${copy}><code>${command}</code></button>`;
}

/** The way to a memory: its text, leading to the panel that tells everything. */
export function MemoryLink({ id, children }) {
  return html`<a class="memory-link" href=${to(state.route.page, { ...state.route.params, m: id })}>${children}</a>`;
}

export function Kind({ kind, type }) {
  return html`<span class=${`kind kind-${kind}`}>${type && type !== kind ? type : kind}</span>`;
}

export function Tags({ tags }) {
  return (tags || []).map((tag) => html`<a class="tag" href=${to("memories", { tags: tag })} onClick=${(event) => event.stopPropagation()}>${tag}</a>`);
}

/** Forgets memories; one click, and one to undo it. */
export function forget(ids, after) {
  return change("forget", { ids, yes: true }, { message: text.forgot(ids.length), undo: (answer) => answer.run ?? ids, after });
}

export function restore(ids, after) {
  return change("restore", { ids }, { message: text.restored(ids.length), undo: () => ids, after });
}

export function confirmFact(id, after) {
  return change("confirm", { id }, { message: text.confirmed, undo: () => id, after });
}

/** Does something to each of several memories, one request each, and offers to undo all of it at once. */
export async function changeEach(ids, operation, inputOf, message, after) {
  const done = [];
  const { project } = state;
  for (const id of ids) {
    try {
      await call(operation, inputOf(id), { project });
      done.push(id);
    } catch (failure) {
      report(failure);
      break;
    }
  }
  if (done.length) toast({ message: message(done.length), undo: can("undo") ? () => undoAll(done, after, project) : null });
  after?.();
}

/** Messages at the edge of the window, each with the way back. */
export function Toasts() {
  const toasts = useShared((shared) => shared.toasts);
  return html`<div class="toasts" role="status" aria-live="polite">
    ${toasts.map((one) => html`<div key=${one.id} class=${one.bad ? "toast bad" : "toast"}>
      <span>${one.message}</span>
      ${one.undo && html`<button type="button" onClick=${() => (dismiss(one.id), one.undo())}>${text.undo} <kbd>u</kbd></button>`}
      <button type="button" class="close" aria-label=${text.close} onClick=${() => dismiss(one.id)}>×</button>
    </div>`)}
  </div>`;
}

/** A dialog that keeps the keyboard until it is closed. */
export function Dialog({ title, close, children }) {
  const box = useRef(null);
  useLayoutEffect(() => {
    const dialog = box.current;
    dialog.showModal();
    return () => dialog.open && dialog.close();
  }, []);
  const isOutside = (event) => event.target === box.current && close();
  return html`<dialog ref=${box} aria-label=${title} onClose=${close} onClick=${isOutside}>
    <div class="dialog"><h2>${title}</h2>${children}</div>
  </dialog>`;
}

/** What a person is asked before something that cannot be taken back. */
export function Question({ title, help, go: yes, settle }) {
  return html`<${Dialog} title=${title} close=${() => settle(false)}>
    <p>${help}</p>
    <div class="actions"><button type="button" class="danger" onClick=${() => settle(true)}>${yes}</button><button type="button" autofocus onClick=${() => settle(false)}>${text.cancel}</button></div>
  <//>`;
}

/** A choice among values, with an empty one first. */
export function Choice({ label, value, options, onChange, any = text.any }) {
  return html`<label class="field"><span>${label}</span>
    <select value=${value || ""} onChange=${(event) => onChange(event.target.value)}>
      <option value="">${any}</option>
      ${options.map((option) => {
        const [code, name] = Array.isArray(option) ? option : [option, option];
        return html`<option value=${code} selected=${code === value}>${name}</option>`;
      })}
    </select></label>`;
}

/** A field to type in, that tells what was typed when one leaves it or presses Enter. */
export function Entry({ label, value, onChange, placeholder, type = "text", list }) {
  const [draft, keep] = useState(value || "");
  useEffect(() => keep(value || ""), [value]);
  const done = () => draft !== (value || "") && onChange(draft.trim());
  return html`<label class="field"><span>${label}</span>
    <input type=${type} value=${draft} placeholder=${placeholder || ""} list=${list} onInput=${(event) => keep(event.target.value)}
      onChange=${done} onKeyDown=${(event) => event.key === "Enter" && done()} /></label>`;
}

/** A slider back through time. */
export function AsOf({ value, onChange, since }) {
  const first = useMemo(() => {
    const earliest = Math.min(...[since || Date.now() - 90 * 86_400_000, value || Date.now()].map((at) => +new Date(at)));
    return new Date(earliest).setUTCHours(0, 0, 0, 0);
  }, [since, value]);
  const days = Math.max(1, Math.ceil((Date.now() - first) / 86_400_000));
  const [dragged, drag] = useState(null);
  const at = dragged ?? (value ? Math.round((new Date(value) - first) / 86_400_000) : days);
  const day = new Date(first + at * 86_400_000).toISOString().slice(0, 10);
  const shown = at >= days ? text.now : day;
  const commit = (offset) => (drag(null), onChange(offset >= days ? "" : day));
  return html`<label class="field as-of"><span>${text.asOf} <b>${shown}</b></span>
    <input type="range" min="0" max=${days} value=${at} aria-valuetext=${shown} onInput=${(event) => drag(Number(event.target.value))}
      onChange=${(event) => commit(Number(event.target.value))} /></label>`;
}

/** Words that were taken out and put in. */
export function Difference({ before, after }) {
  const parts = useMemo(() => difference(before, after), [before, after]);
  return html`<p class="difference">${parts.map(([kind, words]) => (kind === "same" ? words : kind === "out" ? html`<del>${words}</del>` : html`<ins>${words}</ins>`))}</p>`;
}

export function difference(before, after) {
  const a = String(before).split(/(\s+)/).slice(0, 2000);
  const b = String(after).split(/(\s+)/).slice(0, 2000);
  if (a.length * b.length > 1_000_000) return [["out", a.join("")], ["in", b.join("")]];
  // The longest common subsequence of words.
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  }
  const parts = [];
  const add = (kind, word) => (parts.at(-1)?.[0] === kind ? (parts.at(-1)[1] += word) : parts.push([kind, word]));
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) add("same", a[i++]), j++;
    else if (j >= b.length || (i < a.length && table[i + 1][j] >= table[i][j + 1])) add("out", a[i++]);
    else add("in", b[j++]);
  }
  return parts;
}

/** Opens a page by its name with these parameters. */
export const open = (page, params) => () => go(page, params);
