// What is read from outside: folders and transcripts, what was skipped and why.
import { html, useState } from "../vendor/htm-preact.js";
import { call, can, change } from "../api.js";
import { Empty, number, Pending, Shell, Time, useAnswer } from "../parts.js";
import { useShared } from "../store.js";
import { text } from "../strings.js";

export function Page() {
  const project = useShared((shared) => shared.project);
  const status = useAnswer((signal) => call("sync.status", {}, { signal }), [project]);
  const [outcome, tell] = useState(null);
  const [busy, work] = useState("");
  const run = async (name, operation, input) => {
    work(name);
    tell(null);
    const done = await change(operation, input, { message: (answer) => text.synced(answer.indexed, answer.removed), undo: () => null, after: status.again });
    work("");
    if (done) tell(done);
  };
  const remove = (path) => change("sources.remove", { path }, { message: text.sourceRemoved, undo: () => null, after: status.again });
  const add = (event) => {
    event.preventDefault();
    const path = event.target.elements.path.value.trim();
    if (path) change("sources.add", { path, kind: event.target.elements.kind.value }, { message: text.sourceAdded, undo: () => null, after: status.again });
  };
  return html`<div class="sources"><h1>${text.pages.sources}</h1><${Pending} answer=${status}>${(value) => html`
    ${value.sources.length === 0 ? html`<${Empty} title=${text.noSources}><p>${text.noSourcesHelp}</p><${Shell} command="scrubjay index ." /><//>`
      : html`<table class="wide"><thead><tr><th>${text.path}</th><th>${text.kind}</th><th>${text.scope}</th><th>${text.read}</th><th><span class="visually-hidden">${text.actions}</span></th></tr></thead><tbody>
      ${value.sources.map((one) => html`<tr key=${one.path}><td><code>${one.path}</code></td><td>${one.kind}${one.format ? ` (${one.format})` : ""}</td><td class="dim">${one.scope}</td><td>${one.missing ? html`<span class="bad">${text.missing}</span>` : html`<${Time} at=${one.synced_at} />`}${one.stale && html` <span class="badge">${text.stale}</span>`}</td>
        <td class="row-actions">${can("index") && one.kind !== "transcripts" && html`<button type="button" class="link" disabled=${busy === one.path} onClick=${() => run(one.path, "index", { path: one.path, force: true })}>${busy === one.path ? text.working : text.reindex}</button>`} ${can("sources.remove") && html`<button type="button" class="link" onClick=${() => remove(one.path)}>${text.stopReading}</button>`}</td></tr>`)}</tbody></table>`}
    <div class="actions">${can("sync") && html`<button type="button" disabled=${busy === "*"} onClick=${() => run("*", "sync", { trigger: "force" })}>${busy === "*" ? text.working : text.syncAll}</button>`}</div>
    ${can("sources.add") && html`<form class="inline" onSubmit=${add}><label class="field"><span>${text.addFolder}</span><input name="path" placeholder=${text.folderExample} /></label><label class="field"><span>${text.kind}</span><select name="kind"><option>workspace</option><option>notes</option><option>transcripts</option></select></label><button>${text.add}</button></form>`}
    ${outcome && html`<${Outcome} outcome=${outcome} />`}
    <h2>${text.inIndex}</h2><table><thead><tr><th>${text.source}</th><th>${text.documents}</th><th>${text.chunks}</th></tr></thead><tbody>${value.documents.map((one) => html`<tr key=${one.source}><td>${one.source}</td><td class="figure">${number(one.documents)}</td><td class="figure">${number(one.chunks)}</td></tr>`)}</tbody></table>
    ${value.waiting_for_vectors > 0 && html`<p class="notice">${text.waitingForVectors(number(value.waiting_for_vectors))}</p>`}
    <h2>${text.occasions}</h2><table><thead><tr><th>${text.occasion}</th><th>${text.last}</th><th>${text.outcome}</th></tr></thead><tbody>${value.triggers.map((one) => html`<tr key=${one.trigger} class=${one.enabled ? "" : "ended"}><td title=${one.about}>${one.trigger}${!one.enabled && html` <span class="dim">${text.off}</span>`}</td><td><${Time} at=${one.last} /></td><td>${one.failure ? html`<span class="bad">${one.failure}</span>` : one.last ? text.synced(one.indexed, one.removed) : ""}</td></tr>`)}</tbody></table>`}<//></div>`;
}

function Outcome({ outcome }) {
  const skipped = Object.values(outcome.skipped_by_reason).reduce((sum, count) => sum + count, 0);
  return html`<section><h2>${text.lastOutcome}</h2><p>${text.outcomeLine(outcome)}</p>${outcome.warnings.map((warning) => html`<p class="notice">${warning}</p>`)}
    ${skipped > 0 && html`<h3>${text.skipped(number(skipped))}</h3><table><thead><tr><th>${text.path}</th><th>${text.reasonLabel}</th></tr></thead><tbody>${outcome.skipped.map((one) => html`<tr key=${one.path}><td><code>${one.path}</code></td><td class="dim" title=${one.explanation}>${one.reason}</td></tr>`)}</tbody></table>`}</section>`;
}
