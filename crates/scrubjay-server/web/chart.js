// Lines over time.
import { html, useEffect, useRef } from "./vendor/htm-preact.js";
import { useShared } from "./store.js";
import { text } from "./strings.js";

let loading = null;
function uPlot() {
  loading ??= Promise.all([script("/web/vendor/uPlot.iife.min.js"), style("/web/vendor/uPlot.min.css")]).then(() => globalThis.uPlot);
  return loading;
}

/** Loads a script that is no module, once. */
export function script(address) {
  return new Promise((done, failed) => {
    const element = document.createElement("script");
    element.src = address;
    element.onload = done;
    element.onerror = () => failed(new Error(address));
    document.head.append(element);
  });
}

function style(address) {
  return new Promise((done, failed) => {
    const element = document.createElement("link");
    element.rel = "stylesheet";
    element.href = address;
    element.onload = done;
    element.onerror = () => failed(new Error(address));
    document.head.append(element);
  });
}

export function Chart({ label, x, series }) {
  const box = useRef(null);
  const theme = useShared((shared) => shared.theme);
  const key = JSON.stringify([x, series]);
  useEffect(() => {
    let plot = null;
    let gone = false;
    let watcher = null;
    uPlot().then((Plot) => {
      if (gone || !box.current) return;
      const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      const colours = ["--accent", "--second", "--third", "--fourth"].map(colour);
      const axis = { stroke: colour("--dim"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, font: "11px system-ui" };
      const options = {
        width: box.current.clientWidth, height: 170, padding: [8, 8, 0, 0],
        legend: { live: true }, cursor: { points: { size: 5 } },
        scales: { y: { range: (_, low, high) => [0, Math.max(1, high * 1.05)] } },
        axes: [{ ...axis, values: (_, days) => days.map((at) => new Date(at * 1000).toLocaleDateString("en", { day: "numeric", month: "short", timeZone: "UTC" })) }, { ...axis, size: 44 }],
        series: [{ label: text.day, value: (_, at) => (at == null ? "" : new Date(at * 1000).toISOString().slice(0, 10)) }, ...series.map((one, index) => ({ label: one.label, value: (_, count) => (count == null ? "" : count.toLocaleString("en")), stroke: colours[index % 4], width: 1.5, points: { show: x.length < 40, size: 4 } }))],
      };
      plot = new Plot(options, [x, ...series.map((one) => one.values)], box.current);
      watcher = new ResizeObserver(() => box.current && plot.setSize({ width: box.current.clientWidth, height: 170 }));
      watcher.observe(box.current);
    });
    return () => {
      gone = true;
      watcher?.disconnect();
      plot?.destroy();
    };
  }, [key, theme]);
  return html`<div class="chart" role="img" aria-label=${label} ref=${box}></div>`;
}
