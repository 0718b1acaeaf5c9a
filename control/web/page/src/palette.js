// SPDX-License-Identifier: BSD-3-Clause
// Colours that the picture uses; the rest is in page.css. Load is a ramp of one hue, from faint to strong; pauses are
// vermillion and dashed, marks yellow, drops reddish purple crosses: hues of Okabe and Ito. Readers who cannot tell red
// from green see pauses and marks in one hue, so these differ in lightness; drops are less blue than the ramp.

const THEMES = {
  dark: {
    ground: "#10151c", box: "#1c2530", edge: "#3a4757", ink: "#e6ebf1", dim: "#8b98a8", faint: "#232d39",
    load: ["#2b3746", "#2c5f8f", "#3f8fd0", "#79bdf0", "#d9eeff"],
    pause: "#f7793a", drop: "#db82b3", queue: "#d4dbe3", mark: "#eeca4d", down: "#667383", focus: "#ffffff",
    queues: ["#8b98a8", "#56b4e9", "#e69f00", "#2fc49a", "#f0e442", "#5b8def", "#e58ac0", "#d0d7df"],
    tenants: ["#56b4e9", "#e69f00", "#2fc49a", "#f0e442", "#5b8def", "#b39ddb", "#a8b545", "#c9a27c"],
  },
  light: {
    ground: "#fbfcfd", box: "#eef1f5", edge: "#b4bfcb", ink: "#17202b", dim: "#5d6b7a", faint: "#e6eaef",
    load: ["#d7dee6", "#9dc3e3", "#4f97cf", "#1f67a8", "#08315c"],
    pause: "#ac3301", drop: "#b9437d", queue: "#33404e", mark: "#a78104", down: "#98a4b1", focus: "#000000",
    queues: ["#5d6b7a", "#0072b2", "#b87a00", "#00805c", "#8a8000", "#3253b8", "#a8397c", "#17202b"],
    tenants: ["#2f8fd0", "#d98f00", "#009e73", "#b3a600", "#0b4f9c", "#7a5ac2", "#6d7a12", "#9a6b3c"],
  },
};
const STEPS = 64;

const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

function ramp(stops) {
  const out = [];
  for (let i = 0; i < STEPS; i++) {
    const at = i / (STEPS - 1) * (stops.length - 1);
    const low = Math.min(stops.length - 2, Math.floor(at));
    const a = channels(stops[low]), b = channels(stops[low + 1]);
    out.push(`rgb(${a.map((v, k) => Math.round(v + (b[k] - v) * (at - low))).join(",")})`);
  }
  return out;
}

export function make_palette(theme) {
  const colours = THEMES[theme];
  const steps = ramp(colours.load);
  return {
    ...colours, theme,
    load_colour: (load) => steps[Math.max(0, Math.min(STEPS - 1, Math.round(load * (STEPS - 1))))],
    tenant_colour: (tenant) => tenant === null ? colours.edge : colours.tenants[tenant % colours.tenants.length],
  };
}
