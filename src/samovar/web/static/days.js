// Days as the reader writes them, where the reader is.
"use strict";

function tell_day(moment) {
  const is_this_year = new Date().getFullYear() === moment.getFullYear();
  const year = is_this_year ? {} : { year: "numeric" };
  return moment.toLocaleDateString(document.documentElement.lang, { ...year, day: "numeric", month: "short" });
}

for (const place of document.querySelectorAll("time[data-day]")) place.textContent = tell_day(new Date(place.dateTime));
