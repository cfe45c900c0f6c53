// Moments in the time of the reader: the server does not know where they are.
"use strict";

function tell_time(moment) {
  const is_today = new Date().toDateString() === moment.toDateString();
  const day = is_today ? {} : { day: "numeric", month: "short" };
  return moment.toLocaleString(document.documentElement.lang, { ...day, hour: "2-digit", minute: "2-digit" });
}

function show_times() {
  for (const place of document.querySelectorAll("time[data-since]")) {
    place.textContent = place.dataset.since.replace("{time}", tell_time(new Date(place.dateTime)));
    place.hidden = false;
  }
}

document.addEventListener("samovar:shown", show_times);
show_times();
