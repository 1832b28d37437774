// A laboratory: the block that an agent would get before a turn, under one or two settings.
import { html, useState } from "../vendor/htm-preact.js";
import { call, choices, look } from "../api.js";
import { Choice, Entry, MemoryLink, number, Pending, percent, useAnswer, useSettled } from "../parts.js";
import { Explanation } from "./search.js";
import { tune } from "../router.js";
import { useShared } from "../store.js";
import { text } from "../strings.js";

const SETTINGS = ["min", "limit", "budget", "source"];

export function Page() {
  const project = useShared((shared) => shared.project);
  const params = useShared((shared) => shared.route.params);
  const [draft, keep] = useState(params.q ?? "");
  const prompt = useSettled(draft, 300);
  const sessions = useAnswer((signal) => call("sessions", { limit: 50 }, { signal }), [project]);
  const compare = Boolean(params.compare);
  return html`<div class="context"><h1>${text.pages.context}</h1><p class="lede">${text.contextLede}</p>
    <label class="field"><span>${text.prompt}</span><textarea id="prompt" rows="3" value=${draft} placeholder=${text.promptExample} onInput=${(event) => keep(event.target.value)} onChange=${(event) => tune({ q: event.target.value })}></textarea></label>
    <div class="filters"><${Choice} label=${text.session} value=${params.s} options=${(sessions.value?.sessions ?? []).map((one) => one.session_id)} any=${text.newSession} onChange=${(value) => tune({ s: value })} />
      <${Choice} label=${text.client} value=${params.client} options=${choices("inject", "client")} any=${text.noClient} onChange=${(value) => tune({ client: value })} />
      <label class="check"><input type="checkbox" checked=${compare} onChange=${(event) => tune({ compare: event.target.checked ? "1" : "" })} /> ${text.compare}</label></div>
    <div class=${compare ? "sides" : ""}>
      <${Side} name="a" prompt=${prompt} project=${project} params=${params} />
      ${compare && html`<${Side} name="b" prompt=${prompt} project=${project} params=${params} />`}
    </div></div>`;
}

function Side({ name, prompt, project, params }) {
  const of = (setting) => params[`${setting}_${name}`];
  const set = (setting) => (value) => tune({ [`${setting}_${name}`]: value });
  const input = { text: prompt, explain: true };
  if (params.s) input.session = params.s;
  if (params.client) input.client = params.client;
  if (of("min")) input.min_score = Number(of("min"));
  if (of("limit")) input.limit = Number(of("limit"));
  if (of("budget")) input.budget = Number(of("budget"));
  if (of("source")) input.sources = [of("source")];
  const answer = useAnswer((signal) => (prompt.trim() ? look("inject", input, { signal }) : { idle: true }), [project, JSON.stringify(input)], { live: false });
  const threshold = of("min") || answer.value?.explanation?.threshold;
  return html`<section class="side">
    <div class="filters">
      <label class="field"><span>${text.leastRelevance} <b>${threshold === undefined ? "" : percent(Number(threshold))}</b></span><input type="range" min="0" max="1" step="0.01" value=${threshold ?? 0.5} onChange=${(event) => set("min")(event.target.value)} /></label>
      <${Entry} label=${text.itemsAtMost} type="number" value=${of("limit")} placeholder="5" onChange=${set("limit")} />
      <${Entry} label=${text.budget} type="number" value=${of("budget")} placeholder="500" onChange=${set("budget")} />
      <${Choice} label=${text.source} value=${of("source")} options=${["facts", "sessions", "memory", "docs", "code"]} onChange=${set("source")} />
      ${SETTINGS.some(of) && html`<button type="button" class="quiet" onClick=${() => tune(Object.fromEntries(SETTINGS.map((one) => [`${one}_${name}`, ""])))}>${text.defaults}</button>`}
    </div>
    <${Pending} answer=${answer}>${(value) => (value.idle ? html`<p class="dim">${text.contextIdle}</p>` : html`<${Block} value=${value} />`)}<//>
  </section>`;
}

// What the hook of a client makes of the block.
function Client({ client }) {
  return html`<section class="client"><h2>${text.handedTo(client.title)}</h2>
    ${client.nothing_because ? html`<p class="notice">${text.nothingHanded(client.nothing_because)}</p>` : html`<details><summary>${text.hookSays}</summary><pre class="block output" tabindex="0">${client.output}</pre></details>`}
    ${client.beginning && html`<details open><summary>${text.beginsWith}</summary><pre class="block beginning" tabindex="0">${client.beginning}</pre></details>`}</section>`;
}

function Block({ value }) {
  const missing = value.explanation?.missing;
  return html`${value.client && html`<${Client} client=${value.client} />`}<h2>${value.text ? text.blockOf(number(value.tokens)) : text.nothingInjected}</h2>
    ${value.warnings.map((warning) => html`<p class="notice">${warning}</p>`)}
    ${value.text && html`<pre class="block" tabindex="0">${value.text}</pre>`}
    ${!value.text && missing && html`<ul>${missing.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`}
    ${value.items.length > 0 && html`<h3>${text.parts}</h3>${value.items.map((item) => html`<details class="part" key=${item.id}><summary><span class="figure">${percent(item.relevance)}</span> <span class="figure dim">${text.tokensShort(item.tokens)}</span> ${item.snippet ?? item.id}</summary>
      <p><${MemoryLink} id=${item.id}>${text.details}<//></p>${item.explanation && html`<${Explanation} hit=${item} />`}</details>`)}`}
    ${value.explanation?.left_out.length > 0 && html`<h3>${text.leftOut}</h3><table><thead><tr><th>${text.memory}</th><th>${text.relevance}</th><th>${text.whyLeftOut}</th></tr></thead><tbody>
      ${value.explanation.left_out.map((one) => html`<tr key=${one.id + one.reason}><td><${MemoryLink} id=${one.id}>${one.snippet}<//></td><td class="figure">${one.relevance == null ? "–" : percent(one.relevance)}</td><td class="dim" title=${one.reason}>${one.detail || one.reason}</td></tr>`)}
    </tbody></table>`}`;
}
