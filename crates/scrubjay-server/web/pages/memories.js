// All memories: filtered, sorted, paged by cursor, drawn only where one looks.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/htm-preact.js";
import { call, can, change, choices, report } from "../api.js";
import { useKeys } from "../keyboard.js";
import { AsOf, changeEach, Choice, Empty, Entry, forget, Kind, number, percent, restore, Shell, Tags, Time, useAnswer } from "../parts.js";
import { tune } from "../router.js";
import { useShared } from "../store.js";
import { text } from "../strings.js";

const ROW = 58;
const PAGE = 100;
const FILTERS = ["kind", "type", "tags", "session", "role", "origin", "scope", "since", "until", "entity", "state", "importance", "field", "is", "value", "as_of", "order_by"];

// Fields that no other filter names. What is said of a message or a tool is an attribute.
const NUMBERS = ["confidence", "decay_rate", "access_count", "version"];
const FIELDS = [...NUMBERS, "content", "path", "created_at", "valid_until", "last_accessed", "ended_by", "id", "attributes.review", "attributes.injection", "attributes.extractor"];

// What the filters of the address mean to the operation.
function inputOf(params) {
  const input = {};
  for (const name of ["kind", "type", "session", "role", "origin", "scope", "since", "until", "entity", "as_of", "order_by"]) if (params[name]) input[name] = params[name];
  if (params.tags) input.tags = params.tags.split(",").map((tag) => tag.trim()).filter(Boolean);
  const conditions = {};
  if (params.importance) conditions.importance = { $gte: Number(params.importance) };
  if (params.field && params.value) conditions[params.field] = { ...conditions[params.field], [params.is || "$eq"]: NUMBERS.includes(params.field) ? Number(params.value) : params.value };
  if (Object.keys(conditions).length) input.where = conditions;
  if (params.state === "ended") input.ended = true;
  if (params.state === "all") input.all = true;
  return input;
}

export function Page() {
  const project = useShared((shared) => shared.project);
  const params = useShared((shared) => shared.route.params);
  const tick = useShared((shared) => shared.tick);
  const key = JSON.stringify([project, ...FILTERS.map((name) => params[name])]);
  const list = useRows(key, params, tick);
  const [chosen, choose] = useState(new Set());
  const [at, move] = useState(0);
  useEffect(() => (choose(new Set()), move(0)), [key]);
  const stats = useAnswer((signal) => call("stats", {}, { signal }), [project, Math.floor(tick / 8)], { live: false });
  const oldest = useAnswer(async (signal) => (await call("list", { order_by: "-created_at", limit: 1, all: true }, { signal }))?.memories[0]?.created_at ?? "", [project], { live: false });
  const box = useRef(null);
  const toggle = (id) => {
    const next = new Set(chosen);
    next.has(id) ? next.delete(id) : next.add(id);
    choose(next);
  };
  const step = (by) => {
    const next = Math.max(0, Math.min(list.rows.length - 1, at + by));
    move(next);
    const { scrollTop, clientHeight } = box.current;
    if (next * ROW < scrollTop) box.current.scrollTop = next * ROW;
    else if ((next + 1) * ROW > scrollTop + clientHeight) box.current.scrollTop = (next + 1) * ROW - clientHeight;
    if (params.m && list.rows[next]) tune({ m: list.rows[next].id });
  };
  const current = list.rows[at];
  useKeys({
    j: () => step(1), k: () => step(-1),
    Enter: () => current && tune({ m: current.id }),
    x: () => current && toggle(current.id),
    f: () => current && can("forget") && forget(chosen.size ? [...chosen] : [current.id], list.again),
  });
  return html`<div class="memories">
    <h1 class="visually-hidden">${text.pages.memories}</h1>
    <${Filters} params=${params} stats=${stats.value} oldest=${oldest.value} count=${list.rows.length} more=${Boolean(list.next)} />
    ${chosen.size > 0 && html`<${Bulk} chosen=${[...chosen]} rows=${list.rows} clear=${() => choose(new Set())} again=${list.again} />`}
    ${list.failure && html`<p class="failure" role="alert">${list.failure.message}</p>`}
    ${!list.loading && !list.rows.length ? html`<${Nothing} filtered=${FILTERS.some((name) => params[name])} />`
      : html`<${Rows} box=${box} list=${list} at=${at} chosen=${chosen} toggle=${toggle} open=${(index, id) => (move(index), tune({ m: id }))} selected=${params.m} />`}
  </div>`;
}

