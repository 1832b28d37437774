// Every setting with its value, where it comes from and what it is for. Those that only tune are changed here; the others
// at the terminal, where their owner sits.
import { html, useEffect, useRef, useState } from "../vendor/htm-preact.js";
import { call, can, change } from "../api.js";
import { Entry, Pending, Shell, useAnswer } from "../parts.js";
import { tune } from "../router.js";
import { useShared } from "../store.js";
import { text } from "../strings.js";

export function Page() {
  const params = useShared((shared) => shared.route.params);
  const answer = useAnswer((signal) => (can("config.show") ? call("config.show", { origin: true, describe: true }, { signal, project: "" }) : { settings: [], warnings: [] }), [], { live: false });
  const toggle = (name) => (event) => tune({ [name]: event.target.checked ? "1" : "" });
  return html`<div class="settings"><h1>${text.pages.settings}</h1>
    ${!can("config.show") ? html`<p class="dim">${text.ownersOnly}</p>` : html`<p class="lede">${text.settingsLede}</p>
    <div class="filters"><${Entry} label=${text.find} value=${params.find} onChange=${(value) => tune({ find: value })} />
      <label class="check"><input type="checkbox" checked=${Boolean(params.changed)} onChange=${toggle("changed")} /> ${text.changedOnly}</label>
      <label class="check"><input type="checkbox" checked=${Boolean(params.mine)} onChange=${toggle("mine")} /> ${text.adjustableOnly}</label></div>
    <${Pending} answer=${answer}>${(value) => html`${value.warnings.map((warning) => html`<p class="notice">${warning}</p>`)}
      ${sections(value.settings, params).map(([name, list]) => html`<section key=${name}><h2>${name}</h2>${list.map((one) => html`<${Setting} key=${one.key} one=${one} again=${answer.again} />`)}</section>`)}`}<//>`}</div>`;
}

function Setting({ one, again }) {
  const id = `setting-${one.key}`;
  const mine = one.adjustable && can("config.adjust");
  const input = (value) => (value === null ? { key: one.key, reset: true } : { key: one.key, value });
  const put = (value) => change("config.adjust", input(value), {
    message: (done) => (done.after === null ? text.settingReset(one.key, one.default) : text.settingSet(one.key, done.after)),
    back: (done) => [["config.adjust", input(done.before)]], after: again,
  });
  return html`<div class="setting" data-key=${one.key}>
    <div class="setting-about"><label for=${id}><code>${one.key}</code></label><p>${one.about}</p></div>
    <div class="setting-value">${mine ? html`<${Field} id=${id} one=${one} put=${put} />` : html`<code class="value" id=${id}>${one.value}</code>`}
      <p class="dim">${one.origin === "default" ? text.isDefault : html`<span class="good">${one.origin}</span>`}${one.origin !== "default" && one.default !== one.value ? ` · ${text.byDefault(one.default)}` : ""}${one.allowed && !one.choices?.length ? ` · ${one.allowed}` : ""}
        ${mine && one.origin !== "default" && html` <button type="button" class="link" onClick=${() => put(null)}>${text.reset}</button>`}</p>
      ${!mine && html`<${Shell} command=${`scrubjay config set ${one.key} `} />`}</div></div>`;
}

// The value, in TOML notation, as people change it.
function Field({ id, one, put }) {
  const [draft, keep] = useState(one.value);
  useEffect(() => keep(one.value), [one.value]);
  // Enter and leaving the field say the same; what was refused is not shown as if it held.
  const said = useRef(one.value);
  const settle = async (value) => {
    if (value === one.value || value === said.current) return;
    said.current = value;
    if (await put(value)) return;
    said.current = one.value;
    keep(one.value);
  };
  useEffect(() => void (said.current = one.value), [one]);
  // What was chosen shows at once, and goes back if it is refused.
  const choose = (value) => (keep(value), settle(value));
  if (one.value_type === "true or false") return html`<input id=${id} type="checkbox" checked=${draft === "true"} onChange=${(event) => choose(String(event.target.checked))} />`;
  if (one.value_type === "list of text") {
    const chosen = JSON.parse(draft);
    const flip = (word) => `[${one.choices.filter((other) => (other === word) !== chosen.includes(other)).map((other) => JSON.stringify(other)).join(", ")}]`;
    return html`<span id=${id} role="group" aria-label=${one.key} class="words-choice">${one.choices.map((word) => html`<label class="check"><input type="checkbox" checked=${chosen.includes(word)} onChange=${() => choose(flip(word))} /> ${word}</label>`)}</span>`;
  }
  if (one.choices?.length) return html`<select id=${id} value=${JSON.parse(draft)} onChange=${(event) => choose(JSON.stringify(event.target.value))}>${one.choices.map((word) => html`<option value=${word} selected=${JSON.stringify(word) === draft}>${word}</option>`)}</select>`;
  return html`<input id=${id} inputmode="decimal" value=${draft} onInput=${(event) => keep(event.target.value)} onChange=${() => settle(draft.trim())} onKeyDown=${(event) => event.key === "Enter" && settle(draft.trim())} />`;
}

function sections(settings, params) {
  const has = (one) => one.key.includes(params.find) || one.about?.toLowerCase().includes(params.find.toLowerCase());
  const wanted = settings.filter((one) => (!params.find || has(one)) && (!params.changed || one.origin !== "default") && (!params.mine || one.adjustable));
  const by = new Map();
  for (const one of wanted) {
    const name = one.key.split(".")[0];
    by.set(name, [...(by.get(name) ?? []), one]);
  }
  return [...by];
}
