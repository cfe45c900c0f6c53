// Clocks count down in the browser, by the time of the site: their page is drawn only when somebody acts.
"use strict";

const SECOND_MS = 1000, MINUTE_MS = 60 * SECOND_MS, HOUR_MS = 60 * MINUTE_MS, DAY_MS = 24 * HOUR_MS;
const LOW_MS = 30 * SECOND_MS;

// How much later it is at the site than here, by when its answer began to arrive.
function site_is_ahead() {
  const sent = Number(document.querySelector("[data-now]")?.dataset.now);
  const [visit] = performance.getEntriesByType("navigation");
  return sent ? sent - (performance.timeOrigin + (visit?.responseStart || 0)) : 0;
}

function tell_clock(left) {
  const seconds = Math.ceil(left / SECOND_MS);
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

function tell_span(left) {
  const [unit, count] = left >= 1.5 * DAY_MS ? ["day", Math.round(left / DAY_MS)] : left >= 1.5 * HOUR_MS ? ["hour", Math.round(left / HOUR_MS)] : ["minute", Math.ceil(left / MINUTE_MS)];
  return new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit, unitDisplay: "long" }).format(count);
}

function show_clocks() {
  for (const place of document.querySelectorAll("[data-until]")) {
    const left = Math.max(0, Number(place.dataset.until) - Date.now() - ahead);
    const words = place.dataset.left ? place.dataset.left.replace("{time}", tell_span(left)) : tell_clock(left);
    if (place.textContent !== words) place.textContent = words;
    place.classList.toggle("is-low", !place.dataset.left && left < LOW_MS);
  }
}

const ahead = site_is_ahead();
document.addEventListener("samovar:shown", show_clocks);
setInterval(show_clocks, SECOND_MS / 4);
show_clocks();
