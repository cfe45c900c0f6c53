// Works while no page is open: shows the messages that call somebody to a table, and says what is missing when there is no network.
"use strict";

const STORE = "samovar-1";
const base = self.location.pathname.replace("/service_worker.js", ""); // where the site lies on its host
const KEPT = ["/offline", "/static/samovar.css", "/static/icon.svg"].map((path) => base + path);

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(STORE).then((store) => store.addAll(KEPT)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const forget_others = caches.keys().then((names) => Promise.all(names.filter((name) => name !== STORE).map((name) => caches.delete(name))));
  event.waitUntil(forget_others.then(() => self.clients.claim()));
});

// Pages come from the network or not at all: a table of yesterday would be a lie. What they are made of may come from here.
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return; // moves and streams are none of its business
  if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => caches.match(base + "/offline")));
  else if (KEPT.includes(new URL(request.url).pathname)) event.respondWith(fetch(request).catch(() => caches.match(request)));
});

self.addEventListener("push", (event) => {
  const { title, text, address, topic } = event.data.json();
  const options = { body: text, tag: topic, data: { address }, icon: `${base}/static/icon-192.png`, badge: `${base}/static/icon-192.png`, renotify: true };
  event.waitUntil(self.registration.showNotification(title, options));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(go_to(new URL(base + event.notification.data.address, self.location.origin).href));
});

async function go_to(address) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = pages.find((page) => page.url.split("?")[0] === address);
  return there ? there.focus() : self.clients.openWindow(address);
}
