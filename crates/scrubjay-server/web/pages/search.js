// Search as one types, with what made each hit a hit.
import { html, useEffect, useRef, useState } from "../vendor/htm-preact.js";
import { call, can, choices, look } from "../api.js";
import { useKeys } from "../keyboard.js";
import { AsOf, Bar, Choice, Empty, Entry, Kind, Pending, percent, Time, useAnswer, useSettled } from "../parts.js";
import { to, tune } from "../router.js";
import { state, useShared } from "../store.js";
import { text } from "../strings.js";

const SOURCES = ["facts", "sessions", "memory", "docs", "code"];

export function Page() {
  const project = useShared((shared) => shared.project);
  const params = useShared((shared) => shared.route.params);
  const [draft, keep] = useState(params.q ?? "");
  const query = useSettled(draft.trim());
  const box = useRef(null);
  const [at, move] = useState(0);
  useEffect(() => box.current?.focus(), []);
  useEffect(() => {
    if (query !== (params.q ?? "")) tune({ q: query });
    move(0);
  }, [query]);
  useEffect(() => {
    if ((params.q ?? "") !== draft.trim()) keep(params.q ?? "");
  }, [params.q]);
  const input = { query, explain: true, limit: 20 };
  for (const name of ["kind", "type", "since", "until", "as_of"]) if (params[name]) input[name] = params[name];
  if (params.source) input.sources = [params.source];
  if (params.entity) input.entities = [params.entity];
  const started = useRef(0);
  const answer = useAnswer(async (signal) => {
    if (!query) return { hits: [], idle: true };
    started.current = performance.now();
    const found = await look("recall", input, { signal });
    return found && { ...found, query, took: performance.now() - started.current };
  }, [project, JSON.stringify(input)]);
  const hits = answer.value?.hits ?? [];
  const step = (by) => {
    const next = Math.max(0, Math.min(hits.length - 1, at + by));
    move(next);
    document.querySelectorAll(".hit")[next]?.scrollIntoView({ block: "nearest" });
  };
  useKeys({ j: () => step(1), k: () => step(-1), Enter: () => hits[at]?.id && tune({ m: hits[at].id }) });
  return html`<div class="search">
    <h1 class="visually-hidden">${text.pages.search}</h1>
    <input id="query" ref=${box} type="search" value=${draft} placeholder=${text.ask} aria-label=${text.ask} autocomplete="off"
      onInput=${(event) => keep(event.target.value)} onKeyDown=${(event) => event.key === "Enter" && (event.target.blur(), move(0))} />
    <${Filters} params=${params} />
    <${Pending} answer=${answer}>${(found) => html`<${Found} found=${found} at=${at} />`}<//>
  </div>`;
}

function Found({ found, at }) {
  if (found.idle) return html`<p class="dim">${text.searchHelp}</p>`;
  return html`
    <p class="dim" aria-live="polite">${text.hits(found.hits.length)} <span class="took">${text.milliseconds(found.took)}</span></p>
    ${found.warnings.map((warning) => html`<p class="notice">${warning}</p>`)}
    <ol class="hits">${found.hits.map((hit, index) => html`<${Hit} key=${hit.id} hit=${hit} current=${index === at} />`)}</ol>
    ${found.hits.length === 0 && html`<${Missing} found=${found} />`}
    ${found.near?.length > 0 && html`<h2>${text.nearMisses}</h2><ol class="hits near">${found.near.map((hit) => html`<${Hit} key=${hit.id} hit=${hit} />`)}</ol>`}
    ${can("why-not") && html`<${WhyNot} query=${found.query} />`}`;
}

function Hit({ hit, current }) {
  const [open, show] = useState(false);
  const href = hit.path ? null : to(state.route.page, { ...state.route.params, m: hit.id });
  const place = hit.path && `${hit.path}${hit.start_line ? `:${hit.start_line}–${hit.end_line}` : ""}`;
  return html`<li class=${current ? "hit current" : "hit"} data-id=${hit.id}>
    <div class="relevance" title=${text.relevanceHelp}><b>${percent(hit.relevance)}</b></div>
    <div class="hit-body">
      ${href ? html`<a class="snippet" href=${href}>${hit.snippet}</a>` : html`<p class="snippet">${hit.snippet}</p>`}
      <p class="row-meta"><${Kind} ...${hit} /><${Time} at=${hit.event_time} />${place && html`<code>${place}</code>`}${hit.session_id && html`<span class="dim">${hit.session_id}</span>`}
        ${(hit.superseded_by || hit.newer) && html`<a class="badge" href=${to(state.route.page, { ...state.route.params, m: hit.superseded_by || hit.newer })}>${text.changedSince(hit.outdated_since ?? hit.newer_since)}</a>`}
        ${hit.explanation && html`<button type="button" class="link" aria-expanded=${open} onClick=${() => show(!open)}>${text.why}</button>`}</p>
      ${open && html`<${Explanation} hit=${hit} />`}
    </div>
  </li>`;
}

