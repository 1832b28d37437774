// People and things: a list, a profile, and what is mentioned together as a graph.
import { html, useState } from "../vendor/htm-preact.js";
import { call, can, change, choices } from "../api.js";
import { Graph } from "../graph.js";
import { Choice, Empty, Entry, MemoryLink, number, Pending, Time, useAnswer } from "../parts.js";
import { go, to, tune } from "../router.js";
import { useShared } from "../store.js";
import { text } from "../strings.js";

export function Page() {
  const params = useShared((shared) => shared.route.params);
  return html`<div class="entities"><h1>${text.pages.entities}</h1><div class="two"><${List} params=${params} />${params.name ? html`<${Profile} key=${params.name} name=${params.name} />` : html`<section><p class="dim">${text.entityHelp}</p></section>`}</div></div>`;
}

function List({ params }) {
  const project = useShared((shared) => shared.project);
  const [older, keep] = useState([]);
  const input = { limit: 100, ...(params.find ? { name: params.find } : {}), ...(params.type ? { type: params.type } : {}) };
  const answer = useAnswer(async (signal) => {
    const page = await call("entities", input, { signal });
    keep([]);
    return page;
  }, [project, params.find, params.type]);
  const next = older.length ? older.at(-1).next : answer.value?.next;
  const more = async () => {
    const page = await call("entities", { ...input, cursor: next });
    if (page) keep([...older, page]);
  };
  return html`<section class="entity-list"><div class="filters"><${Entry} label=${text.find} value=${params.find} onChange=${(value) => tune({ find: value })} /><${Choice} label=${text.type} value=${params.type} options=${choices("entities", "type")} onChange=${(value) => tune({ type: value })} /></div>
    <${Pending} answer=${answer}>${(value) => {
      const entities = [value, ...older].flatMap((page) => page.entities);
      if (!entities.length) return html`<${Empty} title=${text.noEntities}><p>${text.noEntitiesHelp}</p><//>`;
      return html`<table><thead><tr><th>${text.name}</th><th>${text.type}</th><th>${text.mentions}</th></tr></thead><tbody>${entities.map((entity) => html`<tr key=${entity.id} class=${entity.name === params.name ? "selected" : ""}><td><a href=${to("entities", { ...params, name: entity.name })}>${entity.name}</a></td><td class="dim">${entity.type}</td><td class="figure">${number(entity.mention_count)}</td></tr>`)}</tbody></table>
        ${next && html`<button type="button" onClick=${more}>${text.more}</button>`}`;
    }}<//></section>`;
}

function Profile({ name }) {
  const project = useShared((shared) => shared.project);
  const answer = useAnswer((signal) => call("entity", { name, limit: 50 }, { signal }), [project, name]);
  const merge = (event) => {
    event.preventDefault();
    const from = event.target.elements.from.value.trim();
    if (from) change("entity.merge", { into: name, from }, { message: text.merged(from, name), after: answer.again });
    event.target.reset();
  };
  return html`<section class="profile"><${Pending} answer=${answer}>${({ entity, memories, others, more }) => html`
    <h2>${entity.name} <span class="dim">${entity.type}</span></h2>
    ${entity.summary && html`<p>${entity.summary}</p>`}
    ${entity.aliases.length > 0 && html`<p class="dim">${text.alsoCalled(entity.aliases.join(", "))}</p>`}
    ${others.length > 0 && html`<p class="tags">${text.alsoNamed} ${others.map((other) => html`<a class="tag" href=${to("entities", { name: other.id })}>${other.name} (${other.type})</a>`)}</p>`}
    <${Graph} name=${entity.name} open=${(other) => go("entities", { name: other })} />
    ${can("entity.merge") && html`<form class="inline" onSubmit=${merge}><label class="field"><span>${text.mergeInto(entity.name)}</span><input name="from" placeholder=${text.otherName} /></label><button>${text.merge}</button></form>`}
    <h3>${text.mentionedIn(memories.length, more)}</h3>
    <ul class="lines">${memories.map((memory) => html`<li key=${memory.id}><${MemoryLink} id=${memory.id}>${memory.content}<//> <${Time} at=${memory.event_time} /></li>`)}</ul>
    <p><a href=${to("memories", { entity: entity.name })}>${text.allOfThem}</a></p>`}<//></section>`;
}