// Rows as far as they were fetched. What changes elsewhere is put in its place without losing the others.
function useRows(key, params, tick) {
  const empty = { key, rows: [], next: null, loading: true, failure: null };
  const [list, keep] = useState(empty);
  const busy = useRef(null);
  const shown = list.key === key ? list : empty;
  const latest = useRef(shown);
  latest.current = shown;
  const [turn, again] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    busy.current = null;
    // After a change the rows that are shown are fetched again, in as few requests as that takes.
    const wanted = Math.min(1000, Math.max(PAGE, latest.current.rows.length));
    call("list", { ...inputOf(params), limit: wanted }, { signal: control.signal }).then(
      (page) => {
        if (!page || control.signal.aborted) return;
        const kept = latest.current.key === key && latest.current.rows.length > page.memories.length && page.next ? latest.current.rows.slice(page.memories.length) : [];
        const ids = new Set(page.memories.map((row) => row.id));
        const rest = kept.filter((row) => !ids.has(row.id));
        keep({ key, rows: [...page.memories, ...rest], next: rest.length ? latest.current.next : page.next, loading: false, failure: null });
      },
      (failure) => failure.name !== "AbortError" && keep((before) => ({ ...before, key, loading: false, failure })),
    );
    return () => control.abort();
  }, [key, tick, turn]);
  const more = async () => {
    if (!shown.next || busy.current === shown.next) return;
    busy.current = shown.next;
    try {
      const page = await call("list", { ...inputOf(params), limit: PAGE * 2, cursor: shown.next });
      if (page) keep((before) => (before.key === key && before.next === busy.current ? { ...before, rows: [...before.rows, ...page.memories], next: page.next } : before));
    } catch (failure) {
      report(failure);
    }
  };
  return { ...shown, more, again: () => again((count) => count + 1) };
}

function Rows({ box, list, at, chosen, toggle, open, selected }) {
  const [view, look] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = box.current;
    const measure = () => look({ top: element.scrollTop, height: element.clientHeight });
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    measure();
    return () => watcher.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(view.top / ROW) - 8);
  const last = Math.min(list.rows.length, Math.ceil((view.top + view.height) / ROW) + 8);
  useEffect(() => {
    if (list.next && last > list.rows.length - 60) list.more();
  }, [last, list.rows.length, list.next]);
  // A row is placed by its number, so that the list has its whole height without having all its rows.
  return html`<div class="rows" ref=${box} role="list" aria-label=${text.pages.memories} tabindex="0" onScroll=${(event) => look({ top: event.target.scrollTop, height: event.target.clientHeight })}>
    <div class="rows-space" style=${{ height: `${list.rows.length * ROW}px` }}>
      ${list.rows.slice(first, last).map((row, offset) => html`<${Row} key=${row.id} row=${row} index=${first + offset} current=${first + offset === at} open=${open} chosen=${chosen.has(row.id)} toggle=${toggle} selected=${row.id === selected} />`)}
    </div>
  </div>`;
}

function Row({ row, index, current, open, chosen, toggle, selected }) {
  const classes = ["row", current && "current", selected && "selected", row.ended_by && "ended"].filter(Boolean).join(" ");
  return html`<div class=${classes} role="listitem" style=${{ top: `${index * ROW}px` }} data-id=${row.id}>
    <input type="checkbox" checked=${chosen} aria-label=${text.choose(row.content.slice(0, 60))} onChange=${() => toggle(row.id)} />
    <div class="row-body" onClick=${() => open(index, row.id)}>
      <button type="button" class="row-text">${row.content.slice(0, 400)}</button>
      <div class="row-meta"><${Kind} ...${row} /><${Time} at=${row.event_time} />${row.role && html`<span>${row.role}</span>`}
        ${row.kind === "fact" && html`<span class="dim" title=${text.confidence}>${percent(row.effective_confidence)}</span>`}
        ${row.importance > 3.05 && html`<span class="dim" title=${text.importance}>${"★".repeat(Math.min(2, Math.round(row.importance) - 3))}</span>`}
        ${row.ended_by && html`<span class="badge">${text.endedShort(row.ended_by)}</span>`}<${Tags} tags=${row.tags} />
        <span class="dim row-scope">${row.session_id ?? ""}</span></div>
    </div>
  </div>`;
}

