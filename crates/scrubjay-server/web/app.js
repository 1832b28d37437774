// The frame around every page: who is signed in, where one is, and what everything looks like.
import { html, render, useEffect, useErrorBoundary, useRef, useState } from "./vendor/htm-preact.js";
import { call, can, connect, follow } from "./api.js";
import { GO } from "./keyboard.js";
import { MemoryPanel } from "./memory_panel.js";
import { Dialog, Question, Toasts, useAnswer } from "./parts.js";
import { go, look, to } from "./router.js";
import { noteProjects, set, setTheme, state, useShared } from "./store.js";
import { text } from "./strings.js";

// Pages are fetched when they are opened.
const PAGES = ["home", "memories", "search", "review", "receipts", "context", "sessions", "entities", "projects", "sources", "jobs", "settings"];

function Page({ name }) {
  const [loaded, keep] = useState(null);
  useEffect(() => {
    let wanted = true;
    const known = PAGES.includes(name) ? name : "home";
    import(`./pages/${known}.js`).then(
      (module) => wanted && keep({ name, Page: module.Page }),
      () => wanted && keep({ name, failure: { message: text.unreachable } }),
    );
    return () => (wanted = false);
  }, [name]);
  useEffect(() => {
    document.title = `${text.pages[name] ?? text.pages.home} · Scrubjay`;
  }, [name]);
  if (!loaded || loaded.name !== name) return html`<p class="dim" aria-busy="true">${text.loading}</p>`;
  if (loaded.failure) return html`<p class="failure" role="alert">${loaded.failure.message}</p>`;
  return html`<${Guarded} key=${name}><${loaded.Page} /><//>`;
}

// A page that fails leaves the others alone.
function Guarded({ children }) {
  const [failure, again] = useErrorBoundary((error) => console.error(error));
  if (failure) return html`<p class="failure" role="alert">${text.pageFailed(failure.message)} <button type="button" onClick=${again}>${text.again}</button></p>`;
  return children;
}

