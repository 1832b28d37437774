// What came about by itself, to be kept, put right or dropped. Everything by key.
import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { call, can, change } from "../api.js";
import { useKeys } from "../keyboard.js";
import { Difference, Empty, Id, Kind, MemoryLink, Pending, percent, useAnswer } from "../parts.js";
import { to } from "../router.js";
import { ask, useShared } from "../store.js";
import { text } from "../strings.js";

export function Page() {
  const project = useShared((shared) => shared.project);
  const owner = useShared((shared) => shared.offers.owner);
  const answer = useAnswer((signal) => call("review", { limit: 100 }, { signal }), [project]);
  const [at, move] = useState(0);
  const [gone, drop] = useState(new Set());
  const [editing, edit] = useState(false);
  useEffect(() => drop(new Set()), [answer.value]);
  const items = (answer.value?.items ?? []).filter((item) => !gone.has(item.id));
  const current = items[Math.min(at, items.length - 1)];
  // The card goes at once and comes back if it was refused.
  const settle = async (operation, input, message) => {
    if (!current || !can(operation)) return;
    const { id } = current;
    drop(new Set([...gone, id]));
    edit(false);
    const done = await change(operation, input, { message, after: answer.again });
    if (!done) drop((before) => new Set([...before].filter((one) => one !== id)));
  };
  const keep = () => settle("review.keep", { ids: [current.id] }, text.kept);
  const reject = () => settle("review.reject", { ids: [current.id] }, text.rejected);
  const step = (by) => (edit(false), move(Math.max(0, Math.min(items.length - 1, at + by))));
  useKeys({ y: keep, n: reject, e: () => current && can("review.edit") && edit(true), j: () => step(1), k: () => step(-1) });
  return html`<div class="review"><h1>${text.pages.review}</h1>
    <${Pending} answer=${answer}>${(value) => html`
      ${value.confirmations.length > 0 && html`<${Confirmations} list=${value.confirmations} owner=${owner} again=${answer.again} />`}
      ${items.length === 0 && value.confirmations.length === 0 && html`<${Empty} title=${text.nothingToReview}><p>${text.nothingToReviewHelp}</p><//>`}
      ${items.length > 0 && html`<p class="dim">${text.reviewHelp(items.length)} <kbd>y</kbd> ${text.keep} · <kbd>n</kbd> ${text.reject} · <kbd>e</kbd> ${text.edit} · <kbd>j</kbd> <kbd>k</kbd> · <kbd>u</kbd> ${text.undo}</p>`}
      ${items.map((item, index) => html`<${Card} key=${item.id} item=${item} current=${item === current} choose=${() => move(index)} keep=${keep} reject=${reject} editing=${item === current && editing} edit=${edit}
        save=${(content) => settle("review.edit", { id: item.id, content }, text.edited)} />`)}`}<//>
  </div>`;
}

function Card({ item, current, choose, keep, reject, editing, edit, save }) {
  const [draft, type] = useState(item.content);
  const acts = can("review.keep");
  const older = [...item.supersedes.map((one) => [text.replaces, one]), ...item.contradicts.map((one) => [text.contradicts, one])];
  return html`<article class=${current ? "card current" : "card"} onClick=${choose} data-id=${item.id}
      ref=${(box) => box && current && box.scrollIntoView({ block: "nearest" })}>
    <p class="row-meta"><span class="badge">${text.reason[item.reason] ?? item.reason}</span><${Kind} kind="fact" type=${item.type} /><span class="dim">${percent(item.confidence)}</span>${item.extractor && html`<span class="dim">${item.extractor}</span>`}<${Id} id=${item.id} /></p>
    ${editing ? html`<textarea rows="3" aria-label=${text.textOfMemory} value=${draft} ref=${(box) => box && !box.dataset.seen && (box.focus(), (box.dataset.seen = "1"))} onInput=${(event) => type(event.target.value)}
        onKeyDown=${(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && save(draft.trim())}></textarea>`
      : older.length ? html`<div class="sides">${older.map(([name, one]) => html`<div key=${one.id}><h3>${name}</h3><${MemoryLink} id=${one.id}>${one.content}<//></div>`)}<div><h3>${text.newer}</h3><${Difference} before=${older[0][1].content} after=${item.content} /></div></div>`
        : html`<p class="words"><${MemoryLink} id=${item.id}>${item.content}<//></p>`}
    ${item.turns.map((turn) => html`<blockquote key=${turn.id}><${MemoryLink} id=${turn.id}>${turn.text}<//><footer>${turn.role}</footer></blockquote>`)}
    ${current && acts && html`<div class="actions">
      ${editing ? html`<button type="button" class="primary" onClick=${() => save(draft.trim())}>${text.save}</button><button type="button" onClick=${() => edit(false)}>${text.cancel}</button>`
        : html`<button type="button" class="primary" onClick=${keep}>${text.keep}</button><button type="button" onClick=${reject}>${text.reject}</button><button type="button" onClick=${() => edit(true)}>${text.edit}</button>
          <a class="button" href=${to("memories", { m: item.id })}>${text.details}</a>`}</div>`}
  </article>`;
}

function Confirmations({ list, owner, again }) {
  // What yes did has a run or a memory to undo. No erases what was asked.
  const say = async (id, answer) => {
    if (answer === "no" && !(await ask({ title: text.refuseTitle, help: text.refuseHelp, go: text.no }))) return;
    change("confirmations.answer", { id, answer }, { message: answer === "yes" ? text.allowed : text.refused, undo: ({ result }) => result?.run ?? result?.id ?? [], after: again });
  };
  return html`<section><h2>${text.confirmations}</h2>${list.map((one) => html`<article class="card" key=${one.id}><p class="words">${one.question}</p>
    ${owner && can("confirmations.answer") ? html`<div class="actions"><button type="button" class="primary" onClick=${() => say(one.id, "yes")}>${text.yes}</button><button type="button" onClick=${() => say(one.id, "no")}>${text.no}</button></div>` : html`<p class="dim">${text.ownerAnswers}</p>`}</article>`)}</section>`;
}
