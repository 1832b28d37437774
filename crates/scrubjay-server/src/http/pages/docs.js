// The API, to read and to try. All text is set as text, never as markup.
"use strict";

function element(name, text, parent) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

// A schema that is named is looked up under its name.
let schemas = {};
function resolved(schema) {
  return schema.$ref ? schemas[schema.$ref.split("/").pop()] || {} : schema;
}

function fields(schema, parent) {
  const table = element("table", "", parent);
  const required = schema.required || [];
  for (const [name, field] of Object.entries(schema.properties || {})) {
    const row = element("tr", "", table);
    element("code", name + (required.includes(name) ? " *" : ""), element("td", "", row));
    const type = resolved(field).type;
    const kind = Array.isArray(type) ? type.join(" or ") : type || "any";
    element("td", kind, row).className = "risk";
    element("td", field.description || "", row);
  }
}

async function send(method, path, body, result) {
  result.textContent = "…";
  const headers = { Accept: "application/json" };
  const project = document.getElementById("project").value.trim();
  if (project) headers["Scrubjay-Project"] = project;
  if (method === "POST") headers["Content-Type"] = "application/json";
  try {
    const answer = await fetch(path, { method, headers, body: method === "POST" ? body : undefined });
    const text = await answer.text();
    let shown = text;
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // It is not JSON, so it is shown as it is.
    }
    result.textContent = answer.status + "\n" + shown;
  } catch (error) {
    result.textContent = String(error);
  }
}

function operation(path, method, about, parent) {
  const details = element("details", "", parent);
  const summary = element("summary", "", details);
  element("code", method.toUpperCase() + " " + path, summary);
  element("span", " " + (about.summary || ""), summary);
  if (about.description) element("p", about.description, details);
  const content = about.requestBody && about.requestBody.content["application/json"];
  const body = element("textarea", "", null);
  if (content) {
    fields(resolved(content.schema), details);
    body.value = JSON.stringify(content.example || {}, null, 2);
    details.append(body);
  }
  if (path === "/v1/events") return;
  const button = element("button", "Try it", details);
  const result = element("pre", "", details);
  button.addEventListener("click", () => send(method.toUpperCase(), path, body.value, result));
}

async function main() {
  const place = document.getElementById("operations");
  const answer = await fetch("/openapi.json");
  if (!answer.ok) {
    place.textContent = "The description could not be loaded: " + answer.status;
    return;
  }
  const description = await answer.json();
  schemas = description.components.schemas;
  place.textContent = "";
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, about] of Object.entries(methods)) operation(path, method, about, place);
  }
}

main();
