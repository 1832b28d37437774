// Where one is: `#/page?filter=value&p=project`. Everything that a page shows can be kept as a bookmark.
import { set, state } from "./store.js";

/** The address of a page. The project stays the same unless another is named. */
export function to(page, params = {}) {
  const all = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== "" && value !== false) all.set(name, String(value));
  }
  if (!("p" in params) && state.project) all.set("p", state.project);
  const query = all.toString();
  return `#/${page === "home" ? "" : page}${query ? `?${query}` : ""}`;
}

/** Goes to a page. */
export function go(page, params = {}) {
  location.hash = to(page, params);
}

/** Changes some parameters of this page, without a new entry in the browser's history. */
export function tune(changes) {
  const { page, params } = state.route;
  history.replaceState(null, "", to(page, { ...params, ...changes }));
  look();
}

/** Reads the address. */
export function look() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const params = Object.fromEntries(new URLSearchParams(query || ""));
  const project = state.offers?.project ?? params.p ?? "";
  delete params.p;
  const page = path || "home";
  set({ route: { page, params }, project });
}

addEventListener("hashchange", look);
