// Conversations: which there were, what was said, and the facts drawn from each turn beside it.
import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { call, can, change } from "../api.js";
import { Empty, Id, MemoryLink, number, Pending, Time, useAnswer } from "../parts.js";
import { to } from "../router.js";
import { useShared } from "../store.js";
import { text } from "../strings.js";

export function Page() {
  const params = useShared((shared) => shared.route.params);
  return params.s ? html`<${Conversation} key=${params.s} session=${params.s} at=${params.at} />` : html`<${Sessions} />`;
}

function Sessions() {
  const project = useShared((shared) => shared.project);
  const [older, keep] = useState([]);
  const answer = useAnswer(async (signal) => {
    const page = await call("sessions", { limit: 100 }, { signal });
    keep([]);
    return page;
  }, [project]);
  const next = older.length ? older.at(-1).next : answer.value?.next;
  const more = async () => {
    const page = await call("sessions", { limit: 100, cursor: next });
    if (page) keep([...older, page]);
  };
  return html`<div><h1>${text.pages.sessions}</h1><${Pending} answer=${answer}>${(value) => {
    const sessions = [value, ...older].flatMap((page) => page.sessions);
    if (!sessions.length) return html`<${Empty} title=${text.noSessions}><p>${text.noSessionsHelp}</p><//>`;
    return html`<table class="wide"><thead><tr><th>${text.session}</th><th class="figure">${text.messages}</th><th>${text.began}</th><th>${text.lastSaid}</th><th>${text.state}</th></tr></thead><tbody>
      ${sessions.map((one) => html`<tr key=${one.session_id}><td><a href=${to("sessions", { s: one.session_id })}>${one.session_id}</a></td><td class="figure">${number(one.messages)}</td><td><${Time} at=${one.first_seen} /></td><td><${Time} at=${one.last_seen} /></td>
        <td class="dim">${one.paused && html`<span class="badge">${text.pausedState}</span> `}${one.ended_at ? text.endedAt : text.open}${one.completed_at ? `, ${text.gonethrough}` : ""}</td></tr>`)}</tbody></table>
      ${next && html`<button type="button" onClick=${more}>${text.older}</button>`}`;
  }}<//></div>`;
}

function Conversation({ session, at }) {
  const project = useShared((shared) => shared.project);
  const answer = useAnswer(async (signal) => {
    const [turns, facts] = await Promise.all([
      call("list", { session, kind: "episode", order_by: "-event_time", all: true, limit: 500 }, { signal }),
      call("list", { session, kind: "fact", all: true, limit: 500 }, { signal }),
    ]);
    return turns && facts && { turns: turns.memories, more: turns.next, facts: facts.memories };
  }, [project, session]);
  useEffect(() => {
    if (at && answer.value) document.getElementById(at)?.scrollIntoView({ block: "center" });
  }, [at, Boolean(answer.value)]);
  const about = useAnswer(async (signal) => (await call("sessions", { session }, { signal }))?.sessions[0] ?? {}, [project, session]);
  const { ended_at: ended, paused } = about.value ?? {};
  const input = { session_id: session };
  const reopening = ["session.end", { ...input, reopen: true }];
  const end = () => change("session.end", input, { message: text.sessionEnded, back: () => [reopening], after: about.again });
  const reopen = () => change("session.end", { ...input, reopen: true }, { message: text.sessionOpen, back: () => [["session.end", input]], after: about.again });
  const pause = () => change("pause", { session }, { message: text.sessionPaused, back: () => [["resume", { session }]], after: about.again });
  const resume = () => change("resume", { session }, { message: text.projectDone["projects.resume"], back: () => [["pause", { session }]], after: about.again });
  const forgetAll = () => change("forget", { session, yes: true }, { message: (done) => text.forgot(done.ids.length) });
  return html`<div class="conversation"><p><a href=${to("sessions")}>← ${text.pages.sessions}</a></p><h1>${session} ${ended && html`<span class="badge">${text.endedAt}</span>`} ${paused && html`<span class="badge">${text.pausedState}</span>`}</h1>
    <div class="actions">${can("session.end") && (ended ? html`<button type="button" onClick=${reopen}>${text.reopenSession}</button>` : html`<button type="button" onClick=${end}>${text.endSession}</button>`)}
      ${paused ? can("resume") && html`<button type="button" onClick=${resume}>${text.resume}</button>` : can("pause") && html`<button type="button" onClick=${pause}>${text.pause}</button>`}${can("forget") && html`<button type="button" onClick=${forgetAll}>${text.forgetSession}</button>`}<a class="button" href=${to("receipts", { s: session })}>${text.pages.receipts}</a></div>
    <${Pending} answer=${answer}>${({ turns, facts, more }) => {
      const of = new Map();
      for (const fact of facts) for (const source of fact.source_ids) of.set(source, [...(of.get(source) ?? []), fact]);
      const loose = facts.filter((fact) => !fact.source_ids.some((source) => turns.some((turn) => turn.id === source)));
      return html`<div class="transcript">${turns.map((turn) => html`<div key=${turn.id} id=${turn.id} class=${["turn", turn.id === at && "current", turn.ended_by && "ended"].filter(Boolean).join(" ")}>
        <div class="said"><p class="row-meta"><b>${turn.role}</b><${Time} at=${turn.event_time} /><${Id} id=${turn.id} /></p><p class="words"><${MemoryLink} id=${turn.id}>${turn.content}<//></p></div>
        <div class="drawn">${(of.get(turn.id) ?? []).map((fact) => html`<p key=${fact.id} class=${fact.ended_by ? "fact ended" : "fact"}><span class="kind kind-fact">${fact.type}</span> <${MemoryLink} id=${fact.id}>${fact.content}<//></p>`)}</div>
      </div>`)}</div>
      ${more && html`<p class="dim">${text.onlyFirst(turns.length)}</p>`}
      ${loose.length > 0 && html`<h2>${text.otherFacts}</h2><ul class="lines">${loose.map((fact) => html`<li key=${fact.id}><${MemoryLink} id=${fact.id}>${fact.content}<//></li>`)}</ul>`}`;
    }}<//></div>`;
}
