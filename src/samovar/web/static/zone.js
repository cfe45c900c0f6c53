// Where somebody is, as their browser knows it.
"use strict";

const own_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const field of document.querySelectorAll("input[data-zone]")) field.value = own_zone || "";
for (const choice of document.querySelectorAll("select[data-zone]")) {
  if (choice.value === "UTC" && [...choice.options].some((option) => option.value === own_zone)) choice.value = own_zone;
}
