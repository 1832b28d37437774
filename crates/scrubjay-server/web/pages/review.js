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
  const waits = (list) => (list ?? []).filter((one) => !gone.has(one.id));
  const [questions, items] = [waits(answer.value?.confirmations), waits(answer.value?.items)];
  // Questions come first; one key goes through both.
  const cards = [...questions, ...items];
  const current = cards[Math.min(at, cards.length - 1)];
  const isQuestion = questions.includes(current);
  // The card goes at once and comes back if it was refused.
  const settle = async ({ id }, operation, input, how) => {
    if (!can(operation)) return;
    drop((before) => new Set([...before, id]));
    edit(false);
    const done = await change(operation, input, { after: answer.again, ...how });
    if (!done) drop((before) => new Set([...before].filter((one) => one !== id)));
  };
  // What yes did has a run or a memory to undo. No erases what was asked.
  const say = async (one, said) => {
    if (!owner) return;
    if (said === "no" && !(await ask({ title: text.refuseTitle, help: text.refuseHelp, go: text.no }))) return;
    settle(one, "confirmations.answer", { id: one.id, answer: said }, { message: said === "yes" ? text.allowed : text.refused, undo: ({ result }) => result?.run ?? result?.id ?? [] });
  };
  const keep = () => (isQuestion ? say(current, "yes") : settle(current, "review.keep", { ids: [current.id] }, { message: text.kept }));
  const reject = () => (isQuestion ? say(current, "no") : settle(current, "review.reject", { ids: [current.id] }, { message: text.rejected }));
  const step = (by) => (edit(false), move(Math.max(0, Math.min(cards.length - 1, Math.min(at, cards.length - 1) + by))));
  useKeys({ y: () => current && keep(), n: () => current && reject(), e: () => current && !isQuestion && can("review.edit") && edit(true), j: () => step(1), k: () => step(-1) });
  return html`<div class="review"><h1>${text.pages.review}</h1>
    <${Pending} answer=${answer}>${() => html`
      ${cards.length === 0 && html`<${Empty} title=${text.nothingToReview}><p>${text.nothingToReviewHelp}</p><//>`}
      ${cards.length > 0 && html`<p class="dim keys-line"><kbd>y</kbd> ${isQuestion ? text.yes : text.keep} · <kbd>n</kbd> ${isQuestion ? text.no : text.reject}${!isQuestion && html` · <kbd>e</kbd> ${text.edit}`} · <kbd>j</kbd> <kbd>k</kbd> ${text.nextPrevious} · <kbd>u</kbd> ${text.undo}</p>`}
      ${questions.length > 0 && html`<section><h2>${text.confirmations}</h2>${questions.map((one, index) => html`<${Waiting} key=${one.id} one=${one} current=${one === current} owner=${owner} choose=${() => move(index)} yes=${() => say(one, "yes")} no=${() => say(one, "no")} />`)}</section>`}
      ${items.length > 0 && html`<section><h2>${text.reviewHelp(items.length)}</h2>${items.map((item, index) => html`<${Card} key=${item.id} item=${item} current=${item === current} choose=${() => move(questions.length + index)} keep=${keep} reject=${reject} editing=${item === current && editing} edit=${edit}
        save=${(content) => settle(item, "review.edit", { id: item.id, content }, { message: text.edited })} />`)}</section>`}`}<//>
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
    ${item.turns.map((turn) => html`<${Quote} key=${turn.id} turn=${turn} />`)}
    ${current && acts && html`<div class="actions">
      ${editing ? html`<button type="button" class="primary" onClick=${() => save(draft.trim())}>${text.save}</button><button type="button" onClick=${() => edit(false)}>${text.cancel}</button>`
        : html`<button type="button" class="primary" onClick=${keep}>${text.keep}</button><button type="button" onClick=${reject}>${text.reject}</button><button type="button" onClick=${() => edit(true)}>${text.edit}</button>
          <a class="button" href=${to("memories", { m: item.id })}>${text.details}</a>`}</div>`}
  </article>`;
}

// A question that waits for yes or no; whether two names are one with what speaks for it.
function Waiting({ one, current, owner, choose, yes, no }) {
  const { merge } = one;
  return html`<article class=${current ? "card current" : "card"} onClick=${choose} data-id=${one.id} ref=${(box) => box && current && box.scrollIntoView({ block: "nearest" })}>
    <p class="words">${merge ? text.mergeQuestion(merge.from.name, merge.into.name) : one.question}</p>
    ${merge && html`<div class="sides merge">${[merge.from, merge.into].map((side) => html`<${Named} key=${side.id} side=${side} />`)}</div>
      ${merge.together.length > 0 && html`<h3>${text.mentionedTogether}</h3>${merge.together.map((turn) => html`<${Quote} key=${turn.id} turn=${turn} />`)}`}
      <p class="dim">${text.namesakeHelp(merge.from.name, merge.into.name)}</p>`}
    ${owner && can("confirmations.answer") ? html`<div class="actions"><button type="button" class="primary" onClick=${yes}>${text.yes}</button><button type="button" onClick=${no}>${text.no}</button></div>` : html`<p class="dim">${text.ownerAnswers}</p>`}</article>`;
}

function Named({ side }) {
  return html`<div class="named"><h3><a href=${to("entities", { name: side.id })}>${side.name}</a></h3>
    <p class="row-meta"><span class="dim">${side.type}</span><span>${text.mentionCount(side.mention_count)}</span></p>
    ${side.aliases.length > 0 && html`<p class="dim">${text.alsoCalled(side.aliases.join(", "))}</p>`}
    ${side.memories.map((turn) => html`<${Quote} key=${turn.id} turn=${turn} />`)}</div>`;
}

function Quote({ turn }) {
  return html`<blockquote><${MemoryLink} id=${turn.id}>${turn.text}<//>${turn.role && html`<footer>${turn.role}</footer>`}</blockquote>`;
}