function Projects({ offers, project }) {
  const known = useShared((shared) => shared.projects);
  const turn = useShared((shared) => shared.projectsTurn);
  const found = useAnswer(async (signal) => {
    if (offers.project) return [offers.project];
    if (can("projects")) return (await call("projects", {}, { signal, project: "" })).projects.map((one) => one.id);
    if (can("sources", "all")) return (await call("sources", { all: true }, { signal, project: "" })).sources.map((one) => one.scope.replace(/^project\//, "")).filter((scope) => scope !== "global");
    return [];
  }, [offers, turn], { live: false });
  useEffect(() => noteProjects([project, ...(found.value ?? [])]), [project, found.value]);
  const choose = (event) => {
    let chosen = event.target.value;
    if (chosen === " other") chosen = prompt(text.whichProject) ?? project;
    go(state.route.page, { ...state.route.params, m: "", p: chosen.trim() });
  };
  if (offers.project) return html`<span class="project">${offers.project}</span>`;
  // The owner is told of all projects; others know those that they came across.
  const names = [...new Set([project, ...(can("projects") ? (found.value ?? []) : known)])].filter(Boolean).sort();
  return html`<label class="project"><span class="visually-hidden">${text.project}</span>
    <select value=${project} onChange=${choose}>
      <option value="" selected=${!project}>${text.globalOnly}</option>
      ${names.map((name) => html`<option key=${name} value=${name} selected=${name === project}>${name}</option>`)}
      <option value=" other">${text.otherProject}</option>
    </select></label>`;
}

function Navigation({ page }) {
  const waiting = useAnswer(async (signal) => (can("review") ? (await call("review", { limit: 50 }, { signal })) : null), [useShared((shared) => shared.project)]);
  const count = waiting.value ? waiting.value.items.length + waiting.value.confirmations.length : 0;
  const keys = Object.fromEntries(Object.entries(GO).map(([key, name]) => [name, key]));
  const isOffered = (name) => name !== "projects" || can("projects");
  const box = useRef(null);
  // On a phone the pages are a line that is longer than the screen.
  useEffect(() => box.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [page]);
  return html`<nav aria-label=${text.navigation} ref=${box}>${PAGES.filter(isOffered).map((name) => html`
    <a key=${name} href=${to(name)} aria-current=${name === page ? "page" : null} title=${text.goKeys(keys[name])}>
      ${text.pages[name]}${name === "review" && count > 0 && html`<span class="count">${count >= 50 ? "50+" : count}</span>`}
    </a>`)}</nav>`;
}

function Theme() {
  const theme = useShared((shared) => shared.theme);
  const next = { auto: "light", light: "dark", dark: "auto" };
  return html`<button type="button" class="quiet" title=${text.theme(theme)} aria-label=${text.theme(theme)} onClick=${() => setTheme(next[theme])}>${{ auto: "◐", light: "○", dark: "●" }[theme]}</button>`;
}

function Help() {
  const close = () => set({ help: false });
  return html`<${Dialog} title=${text.keys} close=${close}>
    <dl class="keys">${text.keyHelp.map(([keys, what]) => html`<dt>${keys.split(" ").map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${what}</dd>`)}
    ${Object.entries(GO).map(([key, name]) => html`<dt><kbd>g</kbd> <kbd>${key}</kbd></dt><dd>${text.pages[name]}</dd>`)}</dl>
    <button type="button" onClick=${close}>${text.close}</button>
  <//>`;
}

function App() {
  const offers = useShared((shared) => shared.offers);
  const signedOut = useShared((shared) => shared.signedOut);
  const route = useShared((shared) => shared.route);
  const project = useShared((shared) => shared.project);
  const live = useShared((shared) => shared.live);
  const help = useShared((shared) => shared.help);
  const question = useShared((shared) => shared.question);
  const [silent, tellSilent] = useState(false);
  // It may only be busy for a moment.
  useEffect(() => {
    const timer = setTimeout(() => tellSilent(!live), live ? 0 : 3000);
    return () => clearTimeout(timer);
  }, [live]);
  const main = useRef(null);
  useEffect(() => {
    if (!offers || signedOut) return undefined;
    return follow(project, (live) => live !== state.live && set({ live }));
  }, [offers, project, signedOut]);
  useEffect(() => main.current?.focus({ preventScroll: true }), [route.page]);
  if (signedOut) {
    return html`<main class="signed-out"><h1>${text.signedOut}</h1><p>${text.signedOutHelp}</p><p><a class="button" href="/">${text.signIn}</a></p></main>`;
  }
  if (!offers) return html`<p class="dim start" aria-busy="true">${text.loading}</p>`;
  return html`
    <a class="skip" href="#main" onClick=${(event) => (event.preventDefault(), main.current.focus())}>${text.skip}</a>
    <header>
      <a class="brand" href=${to("home")}>Scrubjay</a>
      <${Projects} offers=${offers} project=${project} />
      <span class="tools">
        ${offers.read_only && html`<span class="badge">${text.readOnly}</span>`}
        <span class=${live ? "live on" : "live"} role="img" title=${live ? text.isLive : text.isNotLive} aria-label=${live ? text.isLive : text.isNotLive}></span>
        <${Theme} />
        <button type="button" class="quiet" title=${text.keys} aria-label=${text.keys} onClick=${() => set({ help: true })}>?</button>
        <form method="post" action="/logout"><button class="quiet">${text.signOut}</button></form>
      </span>
    </header>
    ${silent && html`<p class="silent" role="status">${text.unreachable}</p>`}
    <div class=${route.params.m ? "body with-panel" : "body"}>
      <${Navigation} page=${route.page} />
      <main id="main" ref=${main} tabindex="-1"><${Page} name=${route.page} /></main>
      ${route.params.m && html`<${MemoryPanel} key=${route.params.m} id=${route.params.m} />`}
    </div>
    ${help && html`<${Help} />`}
    ${question && html`<${Question} ...${question} />`}
    <${Toasts} />`;
}

document.documentElement.dataset.theme = state.theme;
await connect();
look();
render(html`<${App} />`, document.getElementById("app"));
