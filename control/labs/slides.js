// SPDX-License-Identifier: BSD-3-Clause
// Shows one slide at a time. Without this script the slides stand one below the other, as on paper.
"use strict";
const slides = [...document.querySelectorAll("section")];
const notes = document.getElementById("notes");
const root = document.documentElement;
let at = 0;
let began = null;     // when the second slide was first shown
let other = opener;   // a second window, for the room or with the notes: each follows the other

function fit() {
  const height = innerHeight - (notes.hidden ? 0 : notes.offsetHeight);
  const scale = Math.min(innerWidth / 1280, height / 720);
  for (const slide of slides)
    slide.style.transform = `translate(${(innerWidth - 1280 * scale) / 2}px, ${(height - 720 * scale) / 2}px) scale(${scale})`;
}

function show(index, following = false) {
  at = Math.max(0, Math.min(slides.length - 1, index));
  slides.forEach((slide, i) => {
    slide.classList.toggle("now", i === at);
    slide.ariaHidden = String(i !== at);
  });
  document.body.classList.toggle("moved", at > 0);
  document.getElementById("said").innerHTML = slides[at].querySelector(".notes").innerHTML;
  history.replaceState(null, "", `#${at + 1}`);
  slides[at].focus({ preventScroll: true });
  if (!following)
    other?.postMessage(at, "*");
  if (at > 0 && began === null)
    began = Date.now();
  tick();
}

// The minute that it is, and the one at which the next slide is due.
function tick() {
  const passed = began === null ? 0 : (Date.now() - began) / 60000 + Number(slides[1]?.dataset.minute ?? 0);
  const due = slides[at + 1]?.dataset.minute ?? document.querySelector("main").dataset.minutes;
  const next = slides[at + 1]?.querySelector("h2").textContent ?? "the end";
  document.getElementById("clock").textContent =
    `minute ${Math.floor(passed)}\n${slides[at + 1] ? `next at minute ${due}:` : `minute ${due}:`}\n${next}`;
}

const keys = {
  ArrowRight: () => show(at + 1), ArrowDown: () => show(at + 1), PageDown: () => show(at + 1), " ": () => show(at + 1),
  Enter: () => show(at + 1), ArrowLeft: () => show(at - 1), ArrowUp: () => show(at - 1), PageUp: () => show(at - 1),
  Backspace: () => show(at - 1), Home: () => show(0), End: () => show(slides.length - 1),
  n: () => { notes.hidden = !notes.hidden; fit(); },
  d: () => { root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"; },
  w: () => { other = open(location.href); },
  f: () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen()),
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key))
    return;
  event.preventDefault();
  keys[event.key]();
});
addEventListener("message", (event) => {
  if (event.source !== null && event.source === other && Number.isInteger(event.data))
    show(event.data, true);
});
addEventListener("resize", fit);
addEventListener("hashchange", () => show(Number(location.hash.slice(1)) - 1 || 0));

root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
document.body.classList.add("live");
fit();
show(Number(location.hash.slice(1)) - 1 || 0);
setInterval(tick, 5000);