function Filters({ params, stats, oldest, count, more }) {
  const [open, show] = useState(FILTERS.some((name) => params[name] && !["kind", "order_by"].includes(name)));
  const set = (name) => (value) => tune({ [name]: value });
  const types = useMemo(() => Object.keys(stats?.by_type ?? {}).sort(), [stats]);
  const active = FILTERS.filter((name) => params[name]).length;
  const clear = () => tune(Object.fromEntries(FILTERS.map((name) => [name, ""])));
  return html`<div class="filters">
    <${Choice} label=${text.kind} value=${params.kind} options=${choices("list", "kind")} onChange=${set("kind")} />
    <${Choice} label=${text.type} value=${params.type} options=${types} onChange=${set("type")} />
    <${Choice} label=${text.order} value=${params.order_by} options=${text.orders} any=${text.newestFirst} onChange=${set("order_by")} />
    <button type="button" class="quiet" aria-expanded=${open} onClick=${() => show(!open)}>${text.moreFilters}${active ? ` (${active})` : ""}</button>
    ${active > 0 && html`<button type="button" class="quiet" onClick=${clear}>${text.clearFilters}</button>`}
    <span class="dim count-of" aria-live="polite">${stats && (active ? text.shown(number(count), more) : text.shownOf(number(stats.memories), number(stats.ended)))}</span>
    ${open && html`<div class="more-filters">
      <${Choice} label=${text.state} value=${params.state} options=${[["ended", text.endedOnes], ["all", text.both]]} any=${text.activeOnes} onChange=${set("state")} />
      <${Entry} label=${text.tags} value=${params.tags} onChange=${set("tags")} placeholder="release, security" />
      <${Entry} label=${text.entity} value=${params.entity} onChange=${set("entity")} placeholder="Grace" />
      <${Entry} label=${text.session} value=${params.session} onChange=${set("session")} />
      <${Entry} label=${text.role} value=${params.role} onChange=${set("role")} placeholder="user" />
      <${Choice} label=${text.originLabel} value=${params.origin} options=${choices("list", "origin")} onChange=${set("origin")} />
      <${Choice} label=${text.scope} value=${params.scope} options=${["project", "global", "task"]} onChange=${set("scope")} />
      <${Choice} label=${text.importance} value=${params.importance} options=${[["2", "≥ 2"], ["3", "≥ 3"], ["4", "≥ 4"], ["5", "5"]]} onChange=${set("importance")} />
      <${Entry} label=${text.since} type="date" value=${params.since} onChange=${set("since")} />
      <${Entry} label=${text.until} type="date" value=${params.until} onChange=${set("until")} />
      <${Choice} label=${text.conditionField} value=${params.field} options=${FIELDS} any=${text.none} onChange=${(field) => tune(field ? { field } : { field: "", is: "", value: "" })} />
      ${params.field && html`<${Choice} label=${text.conditionOperator} value=${params.is} options=${text.operators.slice(1)} any=${text.operators[0][1]} onChange=${set("is")} />
        <${Entry} label=${text.conditionValue} value=${params.value} onChange=${set("value")} placeholder=${NUMBERS.includes(params.field) ? "0.5" : ""} />`}
      <${AsOf} value=${params.as_of} since=${oldest} onChange=${set("as_of")} />
    </div>`}
  </div>`;
}

function Bulk({ chosen, rows, clear, again }) {
  const of = new Map(rows.map((row) => [row.id, row]));
  const ended = chosen.filter((id) => of.get(id)?.ended_by);
  const active = chosen.filter((id) => !of.get(id)?.ended_by);
  const after = () => (clear(), again());
  const tag = () => {
    const tag = prompt(text.whichTag)?.trim();
    if (tag) changeEach(active, "edit", (id) => ({ id, add_tags: [tag] }), (count) => text.tagged(count, tag), after);
  };
  const move = () => {
    const target = prompt(text.whichTarget)?.trim();
    if (target) change("projects.move", { ids: chosen, to: target }, { message: text.moved(chosen.length, target), after });
  };
  const facts = active.filter((id) => of.get(id)?.kind === "fact");
  return html`<div class="bulk" role="toolbar" aria-label=${text.chosen(chosen.length)}>
    <b>${text.chosen(chosen.length)}</b>
    ${can("forget") && active.length > 0 && html`<button type="button" onClick=${() => forget(active, after)}>${text.forget}</button>`}
    ${can("restore") && ended.length > 0 && html`<button type="button" onClick=${() => restore(ended, after)}>${text.restore}</button>`}
    ${can("confirm") && facts.length > 0 && html`<button type="button" onClick=${() => changeEach(facts, "confirm", (id) => ({ id }), text.confirmedSome, after)}>${text.confirm}</button>`}
    ${can("edit") && active.length > 0 && html`<button type="button" onClick=${tag}>${text.tag}</button>`}
    ${can("projects.move") && html`<button type="button" onClick=${move}>${text.move}</button>`}
    <button type="button" class="quiet" onClick=${clear}>${text.clearChoice}</button>
  </div>`;
}

function Nothing({ filtered }) {
  if (filtered) return html`<${Empty} title=${text.noMatch}><p>${text.noMatchHelp}</p><//>`;
  return html`<${Empty} title=${text.noMemories}><p>${text.noMemoriesHelp}</p><${Shell} command="scrubjay install --all" /><${Shell} command='scrubjay remember "We use pnpm, never npm"' /><//>`;
}
