// Background work, the models that do it, and what they cost.
import { html, useState } from "../vendor/htm-preact.js";
import { call, can, change } from "../api.js";
import { Chart } from "../chart.js";
import { Bar, Id, money, number, Pending, Time, useAnswer } from "../parts.js";
import { ask, useShared } from "../store.js";
import { text } from "../strings.js";

export function Page() {
  const project = useShared((shared) => shared.project);
  const ask = (operation, input = {}) => (signal) => (can(operation) ? call(operation, input, { signal }) : undefined);
  const jobs = useAnswer(ask("jobs", { limit: 200 }), [project]);
  const models = useAnswer(ask("models"), [project], { live: false });
  const spend = useAnswer(ask("spend", { days: 30 }), [project]);
  const embeds = Boolean(models.value?.models.some((model) => model.role === "embed"));
  const vectors = useAnswer((signal) => (embeds ? ask("reembed", { status: true })(signal) : undefined), [project, embeds]);
  return html`<div class="jobs"><h1>${text.pages.jobs}</h1>
    <h2>${text.queue}</h2>${can("jobs") ? html`<${Pending} answer=${jobs}>${(value) => html`<${Jobs} jobs=${value.jobs} batches=${value.batches ?? []} again=${jobs.again} />`}<//>` : html`<p class="dim">${text.ownersOnly}</p>`}
    ${vectors.value && html`<h2>${text.vectors}</h2><${Bar} name=${vectors.value.model ?? text.none} value=${vectors.value.items ? vectors.value.embedded / vectors.value.items : 1} shown=${`${number(vectors.value.embedded)} / ${number(vectors.value.items)}`} />`}
    ${can("models") && html`<h2>${text.models}</h2><${Pending} answer=${models}>${(value) => html`<${Models} value=${value} />`}<//>`}
    ${can("spend") && html`<h2>${text.spend}</h2><${Pending} answer=${spend}>${(value) => html`<${Spend} spend=${value} />`}<//>`}
  </div>`;
}

function Jobs({ jobs, batches, again }) {
  const run = () => change("jobs.run", { budget_ms: 10_000 }, { message: (done) => text.jobsDone(done.done, done.left), undo: () => null, after: again });
  const retry = (id) => change("jobs.retry", id ? { id } : {}, { message: (done) => text.queued(done.queued), after: again });
  const cancel = async (job) => {
    if (await ask({ title: text.dropTitle(job.kind), help: text.dropHelp, go: text.drop })) change("jobs.cancel", { id: job.id }, { message: text.cancelled, after: again });
  };
  const parked = jobs.some((job) => job.state === "parked");
  return html`<div class="actions">${can("jobs.run") && html`<button type="button" onClick=${run}>${text.runNow}</button>`}${parked && can("jobs.retry") && html`<button type="button" onClick=${() => retry()}>${text.retryAll}</button>`}</div>
    ${jobs.length === 0 ? html`<p class="dim">${text.noJobs}</p>` : html`<table class="wide"><thead><tr><th>${text.job}</th><th>${text.kind}</th><th>${text.state}</th><th>${text.tries}</th><th>${text.due}</th><th>${text.error}</th><th><span class="visually-hidden">${text.actions}</span></th></tr></thead><tbody>
    ${jobs.map((job) => html`<tr key=${job.id}><td><${Id} id=${job.id} /></td><td>${job.kind}</td><td>${job.state === "parked" ? html`<span class="bad">${text.parkedState}</span>` : job.state}</td><td class="figure">${job.tries}</td><td><${Time} at=${job.run_after} /></td><td class="dim">${job.last_error ?? ""}</td>
      <td class="row-actions">${job.state === "parked" && can("jobs.retry") && html`<button type="button" class="link" onClick=${() => retry(job.id)}>${text.retry}</button> `}${job.state !== "running" && can("jobs.cancel") && html`<button type="button" class="link" onClick=${() => cancel(job)}>${text.drop}</button>`}</td></tr>`)}</tbody></table><p class="dim">${text.jobsHelp}</p>`}
    ${batches.length > 0 && html`<h2>${text.batches}</h2><p class="dim">${text.batchesHelp}</p><table class="wide batches"><thead><tr><th>${text.model}</th><th class="figure">${text.texts}</th><th>${text.state}</th><th class="figure">${text.tries}</th><th>${text.began}</th><th>${text.lastHeard}</th></tr></thead><tbody>
    ${batches.map((batch) => html`<tr key=${batch.name}><td><code>${batch.provider}/${batch.model}</code></td><td class="figure">${number(batch.items)}</td><td>${batch.accepted ? text.batchAccepted : text.batchWaiting}</td><td class="figure">${batch.tries}</td><td><${Time} at=${batch.created_at} /></td><td><${Time} at=${batch.updated_at} /></td></tr>`)}</tbody></table>`}`;
}

function Models({ value }) {
  const test = useAnswerOnDemand();
  if (!value.models.length) return html`<p class="dim">${text.noModels}</p>`;
  return html`<table class="wide"><thead><tr><th>${text.role}</th><th>${text.model}</th><th>${text.state}</th><th>${text.latency}</th></tr></thead><tbody>
    ${value.models.map((model) => {
      const result = test.value?.results.find((one) => one.id === model.id);
      return html`<tr key=${model.role}><td>${model.role}</td><td><code>${model.id}</code>${model.url && html` <span class="dim">${model.url}</span>`}</td><td class=${model.state === "ready" ? "good" : "bad"} title=${model.detail ?? ""}>${model.state}</td><td class="figure">${result ? (result.answered ? text.milliseconds(result.latency_ms) : result.error) : ""}</td></tr>`;
    })}</tbody></table>
    ${can("models.test") && html`<div class="actions"><button type="button" disabled=${test.busy} onClick=${test.run}>${test.busy ? text.working : text.testModels}</button></div>`}`;
}

function useAnswerOnDemand() {
  const [state, keep] = useState({});
  const run = async () => {
    keep({ busy: true });
    const value = await change("models.test", {}, { message: (done) => (done.all_answered ? text.allAnswered : text.someSilent), undo: () => null });
    keep({ value });
  };
  return { ...state, run };
}

function Spend({ spend }) {
  const days = [...new Set(spend.entries.map((entry) => entry.day))].sort();
  const roles = [...new Set(spend.entries.map((entry) => entry.role))].sort();
  const of = (day, role) => spend.entries.filter((entry) => entry.day === day && entry.role === role).reduce((sum, entry) => sum + entry.cost_usd, 0);
  return html`${spend.paused && html`<p class="notice">${text.paused}</p>`}
    <${Bar} name=${text.spentToday} value=${spend.daily_cap_usd ? spend.today_usd / spend.daily_cap_usd : 0} shown=${spend.daily_cap_usd == null ? money(spend.today_usd) : `${money(spend.today_usd)} / ${money(spend.daily_cap_usd)}`} />
    <p class="dim">${text.spentInAll(money(spend.total_usd))}${spend.command_calls_today > 0 ? ` ${text.commandCalls(spend.command_calls_today, spend.command_calls_per_day)}` : ""}</p>
    ${days.length > 1 && html`<${Chart} label=${text.spend} x=${days.map((day) => Date.parse(day) / 1000)} series=${roles.map((role) => ({ label: role, values: days.map((day) => of(day, role)) }))} />`}
    ${spend.entries.length > 0 && html`<table class="wide"><thead><tr><th>${text.day}</th><th>${text.role}</th><th>${text.model}</th><th>${text.calls}</th><th>${text.tokens}</th><th>${text.cost}</th></tr></thead><tbody>${spend.entries.map((entry) => html`<tr key=${entry.day + entry.role + entry.model}><td>${entry.day}</td><td>${entry.role}</td><td><code>${entry.model}</code></td><td class="figure">${number(entry.calls)}</td><td class="figure">${number(entry.input_tokens + entry.output_tokens)}</td><td class="figure">${money(entry.cost_usd)}</td></tr>`)}</tbody></table>`}`;
}
