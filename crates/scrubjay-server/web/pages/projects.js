// Projects: which there are, and what can be done with a whole one. It offers what the daemon offers.
import { html, useState } from "../vendor/htm-preact.js";
import { call, can, change } from "../api.js";
import { Dialog, Empty, number, Pending, Time, useAnswer } from "../parts.js";
import { to } from "../router.js";
import { text } from "../strings.js";

export function Page() {
  const answer = useAnswer((signal) => (can("projects") ? call("projects", {}, { signal, project: "" }) : { projects: [] }), []);
  const [asked, ask] = useState(null);
  return html`<div class="projects"><h1>${text.pages.projects}</h1>
    ${!can("projects") ? html`<p class="dim">${text.ownersOnly}</p>` : html`<${Pending} answer=${answer}>${({ projects }) => (projects.length === 0 ? html`<${Empty} title=${text.noProjects}><p>${text.noProjectsHelp}</p><//>`
      : html`<table class="wide"><thead><tr><th>${text.project}</th><th>${text.folder}</th><th class="figure">${text.facts}</th><th class="figure">${text.turns}</th><th>${text.lastUsed}</th><th><span class="visually-hidden">${text.actions}</span></th></tr></thead><tbody>
      ${projects.map((one) => html`<${Row} key=${one.id} one=${one} again=${answer.again} ask=${ask} />`)}</tbody></table>`)}<//>`}
    ${asked && html`<${Question} ...${asked} close=${() => ask(null)} again=${answer.again} />`}</div>`;
}

function Row({ one, again, ask }) {
  const { id } = one;
  const run = (operation, input) => change(operation, input, { message: text.projectDone[operation], after: again });
  const offer = (operation, name, act, kind = "link") => can(operation) && html`<button type="button" class=${kind} onClick=${act}>${name}</button> `;
  return html`<tr><td><a href=${to("home", { p: id })}>${id}</a> ${one.paused && html`<span class="badge">${text.pausedState}</span>`}</td>
    <td class="dim">${(one.folders ?? []).map((folder) => html`<div><code>${folder.path}</code>${folder.missing && html` <span class="bad">${text.missing}</span>`}</div>`)}</td>
    <td class="figure">${number(one.facts)}</td><td class="figure">${number(one.episodes)}</td><td><${Time} at=${one.last_used} /></td>
    <td class="row-actions">
      ${offer("projects.rename", text.rename, () => ask({ operation: "projects.rename", title: text.renameTitle(id), label: text.newName, inputOf: (name) => ({ id, name }) }))}
      ${offer("projects.merge", text.merge, () => ask({ operation: "projects.merge", title: text.mergeTitle(id), label: text.mergeWith, inputOf: (into) => ({ from: id, into, yes: true }) }))}
      ${offer("projects.adopt", text.adopt, () => ask({ operation: "projects.adopt", title: text.adoptTitle(id), label: text.whichFolder, inputOf: (folder) => ({ id, folder }) }))}
      ${one.paused ? offer("projects.resume", text.resume, () => run("projects.resume", { id })) : offer("projects.pause", text.pause, () => run("projects.pause", { id }))}
      ${offer("projects.purge", text.purge, () => ask({ operation: "projects.purge", title: text.purgeTitle(id), help: text.purgeHelp, label: text.typeName(id), must: id, inputOf: () => ({ id, yes: true }) }), "link bad")}
    </td></tr>`;
}

// One thing to type before a project is changed; what cannot be undone wants its own name.
function Question({ operation, title, help, label, must, inputOf, close, again }) {
  const [typed, type] = useState("");
  const ready = must ? typed === must : typed.trim() !== "";
  const done = async (event) => {
    event.preventDefault();
    if (!ready) return;
    if (await change(operation, inputOf(typed.trim()), { message: text.projectDone[operation], after: again })) close();
  };
  return html`<${Dialog} title=${title} close=${close}><form onSubmit=${done}>${help && html`<p>${help}</p>`}
    <label class="field"><span>${label}</span><input autofocus value=${typed} onInput=${(event) => type(event.target.value)} /></label>
    <div class="actions"><button class=${must ? "danger" : "primary"} disabled=${!ready}>${text.goOn}</button><button type="button" onClick=${close}>${text.cancel}</button></div></form><//>`;
}
