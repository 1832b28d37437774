// Every setting with its value and where it comes from. Settings change at the terminal, where their owner sits.
import { html } from "../vendor/htm-preact.js";
import { call, can } from "../api.js";
import { Entry, Pending, Shell, useAnswer } from "../parts.js";
import { tune } from "../router.js";
import { useShared } from "../store.js";
import { text } from "../strings.js";

export function Page() {
  const project = useShared((shared) => shared.project);
  const params = useShared((shared) => shared.route.params);
  const answer = useAnswer((signal) => (can("config.show") ? call("config.show", { origin: true }, { signal }) : { settings: [], warnings: [] }), [project], { live: false });
  return html`<div class="settings"><h1>${text.pages.settings}</h1>
    ${!can("config.show") ? html`<p class="dim">${text.ownersOnly}</p>` : html`<p class="lede">${text.settingsLede}</p><div class="filters"><${Entry} label=${text.find} value=${params.find} onChange=${(value) => tune({ find: value })} /><label class="check"><input type="checkbox" checked=${Boolean(params.changed)} onChange=${(event) => tune({ changed: event.target.checked ? "1" : "" })} /> ${text.changedOnly}</label></div>
    <${Pending} answer=${answer}>${(value) => html`${value.warnings.map((warning) => html`<p class="notice">${warning}</p>`)}${sections(value.settings, params).map(([name, list]) => html`<section key=${name}><h2>${name}</h2><table class="wide"><thead class="visually-hidden"><tr><th>${text.setting}</th><th>${text.value}</th><th>${text.originLabel}</th><th>${text.command}</th></tr></thead><tbody>
      ${list.map((one) => html`<tr key=${one.key}><td><code>${one.key}</code></td><td><code class="value">${one.value}</code></td><td class=${one.origin === "default" ? "dim" : "good"}>${one.origin}</td><td><${Shell} command=${`scrubjay config set ${one.key} `} /></td></tr>`)}</tbody></table></section>`)}`}<//>`}</div>`;
}

function sections(settings, params) {
  const wanted = settings.filter((one) => (!params.find || one.key.includes(params.find)) && (!params.changed || one.origin !== "default"));
  const by = new Map();
  for (const one of wanted) {
    const name = one.key.split(".")[0];
    by.set(name, [...(by.get(name) ?? []), one]);
  }
  return [...by];
}
