// What was handed to agents, turn by turn, and whether the replies used it.
import { html, useState } from "../vendor/htm-preact.js";
import { call, can, change } from "../api.js";
import { Empty, Entry, Id, MemoryLink, number, Pending, percent, Time, useAnswer } from "../parts.js";
import { to, tune } from "../router.js";
import { useShared } from "../store.js";
import { text } from "../strings.js";

export function Page() {
  const project = useShared((shared) => shared.project);
  const params = useShared((shared) => shared.route.params);
  const [pages, more] = useState([]);
  const first = useAnswer(async (signal) => {
    const page = await call("receipts", { limit: 50, ...(params.s ? { session: params.s } : {}) }, { signal });
    more([]);
    return page;
  }, [project, params.s]);
  const next = pages.length ? pages.at(-1).next : first.value?.next;
  const fetchMore = async () => {
    const page = await call("receipts", { limit: 50, cursor: next, ...(params.s ? { session: params.s } : {}) });
    if (page) more([...pages, page]);
  };
  return html`<div class="receipts"><h1>${text.pages.receipts}</h1><p class="lede">${text.receiptsLede}</p>
    <div class="filters"><${Entry} label=${text.session} value=${params.s} onChange=${(value) => tune({ s: value })} /></div>
    <${Pending} answer=${first}>${(value) => {
      const receipts = [value, ...pages].flatMap((page) => page.receipts);
      if (!receipts.length) return html`<${Empty} title=${text.noReceipts}><p>${text.noReceiptsHelp}</p><//>`;
      return html`${groups(receipts).map(([session, list]) => html`<section key=${session}><h2>${session ? html`<a href=${to("sessions", { s: session })}>${session}</a>` : text.noSession} <span class="dim">${text.receipts(list.length)}</span></h2>
        ${list.map((receipt) => html`<${Receipt} key=${receipt.id} receipt=${receipt} again=${first.again} />`)}</section>`)}
        ${next && html`<button type="button" onClick=${fetchMore}>${text.older}</button>`}`;
    }}<//>
  </div>`;
}

function groups(receipts) {
  const by = new Map();
  for (const receipt of receipts) by.set(receipt.session_id ?? "", [...(by.get(receipt.session_id ?? "") ?? []), receipt]);
  return [...by];
}

function Receipt({ receipt, again }) {
  const feedback = (id, show) => change("feedback", { id, show }, { message: text.feedback[show], undo: () => id, after: again });
  return html`<article class="card receipt" data-id=${receipt.id}>
    <p class="row-meta"><${Time} at=${receipt.time} /><span>${receipt.profile}</span><span class="dim">${text.tokensOf(number(receipt.tokens), number(receipt.budget))}</span>${!receipt.judged && html`<span class="dim">${text.notJudged}</span>`}<${Id} id=${receipt.id} /></p>
    <table><thead class="visually-hidden"><tr><th>${text.memory}</th><th>${text.relevance}</th><th>${text.tokens}</th><th>${text.used}</th><th>${text.actions}</th></tr></thead><tbody>
    ${receipt.items.map((item) => html`<tr key=${item.id} class=${item.state && item.state !== "active" ? "ended" : ""}>
      <td><${MemoryLink} id=${item.id}>${item.snippet ?? text.gone}<//></td><td class="figure">${percent(item.relevance)}</td><td class="figure dim">${number(item.tokens)}</td>
      <td>${item.used == null ? html`<span class="dim">–</span>` : item.used ? html`<span class="good" title=${text.overlap(item.overlap)}>${text.usedYes}</span>` : html`<span class="dim">${text.usedNo}</span>`}</td>
      <td class="row-actions">${can("feedback") && item.id.startsWith("chunk") === false && html`<button type="button" class="link" onClick=${() => feedback(item.id, "never")}>${text.neverShow}</button> <button type="button" class="link" onClick=${() => feedback(item.id, "always")}>${text.alwaysShow}</button>`}</td></tr>`)}
    </tbody></table></article>`;
}
