// Asks the browser to take messages of this site, and tells the site where; says which of the browsers that are called is this one.
"use strict";

const call_form = document.getElementById("call-browser");
const can_be_called = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window && isSecureContext;

function tell_push(what) {
  for (const line of call_form.querySelectorAll("[data-push]")) line.hidden = line.dataset.push !== what;
  call_form.querySelector("button").hidden = what === "missing" || what === "known";
}

function encoded(bytes) {
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// A subscription for another key is of no use: the site's key has changed since.
async function subscribed(registration) {
  const options = { userVisibleOnly: true, applicationServerKey: call_form.dataset.key };
  try {
    return await registration.pushManager.subscribe(options);
  } catch (error) {
    const old = await registration.pushManager.getSubscription();
    if (!old) throw error;
    await old.unsubscribe();
    return registration.pushManager.subscribe(options);
  }
}

async function call_me_here(event) {
  event.preventDefault();
  if ((await Notification.requestPermission()) !== "granted") return tell_push("refused");
  try {
    const subscription = await subscribed(await navigator.serviceWorker.ready);
    call_form.elements.endpoint.value = subscription.endpoint;
    for (const key of ["p256dh", "auth"]) call_form.elements[key].value = encoded(subscription.getKey(key));
    call_form.submit();
  } catch {
    tell_push("failed");
  }
}

async function find_this_browser() {
  const registration = await navigator.serviceWorker.getRegistration("/");
  const subscription = await registration?.pushManager.getSubscription();
  const own = subscription && [...document.querySelectorAll("[data-endpoint]")].find((way) => way.dataset.endpoint === subscription.endpoint);
  if (!own) return;
  own.querySelector("[data-this-browser]").hidden = false;
  own.querySelector('form[action$="/remove"]').addEventListener("submit", () => void subscription.unsubscribe());
  tell_push("known");
}

if (can_be_called) {
  tell_push("");
  call_form.addEventListener("submit", call_me_here);
  find_this_browser().catch(() => {});
}
