// Projects: which there are, and what can be done with a whole one. It offers what the daemon offers.
import { html, useState } from "../vendor/htm-preact.js";
import { call, can, change } from "../api.js";
import { Dialog, Empty, number, Pending, Time, useAnswer } from "../parts.js";
import { to } from "../router.js";
import { text } from "../strings.js";

// What the fields of these operations are called, in the order in which they are looked for.
const ID = ["project", "id", "from", "name"];
const OTHER = ["into", "to", "new_name", "title"];

export function Page() {
  const answer = useAnswer((signal) => (can("projects") ? call("projects", {}, { signal, project: "" }) : { projects: [] }), []);
  const [doomed, doom] = useState(null);
  return html`<div class="projects"><h1>${text.pages.projects}</h1>
    ${!can("projects") ? html`<p class="dim">${text.ownersOnly}</p>` : html`<${Pending} answer=${answer}>${({ projects }) => (projects.length === 0 ? html`<${Empty} title=${text.noProjects}><p>${text.noProjectsHelp}</p><//>` : html`<table class="wide"><thead><tr><th>${text.project}</th><th>${text.folder}</th><th>${text.memories}</th><th>${text.lastSaid}</th><th><span class="visually-hidden">${text.actions}</span></th></tr></thead><tbody>
      ${projects.map((one) => html`<${Row} key=${idOf(one)} one=${one} again=${answer.again} doom=${doom} />`)}</tbody></table>`)}<//>`}
    ${doomed && html`<${Purge} id=${doomed} close=${() => doom(null)} again=${answer.again} />`}</div>`;
}

const idOf = (one) => one.id ?? one.project ?? one.name;
const field = (operation, names) => names.find((name) => can(operation, name));

function Row({ one, again, doom }) {
  const id = idOf(one);
  const ask = (operation, question) => () => {
    const other = prompt(question)?.trim();
    if (other) run(operation, { [field(operation, OTHER)]: other });
  };
  const run = (operation, more = {}) => change(operation, { [field(operation, ID)]: id, ...more }, { message: text.projectDone(operation), after: again });
  const paused = one.paused || one.state === "paused";
  return html`<tr><td><a href=${to("home", { p: id })}>${one.title ?? one.name ?? id}</a> ${paused && html`<span class="badge">${text.pausedState}</span>`}</td><td class="dim"><code>${[one.folders ?? one.folder ?? one.path ?? one.root ?? []].flat().join(", ")}</code></td><td class="figure">${number(one.memories ?? one.count)}</td><td><${Time} at=${one.last_seen ?? one.latest ?? one.last_used} /></td>
    <td class="row-actions">
      ${can("projects.rename") && html`<button type="button" class="link" onClick=${ask("projects.rename", text.newName)}>${text.rename}</button> `}
      ${can("projects.merge") && html`<button type="button" class="link" onClick=${ask("projects.merge", text.mergeWith)}>${text.merge}</button> `}
      ${can("projects.pause") && !paused && html`<button type="button" class="link" onClick=${() => run("projects.pause")}>${text.pause}</button> `}
      ${can("projects.resume") && paused && html`<button type="button" class="link" onClick=${() => run("projects.resume")}>${text.resume}</button> `}
      ${can("projects.purge") && html`<button type="button" class="link bad" onClick=${() => doom(id)}>${text.purge}</button>`}
    </td></tr>`;
}

// What cannot be undone wants the name to be typed.
function Purge({ id, close, again }) {
  const [typed, type] = useState("");
  const purge = async (event) => {
    event.preventDefault();
    if (typed !== id) return;
    const confirm = can("projects.purge", "yes") ? { yes: true } : can("projects.purge", "confirm") ? { confirm: id } : {};
    await change("projects.purge", { [field("projects.purge", ID)]: id, ...confirm }, { message: text.purged(id), undo: () => null, after: again });
    close();
  };
  return html`<${Dialog} title=${text.purgeTitle(id)} close=${close}><form onSubmit=${purge}><p>${text.purgeHelp}</p><label class="field"><span>${text.typeName(id)}</span><input value=${typed} onInput=${(event) => type(event.target.value)} /></label><div class="actions"><button class="danger" disabled=${typed !== id}>${text.purge}</button><button type="button" onClick=${close}>${text.cancel}</button></div></form><//>`;
}
