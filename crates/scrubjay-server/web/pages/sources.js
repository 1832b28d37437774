// What is read from outside: folders and transcripts, what was skipped and why.
import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { call, can, change } from "../api.js";
import { Bar, Empty, number, Pending, Shell, Time, useAnswer } from "../parts.js";
import { ask, useShared } from "../store.js";
import { text } from "../strings.js";

// How often it is looked how far the reading is.
const LOOK_MS = 200;

export function Page() {
  const project = useShared((shared) => shared.project);
  const status = useAnswer((signal) => call("sync.status", {}, { signal }), [project]);
  const [outcome, tell] = useState(null);
  const [busy, work] = useState("");
  const places = status.value?.sources ?? [];
  const running = status.value?.running ?? [];
  useEffect(() => {
    if (!busy && running.length === 0) return undefined;
    const timer = setTimeout(status.again, LOOK_MS);
    return () => clearTimeout(timer);
  }, [busy, status.value]);
  const run = async (name, operation, input) => {
    work(name);
    tell(null);
    const done = await change(operation, input, { message: (answer) => text.synced(answer.indexed, answer.removed), after: status.again });
    work("");
    if (done) tell(done);
  };
  const readAll = () => run("*", "sync", { trigger: "force" });
  const remove = async (place) => {
    const isBack = canBeAdded(place);
    if (!isBack && !(await ask({ title: text.stopTitle(place.path), help: text.stopHelp, go: text.stopReading }))) return;
    // What is read again comes back into the index with the next reading, which follows.
    const after = (answer) => (status.again(), answer || readAll());
    change("sources.remove", { path: place.path }, { message: text.sourceRemoved, back: () => (isBack ? [adding(place)] : []), after });
  };
  const add = async (event) => {
    event.preventDefault();
    const { path, kind } = event.target.elements;
    if (!path.value.trim()) return;
    // A folder that holds others takes their place, and gives it back. One that is read already stays.
    const inside = (place, added) => place.scope === added.scope && place.kind === added.kind && place.path.startsWith(`${added.path}/`);
    const isThere = (added) => places.some((place) => place.path === added.path && place.kind === added.kind);
    const back = (added) => (isThere(added) ? [] : [["sources.remove", { path: added.path }, { project: projectOf(added) }], ...places.filter((place) => inside(place, added) && canBeAdded(place)).map(adding)]);
    const added = await change("sources.add", { path: path.value.trim(), kind: kind.value }, { message: (added) => (isThere(added) ? text.sourceThere : text.sourceAdded), back, after: status.again });
    if (added) path.form.reset(), readAll();
  };
  return html`<div class="sources"><h1>${text.pages.sources}</h1><${Pending} answer=${status}>${(value) => html`
    ${value.sources.length === 0 ? html`<${Empty} title=${text.noSources}><p>${text.noSourcesHelp}</p><${Shell} command="scrubjay index ." /><//>`
      : html`<table class="wide"><thead><tr><th>${text.path}</th><th>${text.kind}</th><th>${text.scope}</th><th>${text.read}</th><th><span class="visually-hidden">${text.actions}</span></th></tr></thead><tbody>
      ${value.sources.map((one) => html`<tr key=${one.path}><td><code>${one.path}</code></td><td>${one.kind}${one.format ? ` (${one.format})` : ""}</td><td class="dim">${one.scope}</td><td>${one.missing ? html`<span class="bad">${text.missing}</span>` : html`<${Time} at=${one.synced_at} />`}${one.stale && html` <span class="badge">${text.stale}</span>`}</td>
        <td class="row-actions">${can("index") && one.kind !== "transcripts" && html`<button type="button" class="link" disabled=${busy === one.path} onClick=${() => run(one.path, "index", { path: one.path, force: true })}>${busy === one.path ? text.working : text.reindex}</button>`} ${can("sources.remove") && html`<button type="button" class="link" onClick=${() => remove(one)}>${text.stopReading}</button>`}</td></tr>`)}</tbody></table>`}
    ${running.map((one) => html`<${Progress} key=${one.path} one=${one} />`)}
    <div class="actions">${can("sync") && html`<button type="button" disabled=${busy === "*"} onClick=${readAll}>${busy === "*" ? text.working : text.syncAll}</button>`}</div>
    ${can("sources.add") && html`<form class="inline" onSubmit=${add}><label class="field"><span>${text.addFolder}</span><input name="path" placeholder=${text.folderExample} /></label><label class="field"><span>${text.kind}</span><select name="kind">${["workspace", "notes", "transcripts"].map((kind) => html`<option value=${kind}>${kind}</option>`)}</select></label><button>${text.add}</button></form>`}
    ${outcome && html`<${Outcome} outcome=${outcome} />`}
    <h2>${text.inIndex}</h2>${value.documents.length === 0 ? html`<p class="dim">${text.nothingYet}</p>` : html`<table><thead><tr><th>${text.source}</th><th>${text.documents}</th><th>${text.chunks}</th></tr></thead><tbody>${value.documents.map((one) => html`<tr key=${one.source}><td>${one.source}</td><td class="figure">${number(one.documents)}</td><td class="figure">${number(one.chunks)}</td></tr>`)}</tbody></table>`}
    ${value.waiting_for_vectors > 0 && html`<p class="notice">${text.waitingForVectors(number(value.waiting_for_vectors))}</p>`}
    <h2>${text.occasions}</h2><table><thead><tr><th>${text.occasion}</th><th>${text.last}</th><th>${text.outcome}</th></tr></thead><tbody>${value.triggers.map((one) => html`<tr key=${one.trigger} class=${one.enabled ? "" : "ended"}><td title=${one.about}>${one.trigger}${!one.enabled && html` <span class="dim">${text.off}</span>`}</td><td><${Time} at=${one.last} /></td><td>${one.failure ? html`<span class="bad">${one.failure}</span>` : one.last ? text.synced(one.indexed, one.removed) : ""}</td></tr>`)}</tbody></table>`}<//></div>`;
}

// How far the reading of a place is.
function Progress({ one }) {
  return html`<div class="progress" role="status" data-path=${one.path}><p>${text.reading(one.path)}</p>
    <${Bar} name=${one.step || text.working} value=${one.total ? one.done / one.total : 0} shown=${one.total ? `${number(one.done)} / ${number(one.total)}` : number(one.done)} /></div>`;
}

const projectOf = (place) => place.scope.replace(/^project\//, "").replace(/^global$/, "");

// Whether a place that is read no more can be named again as it was.
function canBeAdded(place) {
  return !place.missing && (place.kind !== "workspace" || !place.format) && can("sources.add");
}

function adding({ path, kind, format, scope, ...place }) {
  const input = { path, kind, ...(kind === "transcripts" ? { format } : { scope }), ...(format === "facts" ? { write: true } : {}) };
  return ["sources.add", input, { project: projectOf({ scope, ...place }) }];
}

function Outcome({ outcome }) {
  const skipped = Object.values(outcome.skipped_by_reason).reduce((sum, count) => sum + count, 0);
  return html`<section><h2>${text.lastOutcome}</h2><p>${text.outcomeLine(outcome)}</p>${outcome.warnings.map((warning) => html`<p class="notice">${warning}</p>`)}
    ${skipped > 0 && html`<h3>${text.skipped(number(skipped))}</h3><table><thead><tr><th>${text.path}</th><th>${text.reasonLabel}</th></tr></thead><tbody>${outcome.skipped.map((one) => html`<tr key=${one.path}><td><code>${one.path}</code></td><td class="dim" title=${one.explanation}>${one.reason}</td></tr>`)}</tbody></table>`}</section>`;
}
