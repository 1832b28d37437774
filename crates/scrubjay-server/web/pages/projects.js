// Projects: which there are, and what can be done with a whole one. It offers what the daemon offers.
import { html, useState } from "../vendor/htm-preact.js";
import { call, can, change } from "../api.js";
import { Dialog, Empty, number, Pending, Time, useAnswer } from "../parts.js";
import { go, to } from "../router.js";
import { set, state } from "../store.js";
import { text } from "../strings.js";

export function Page() {
  const answer = useAnswer((signal) => (can("projects") ? call("projects", {}, { signal, project: "" }) : { projects: [] }), []);
  const [asked, ask] = useState(null);
  // The list above the page names projects, too.
  const again = () => (answer.again(), set({ projectsTurn: state.projectsTurn + 1 }));
  return html`<div class="projects"><h1>${text.pages.projects}</h1>
    ${!can("projects") ? html`<p class="dim">${text.ownersOnly}</p>` : html`<${Pending} answer=${answer}>${({ projects }) => (projects.length === 0 ? html`<${Empty} title=${text.noProjects}><p>${text.noProjectsHelp}</p><//>`
      : html`<table class="wide"><thead><tr><th>${text.project}</th><th>${text.folder}</th><th class="figure">${text.facts}</th><th class="figure">${text.turns}</th><th>${text.lastUsed}</th><th><span class="visually-hidden">${text.actions}</span></th></tr></thead><tbody>
      ${projects.map((one) => html`<${Row} key=${one.id} one=${one} others=${projects.map(({ id }) => id).filter((id) => id !== one.id)} again=${again} ask=${ask} />`)}</tbody></table>`)}<//>`}
    ${asked && html`<${Question} ...${asked} close=${() => ask(null)} again=${again} />`}</div>`;
}

function Row({ one, others, again, ask }) {
  const { id } = one;
  const run = (operation, opposite) => change(operation, { id }, { message: text.projectDone[operation], back: () => [[opposite, { id }]], after: again });
  const offer = (operation, name, act, kind = "link") => can(operation) && html`<button type="button" class=${kind} onClick=${act}>${name}</button> `;
  // Whoever looks at a project that has another name now goes on looking at it.
  const follow = (name) => state.project === id && go("projects", { p: name });
  const comeBack = (name) => state.project === name && go("projects", { p: id });
  return html`<tr><td><a href=${to("home", { p: id })}>${id}</a> ${one.paused && html`<span class="badge">${text.pausedState}</span>`}</td>
    <td class="dim">${(one.folders ?? []).map((folder) => html`<div><code>${folder.path}</code>${folder.missing && html` <span class="bad">${text.missing}</span>`}</div>`)}</td>
    <td class="figure">${number(one.facts)}</td><td class="figure">${number(one.episodes)}</td><td><${Time} at=${one.last_used} /></td>
    <td class="row-actions">
      ${offer("projects.rename", text.rename, () => ask({ operation: "projects.rename", title: text.renameTitle(id), label: text.newName, inputOf: (name) => ({ id, name }), done: follow, undone: comeBack }))}
      ${others.length > 0 && offer("projects.merge", text.merge, () => ask({ operation: "projects.merge", title: text.mergeTitle(id), help: text.mergeHelp, label: text.mergeWith, options: others, inputOf: (into) => ({ from: id, into, yes: true }), done: follow, undone: comeBack }))}
      ${offer("projects.adopt", text.adopt, () => ask({ operation: "projects.adopt", title: text.adoptTitle(id), help: text.adoptHelp, label: text.whichFolder, inputOf: (folder) => ({ id, folder }) }))}
      ${one.paused ? offer("projects.resume", text.resume, () => run("projects.resume", "projects.pause")) : offer("projects.pause", text.pause, () => run("projects.pause", "projects.resume"))}
      ${offer("projects.purge", text.purge, () => ask({ operation: "projects.purge", title: text.purgeTitle(id), help: text.purgeHelp, label: text.typeName(id), must: id, inputOf: () => ({ id, yes: true }), done: () => state.project === id && go("projects", { p: "" }) }), "link bad")}
    </td></tr>`;
}

// One thing to say before a project is changed; what cannot be undone wants its own name, and tells how much it is.
function Question({ operation, title, help, label, must, options, inputOf, close, again, done, undone }) {
  const [typed, type] = useState("");
  const amount = useAnswer((signal) => (must ? call(operation, { ...inputOf(), yes: false, dry_run: true }, { signal }) : {}), [], { live: false });
  const ready = must ? typed === must : typed.trim() !== "";
  const submit = async (event) => {
    event.preventDefault();
    if (!ready) return;
    const wanted = typed.trim();
    // After an undo there is no answer.
    const after = (answer) => (again(), answer || undone?.(wanted));
    if (!(await change(operation, inputOf(wanted), { message: text.projectDone[operation], undoIn: ({ to }) => to, after }))) return;
    close();
    done?.(wanted);
  };
  return html`<${Dialog} title=${title} close=${close}><form onSubmit=${submit}>${help && html`<p>${help}</p>`}
    ${must && amount.value && html`<p><b>${text.purgeAmount(amount.value)}</b></p>`}
    <label class="field"><span>${label}</span>${options
      ? html`<select autofocus value=${typed} onChange=${(event) => type(event.target.value)}><option value=""></option>${options.map((option) => html`<option value=${option}>${option}</option>`)}</select>`
      : html`<input autofocus autocomplete="off" spellcheck=${false} value=${typed} onInput=${(event) => type(event.target.value)} />`}</label>
    <div class="actions"><button class=${must ? "danger" : "primary"} disabled=${!ready}>${text.goOn}</button><button type="button" onClick=${close}>${text.cancel}</button></div></form><//>`;
}
