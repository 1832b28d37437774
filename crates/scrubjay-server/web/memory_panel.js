// Everything about one memory: what it says, where it came from, what it is tied to, what happened to it.
import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { call, can, change, Failure, look, undoAll } from "./api.js";
import { confirmFact, Difference, forget, Id, Kind, MemoryLink, Pending, percent, restore, Tags, Time, useAnswer } from "./parts.js";
import { to, tune } from "./router.js";
import { text } from "./strings.js";

export function MemoryPanel({ id }) {
  const answer = useAnswer(async (signal) => {
    const memory = await look("show", { id }, { signal });
    if (!memory) return null;
    const [history, sources] = await Promise.all([
      call("history", { id }, { signal }),
      Promise.all((memory.source_ids ?? []).slice(0, 8).map((source) => look("show", { id: source }, { signal }).catch(missing))),
    ]);
    return { memory, history: history?.changes ?? [], sources: sources.filter(Boolean) };
  }, [id]);
  const box = useRef(null);
  useEffect(() => box.current?.focus({ preventScroll: true }), [id]);
  return html`<aside class="panel" aria-label=${text.memory} tabindex="-1" ref=${box}>
    <div class="panel-head"><${Id} id=${id} /><button type="button" class="close" aria-label=${text.close} onClick=${() => tune({ m: "" })}>×</button></div>
    <${Pending} answer=${answer}>${(value) => html`<${Details} ...${value} again=${answer.again} />`}<//>
  </aside>`;
}

// A source that was purged or belongs elsewhere is left out; anything else is a failure.
function missing(failure) {
  if (failure instanceof Failure && failure.status === 404) return null;
  throw failure;
}

function Details({ memory, history, sources, again }) {
  const ended = Boolean(memory.ended_by);
  const id = memory.id;
  return html`
    <p class="meta"><${Kind} ...${memory} /> <${Time} at=${memory.event_time} /> ${memory.role && html`<span>${memory.role}</span>`} <span class="dim">${memory.scope}</span></p>
    ${ended && html`<p class="notice">${text.ended(memory.ended_by)} <${Time} at=${memory.valid_until} bare /></p>`}
    <${Text} memory=${memory} again=${again} />
    <p class="tags"><${Tags} tags=${memory.tags} /><${NewTag} memory=${memory} again=${again} /></p>
    <div class="actions">
      ${!ended && can("confirm") && memory.kind === "fact" && html`<button type="button" onClick=${() => confirmFact(id, again)}>${text.confirm}</button>`}
      ${!ended && can("forget") && html`<button type="button" onClick=${() => forget([id], again)}>${text.forget}</button>`}
      ${ended && can("restore") && html`<button type="button" onClick=${() => restore([id], again)}>${text.restore}</button>`}
      ${!ended && can("feedback") && html`<${Feedback} memory=${memory} again=${again} />`}
    </div>
    <h3>${text.values}</h3>
    <dl class="facts">
      <dt>${text.importance}</dt><dd><${Stars} memory=${memory} again=${again} /></dd>
      <dt>${text.confidence}</dt><dd>${percent(memory.effective_confidence)}${memory.effective_confidence < memory.confidence - 0.005 && html` <span class="dim">${text.of(percent(memory.confidence))}</span>`}</dd>
      <dt>${text.used}</dt><dd>${text.times(memory.access_count)}${memory.last_accessed && html`, <${Time} at=${memory.last_accessed} />`}</dd>
      <dt>${text.learned}</dt><dd><${Time} at=${memory.created_at} /></dd>
      ${Object.entries(memory.attributes ?? {}).map(([name, value]) => html`<dt>${name}</dt><dd>${typeof value === "string" ? value : JSON.stringify(value)}</dd>`)}
    </dl>
    <${Provenance} memory=${memory} sources=${sources} />
    ${memory.links.length > 0 && html`<h3>${text.links}</h3><ul class="plain">${memory.links.map((link) => html`<${Link} key=${link.from + link.relation + link.to} link=${link} id=${id} />`)}</ul>`}
    ${memory.entities.length > 0 && html`<h3>${text.mentions}</h3><p class="tags">${memory.entities.map((entity) => html`<a class="tag" href=${to("entities", { name: entity.name })}>${entity.name}</a>`)}</p>`}
    <h3>${text.history}</h3>
    <${History} memory=${memory} changes=${history} again=${again} />`;
}

// The text, changed where it stands. What is typed shows at once and goes back if it is refused.
function Text({ memory, again }) {
  const [draft, keep] = useState(null);
  const [shown, show] = useState(null);
  useEffect(() => show(null), [memory.version, memory.content]);
  const editable = can("edit") && !memory.ended_by;
  const save = async () => {
    const content = draft.trim();
    keep(null);
    if (!content || content === memory.content) return;
    show(content);
    const done = await change("edit", { id: memory.id, content, expected_version: memory.version }, { message: text.edited, undo: () => memory.id, after: again });
    if (!done || done.pending) show(null);
  };
  if (draft !== null) {
    const keys = (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
      if (event.key === "Escape") event.stopPropagation(), keep(null);
    };
    return html`<div class="edit"><textarea autofocus aria-label=${text.textOfMemory} rows=${Math.min(14, 3 + draft.length / 60)} value=${draft} ref=${(box) => box && !box.dataset.seen && (box.focus(), (box.dataset.seen = "1"))} onInput=${(event) => keep(event.target.value)} onKeyDown=${keys}></textarea>
      <div class="actions"><button type="button" class="primary" onClick=${save}>${text.save}</button><button type="button" onClick=${() => keep(null)}>${text.cancel}</button></div></div>`;
  }
  return html`<div class="content"><p class="words">${shown ?? memory.content}</p>${editable && html`<button type="button" class="edit-button" onClick=${() => keep(memory.content)}>${text.edit}</button>`}</div>`;
}

