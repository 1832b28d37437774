// What one sees first: what was learned, what changed, what waits, how much there is.
import { html } from "../vendor/htm-preact.js";
import { call, can } from "../api.js";
import { Chart } from "../chart.js";
import { Empty, MemoryLink, money, number, Pending, Shell, Time, useAnswer } from "../parts.js";
import { to } from "../router.js";
import { useShared } from "../store.js";
import { text } from "../strings.js";

export function Page() {
  const project = useShared((shared) => shared.project);
  const owner = useShared((shared) => shared.offers.owner);
  const ask = (operation, input = {}) => (signal) => (can(operation) ? call(operation, input, { signal }) : undefined);
  const stats = useAnswer(ask("stats"), [project]);
  const digest = useAnswer(ask("digest", { since: "7d" }), [project]);
  const today = useAnswer(ask("list", { since: midnight(), limit: 8, kind: "fact", order_by: "created_at" }), [project]);
  const entities = useAnswer(ask("entities", { limit: 12 }), [project]);
  const growth = useAnswer(ask("growth", { days: 90 }), [project]);
  const spend = useAnswer(ask("spend", { days: 30 }), [project]);
  const review = useAnswer(ask("review", { limit: 50 }), [project]);
  if (stats.value && !stats.value.memories && !stats.value.ended) return html`<${First} project=${project} />`;
  return html`<div class="home">
    <h1>${project || text.globalOnly}</h1>
    <${Pending} answer=${stats}>${(value) => html`<${Numbers} stats=${value} review=${review.value} spend=${spend.value} />`}<//>
    ${growth.value && html`<section class="wide"><h2>${text.growth}</h2><${Growth} series=${growth.value} /></section>`}
    <section><h2>${text.learnedToday}</h2><${Pending} answer=${today}>${(value) => (value.memories.length
      ? html`<ul class="lines">${value.memories.map((memory) => html`<li key=${memory.id}><${MemoryLink} id=${memory.id}>${memory.content}<//> <${Time} at=${memory.created_at} /></li>`)}</ul>`
      : html`<p class="dim">${text.nothingYet}</p>`)}<//></section>
    ${digest.value && html`<${Digest} digest=${digest.value} />`}
    <section><h2>${text.topEntities}</h2><${Pending} answer=${entities}>${(value) => html`<p class="tags">${value.entities.map((entity) => html`<a key=${entity.id} class="tag" href=${to("entities", { name: entity.name })}>${entity.name} <span class="dim">${entity.mention_count}</span></a>`)}</p>`}<//></section>
    ${owner && html`<${Health} />`}
  </div>`;
}

function midnight() {
  return new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
}

function Numbers({ stats, review, spend }) {
  const waiting = (review?.items.length ?? 0) + (review?.confirmations.length ?? 0);
  const tile = (name, value, href, note) => html`<a class="tile" href=${href}><b>${value}</b><span>${name}</span>${note && html`<span class="dim">${note}</span>`}</a>`;
  return html`<div class="tiles">
    ${tile(text.facts, number((stats.by_kind.fact ?? 0) + (stats.by_kind.reflection ?? 0)), to("memories", { kind: "fact" }))}
    ${tile(text.turns, number(stats.by_kind.episode), to("memories", { kind: "episode" }), text.inSessions(stats.sessions))}
    ${tile(text.pages.entities, number(stats.entities), to("entities"))}
    ${tile(text.waiting, number(waiting), to("review"))}
    ${tile(text.documents, number(Object.values(stats.documents).reduce((sum, count) => sum + count, 0)), to("sources"))}
    ${spend && tile(text.spentToday, money(spend.today_usd), to("jobs"), spend.daily_cap_usd == null ? text.noCap : text.ofCap(money(spend.daily_cap_usd)))}
  </div>`;
}

function Growth({ series }) {
  // The time before anything happened says nothing.
  const first = series.days.findIndex((day) => day.facts + day.episodes + day.injected > 0);
  const days = series.days.slice(Math.min(Math.max(0, first - 1), Math.max(0, series.days.length - 14)));
  return html`<${Chart} label=${text.growthLabel} x=${days.map((day) => Date.parse(day.day) / 1000)} series=${[
    { label: text.facts, values: days.map((day) => day.facts) },
    { label: text.turns, values: days.map((day) => day.episodes) },
    { label: text.handed, values: days.map((day) => day.injected) },
  ]} />`;
}

function Digest({ digest }) {
  const parts = [["decisions", digest.decisions], ["plans", digest.plans], ["failures", digest.failures], ["done", digest.done], ["topics", digest.topics]].filter(([, part]) => part.lines.length);
  return html`<section><h2>${text.lastWeek}</h2>
    <p class="dim">${text.weekNumbers(digest.facts, digest.conversations, digest.messages)}</p>
    ${digest.changed.length > 0 && html`<h3>${text.changedHeading}</h3><ul class="lines">${digest.changed.map((pair) => html`<li key=${pair.new.id}><del><${MemoryLink} id=${pair.old.id}>${pair.old.text}<//></del><br /><${MemoryLink} id=${pair.new.id}>${pair.new.text}<//> <span class="dim">${pair.new.date}</span></li>`)}</ul>`}
    ${parts.map(([name, part]) => html`<h3>${text.digest[name]}</h3><ul class="lines">${part.lines.slice(0, 5).map((line) => html`<li key=${line.id}><${MemoryLink} id=${line.id}>${line.text}<//> <span class="dim">${line.date}</span></li>`)}${part.more > 0 && html`<li class="dim">${text.andMore(part.more)}</li>`}</ul>`)}
  </section>`;
}

function Health() {
  const answer = useAnswer(async (signal) => {
    const status = await fetch("/v1/status", { signal });
    return status.ok ? status.json() : undefined;
  }, []);
  const jobs = useAnswer((signal) => call("jobs", { state: "parked", limit: 5 }, { signal }), []);
  if (!answer.value) return "";
  const { version, uptime_s: uptime, troubles } = answer.value;
  return html`<section><h2>${text.health}</h2>
    ${troubles.map((one) => html`<p class="failure">${one.agent}: ${one.error}</p>`)}
    ${jobs.value?.jobs.length > 0 && html`<p class="notice"><a href=${to("jobs")}>${text.parked(jobs.value.jobs.length)}</a></p>`}
    <p class="dim">${troubles.length ? "" : text.well} ${text.version(version, Math.round(uptime / 60))}</p></section>`;
}

function First({ project }) {
  return html`<${Empty} title=${text.firstTitle}>
    <p>${project ? text.firstInProject(project) : text.firstGlobal}</p>
    <ol class="steps">
      <li><b>${text.firstConnect}</b><${Shell} command="scrubjay install --all" /></li>
      <li><b>${text.firstImport}</b><${Shell} command="scrubjay import transcripts claude-code" /></li>
      <li><b>${text.firstTell}</b><${Shell} command='scrubjay remember "We use pnpm, never npm"' /></li>
    </ol>
    <p class="dim">${text.firstLive}</p>
  <//>`;
}
