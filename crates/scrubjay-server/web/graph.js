// What is mentioned together, as a graph on a canvas. It begins at one name and grows where one clicks.
import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { call, look, report } from "./api.js";
import { script } from "./chart.js";
import { useShared } from "./store.js";
import { text } from "./strings.js";

const MOST = 500;
const PER_MEMORY = 12;

let loading = null;
function d3() {
  const one = (name) => script(`/web/vendor/d3-${name}.min.js`);
  loading ??= Promise.all(["quadtree", "dispatch", "timer"].map(one)).then(() => one("force")).then(() => globalThis.d3);
  return loading;
}

// The names that stand in the same memories as this one, with how often they do.
async function neighbours(name) {
  const profile = await call("entity", { name, limit: 40 });
  const shown = await Promise.all((profile?.memories ?? []).slice(0, 40).map((memory) => look("show", { id: memory.id }).catch(() => null)));
  const count = new Map();
  for (const memory of shown.filter(Boolean)) {
    for (const entity of memory.entities.slice(0, PER_MEMORY)) {
      if (entity.id === profile.entity.id) continue;
      const before = count.get(entity.id);
      count.set(entity.id, { entity, weight: (before?.weight ?? 0) + 1 });
    }
  }
  return { entity: profile.entity, near: [...count.values()].sort((a, b) => b.weight - a.weight) };
}

export function Graph({ name, open }) {
  const canvas = useRef(null);
  const theme = useShared((shared) => shared.theme);
  const [size, tell] = useState({ nodes: 0, full: false });
  useEffect(() => {
    let gone = false;
    let simulation = null;
    const nodes = new Map();
    const edges = new Map();
    const element = canvas.current;
    const context = element.getContext("2d");
    const width = element.clientWidth;
    const height = element.clientHeight;
    const scale = globalThis.devicePixelRatio || 1;
    element.width = width * scale;
    element.height = height * scale;
    let hovered = null;
    const colour = (variable) => getComputedStyle(document.documentElement).getPropertyValue(variable).trim();

    const draw = () => {
      context.setTransform(scale, 0, 0, scale, 0, 0);
      context.clearRect(0, 0, width, height);
      context.strokeStyle = colour("--strong-line");
      for (const edge of edges.values()) {
        context.lineWidth = Math.min(4, 0.5 + edge.weight / 2);
        context.beginPath();
        context.moveTo(edge.source.x, edge.source.y);
        context.lineTo(edge.target.x, edge.target.y);
        context.stroke();
      }
      context.font = "11px system-ui";
      context.textAlign = "center";
      for (const node of nodes.values()) {
        context.fillStyle = node.expanded ? colour("--accent") : colour("--second");
        context.beginPath();
        context.arc(node.x, node.y, node.radius, 0, 7);
        context.fill();
        if (nodes.size < 60 || node.expanded || node === hovered) {
          context.fillStyle = colour("--text");
          context.fillText(node.name.slice(0, 28), node.x, node.y - node.radius - 3);
        }
      }
    };
    const grow = async (wanted) => {
      try {
        const { entity, near } = await neighbours(wanted);
        if (gone) return;
        const node = (one, at) => {
          if (!nodes.has(one.id) && nodes.size < MOST) nodes.set(one.id, { id: one.id, name: one.name, radius: 4 + Math.min(9, Math.sqrt(one.mention_count)), x: (at?.x ?? width / 2) + Math.cos(nodes.size) * 30, y: (at?.y ?? height / 2) + Math.sin(nodes.size) * 30 });
          return nodes.get(one.id);
        };
        const middle = node(entity);
        if (!middle) return;
        middle.expanded = true;
        for (const { entity: other, weight } of near) {
          const target = node(other, middle);
          if (!target) break;
          const key = [middle.id, target.id].sort().join();
          if (!edges.has(key)) edges.set(key, { source: middle, target, weight });
        }
        tell({ nodes: nodes.size, full: nodes.size >= MOST });
        const { forceSimulation, forceLink, forceManyBody, forceX, forceY, forceCollide } = await d3();
        if (gone) return;
        simulation?.stop();
        const inside = () => {
          for (const one of nodes.values()) {
            one.x = Math.max(20, Math.min(width - 20, one.x));
            one.y = Math.max(20, Math.min(height - 12, one.y));
          }
        };
        simulation = forceSimulation([...nodes.values()])
          .force("link", forceLink([...edges.values()]).distance(70).strength(0.4))
          .force("charge", forceManyBody().strength(-140))
          .force("x", forceX(width / 2).strength(0.06)).force("y", forceY(height / 2).strength(0.09))
          .force("collide", forceCollide((one) => one.radius + 6));
        // Whoever wants less motion gets the finished picture.
        if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
          simulation.stop().tick(200);
          inside();
          draw();
        } else simulation.on("tick", () => (inside(), draw()));
      } catch (failure) {
        report(failure);
      }
    };
    const find = (event) => {
      const { left, top } = element.getBoundingClientRect();
      const [x, y] = [event.clientX - left, event.clientY - top];
      return [...nodes.values()].find((node) => Math.hypot(node.x - x, node.y - y) < node.radius + 5) ?? null;
    };
    const over = (event) => {
      hovered = find(event);
      element.style.cursor = hovered ? "pointer" : "default";
      draw();
    };
    const click = (event) => {
      const node = find(event);
      if (node && node.expanded) open(node.name);
      else if (node) grow(node.id);
    };
    element.addEventListener("pointermove", over);
    element.addEventListener("click", click);
    grow(name);
    return () => {
      gone = true;
      simulation?.stop();
      element.removeEventListener("pointermove", over);
      element.removeEventListener("click", click);
    };
  }, [name, theme]);
  return html`<figure class="graph"><canvas ref=${canvas} role="img" aria-label=${text.graphLabel(name)}></canvas><figcaption class="dim">${text.graphHelp(size.nodes)}${size.full ? ` ${text.graphFull(MOST)}` : ""}</figcaption></figure>`;
}
