// Keeps the page on which games are played for visits without a network, and nothing else of the documentation.
// docs/play.py writes two constants above this: VERSION, a hash of all files of the page, and FILES, their addresses.
//
// The files of a version lie in a folder of its name and never change, so they are taken from here first. The page
// itself comes from the network where there is one: a new version is seen at once, and its worker takes over when no
// page of the old one is open.

const PAGE = "index.html";
const OURS = `samovar-play ${registration.scope} `;
const CACHE = OURS + VERSION;

async function keep() {
  const page = await fetch(PAGE, { cache: "reload" });
  if (!page.ok) throw new Error(`${PAGE}: ${page.status}`);
  // What the theme of the documentation adds to the page: styles, scripts, the icon.
  const html = await page.clone().text();
  const theme = [...html.matchAll(/"(\.\.\/(?:assets\/[^"]+|[\w-]+\.)(?:css|js|svg))"/g)].map(([, path]) => path);
  const cache = await caches.open(CACHE);
  await cache.put(PAGE, page);
  await cache.addAll([...new Set([...FILES, ...theme])]);
}

async function removeOld() {
  const old = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function answer(request) {
  const kept = () => caches.match(request.mode === "navigate" ? PAGE : request, { cacheName: CACHE });
  if (request.url.startsWith(`${registration.scope}${VERSION}/`)) return (await kept()) ?? fetch(request);
  try {
    return await fetch(request);
  } catch (error) {
    const found = await kept();
    if (found) return found;
    throw error;
  }
}

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(removeOld()));
addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(location.origin)) event.respondWith(answer(event.request));
});
