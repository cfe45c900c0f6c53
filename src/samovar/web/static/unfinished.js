// While something is being made its page asks how far it has come.
"use strict";

function wait_for_more() {
  if (document.querySelector("[data-unfinished]")) setTimeout(look_again, 800);
}
async function look_again() {
  if ((await ask(location.href, {}, true)) || is_lost) wait_for_more(); // what is refused is not asked for again
}
wait_for_more();