function NewTag({ memory, again }) {
  if (!can("edit") || memory.ended_by) return "";
  const add = (event) => {
    event.preventDefault();
    const tag = event.target.elements.tag.value.trim();
    event.target.reset();
    if (tag) change("edit", { id: memory.id, add_tags: [tag] }, { message: text.tagged(1, tag), undo: () => memory.id, after: again });
  };
  return html`<form class="new-tag" onSubmit=${add}><input name="tag" size="8" placeholder=${text.addTag} aria-label=${text.addTag} /></form>`;
}

function Stars({ memory, again }) {
  const value = Math.round(memory.importance * 10) / 10;
  if (!can("edit") || memory.ended_by) return String(value);
  const set = (event) => change("edit", { id: memory.id, importance: Number(event.target.value) }, { message: text.edited, undo: () => memory.id, after: again });
  return html`<label class="importance"><span class="visually-hidden">${text.importance}</span><select onChange=${set}>${[...new Set([1, 2, 3, 4, 5, value])].sort().map((step) => html`<option value=${step} selected=${step === value}>${step}</option>`)}</select></label>`;
}

function Feedback({ memory, again }) {
  const now = memory.attributes?.injection;
  const give = (show) => change("feedback", { id: memory.id, show }, { message: text.feedback[show], undo: () => memory.id, after: again });
  return html`${now !== "never" ? html`<button type="button" onClick=${() => give("never")}>${text.neverShow}</button>` : ""}
    ${now !== "always" ? html`<button type="button" onClick=${() => give("always")}>${text.alwaysShow}</button>` : ""}
    ${now ? html`<button type="button" onClick=${() => give("auto")}>${text.showAsUsual}</button>` : ""}`;
}

function Provenance({ memory, sources }) {
  const { origin } = memory;
  return html`<h3>${text.provenance}</h3>
    <p class="meta"><span>${text.origin(origin.kind)}</span>${origin.path && html` <code>${origin.path}${origin.start_line ? `:${origin.start_line}` : ""}</code>`}
      ${memory.session_id && html` <a href=${to("sessions", { s: memory.session_id, at: memory.kind === "episode" ? memory.id : (memory.source_ids ?? [])[0] })}>${text.inConversation(memory.session_id)}</a>`}</p>
    ${sources.map((source) => html`<blockquote key=${source.id}><${MemoryLink} id=${source.id}>${source.content}<//><footer>${source.role} · <${Time} at=${source.event_time} /></footer></blockquote>`)}`;
}

function Link({ link, id }) {
  const other = link.from === id ? link.to : link.from;
  const answer = useAnswer((signal) => look("show", { id: other }, { signal }).catch(missing), [other]);
  return html`<li><span class="relation">${text.relation(link.relation, link.from === id)}</span> <${MemoryLink} id=${other}>${answer.value?.content ?? other}<//></li>`;
}

// Each change with what it changed: the text as a difference, other values as before and after.
function History({ memory, changes, again }) {
  const after = {};
  const rows = [];
  // Going back from now: what stood after a change is what stood before the next one.
  const current = { content: memory.content, type: memory.type, importance: memory.importance, confidence: memory.confidence, tags: memory.tags, attributes: memory.attributes, valid_until: memory.valid_until };
  for (const one of [...changes].reverse()) {
    const differences = Object.entries(one.before ?? {}).map(([field, before]) => {
      const now = field in after ? after[field] : current[field];
      after[field] = before;
      return { field, before, now };
    });
    rows.push({ ...one, differences });
  }
  return html`<ol class="history">${rows.map((one) => html`<li key=${one.run + one.version + one.effect} class=${one.undone_by ? "undone" : ""}>
    <div><b>${one.operation}</b> <span class="dim">${one.effect}</span> <${Time} at=${one.at} /> <span class="dim">${one.actor}</span>
      ${can("undo") && !one.undone_by && one.operation !== "undo" && html` <button type="button" class="link" onClick=${() => undoAll([one.run], again)}>${text.undo}</button>`}</div>
    ${one.differences.filter(({ field }) => field !== "link").map(({ field, before, now }) => (field === "content" && now ? html`<${Difference} before=${before} after=${now} />` : html`<p class="change"><span class="dim">${field}</span> ${value(before)} → ${value(now)}</p>`))}
  </li>`)}</ol>`;
}

function value(any) {
  if (any === null || any === undefined) return text.nothing;
  return typeof any === "string" ? any : JSON.stringify(any);
}