/** How a hit came to its place: each arm, each weight, and what the ranking model saw. */
export function Explanation({ hit }) {
  const { arms, weights, features } = hit.explanation;
  const seen = Object.entries(features ?? {}).filter(([, value]) => Math.abs(value) > 0.001).sort(([a], [b]) => a.localeCompare(b));
  return html`<div class="explanation">
    <section><h3>${text.arms}</h3>${Object.entries(arms).sort((a, b) => b[1].score - a[1].score).map(([name, arm]) => html`<${Bar} key=${name} name=${text.arm[name] ?? name} value=${arm.score} title=${text.rank(arm.rank)} />`)}</section>
    <section><h3>${text.weights}</h3>
      <${Bar} name=${text.relevance} value=${hit.relevance} />
      ${Object.entries(weights).map(([name, weight]) => html`<${Bar} key=${name} name=${`× ${name}`} value=${weight / 2} shown=${weight.toFixed(2)} />`)}
      <${Bar} name=${text.score} value=${hit.score} /></section>
    ${seen.length > 0 && html`<details><summary>${text.features(seen.length)}</summary><div class="features">${seen.map(([name, value]) => html`<${Bar} key=${name} name=${name.replaceAll("_", " ")} value=${Math.abs(value) / 4} shown=${value.toFixed(2)} />`)}</div></details>`}
  </div>`;
}

function Missing({ found }) {
  const missing = found.missing;
  return html`<${Empty} title=${text.noHits}>
    ${missing?.asks_for_nothing && html`<p>${text.asksForNothing}</p>`}
    ${missing?.unknown_words?.length > 0 && html`<p>${text.unknownWords(missing.unknown_words.join(", "))}</p>`}
    ${(missing?.reasons ?? []).map((reason) => html`<p>${reason}</p>`)}
    ${missing && html`<p class="dim">${text.threshold(percent(missing.threshold), missing.best == null ? null : percent(missing.best))}</p>`}
  <//>`;
}

// Why a memory that one expected is not among the hits. It is named by its id, or picked from what its words find.
function WhyNot({ query }) {
  const [typed, type] = useState("");
  const wanted = useSettled(typed.trim(), 250);
  const isId = /^[a-z]+_[0-9a-f-]{8,}$/.test(wanted);
  const answer = useAnswer(async (signal) => {
    if (!wanted || !query) return { idle: true };
    if (isId) return call("why-not", { query, id: wanted }, { signal });
    return { picks: (await look("recall", { query: wanted, min_score: 0, limit: 8 }, { signal })).hits.filter((hit) => !hit.path) };
  }, [query, wanted]);
  return html`<details class="why-not"><summary>${text.whyNot}</summary>
    <p><input value=${typed} placeholder=${text.whyNotId} aria-label=${text.whyNotId} onInput=${(event) => type(event.target.value)} /></p>
    <${Pending} answer=${answer}>${(told) => {
      if (told.idle) return "";
      if (told.picks) return html`<ul class="lines">${told.picks.map((hit) => html`<li key=${hit.id}><button type="button" class="link pick" onClick=${() => type(hit.id)}>${hit.snippet}</button></li>`)}</ul>`;
      return html`<div><p><b>${text.verdict[told.verdict] ?? told.verdict}</b></p><ul>${told.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>
        ${told.hit?.explanation && html`<p class="snippet">${told.hit.snippet}</p><${Explanation} hit=${told.hit} />`}</div>`;
    }}<//>
  </details>`;
}

function Filters({ params }) {
  const set = (name) => (value) => tune({ [name]: value });
  const any = ["kind", "source", "type", "entity", "since", "until", "as_of"].some((name) => params[name]);
  return html`<details class="filters" open=${any}><summary>${text.moreFilters}</summary><div class="more-filters">
    <${Choice} label=${text.kind} value=${params.kind} options=${choices("recall", "kind")} onChange=${set("kind")} />
    <${Choice} label=${text.source} value=${params.source} options=${SOURCES} onChange=${set("source")} />
    <${Entry} label=${text.type} value=${params.type} onChange=${set("type")} placeholder="decision" />
    <${Entry} label=${text.entity} value=${params.entity} onChange=${set("entity")} />
    <${Entry} label=${text.since} type="date" value=${params.since} onChange=${set("since")} />
    <${Entry} label=${text.until} type="date" value=${params.until} onChange=${set("until")} />
    <${AsOf} value=${params.as_of} onChange=${set("as_of")} />
  </div></details>`;
}
