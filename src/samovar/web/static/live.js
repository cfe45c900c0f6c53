// Shared by all tabs of a browser: one stream for all the tables they show. Browsers allow six connections to a site, tabs can be more.
"use strict";

const MOST_TABLES = 20; // that the server lets one stream watch; the tabs opened last go first
const base = location.pathname.replace("/static/live.js", ""); // where the site lies on its host
const tabs = new Map(); // port -> {table, seen}
let source = null;
let streamed = "";
let language = ""; // of the tab that came last: a browser reads one

function wanted() {
  return [...new Set([...tabs.values()].map((tab) => tab.table))].slice(-MOST_TABLES);
}

function connect() {
  const query = wanted().map((table) => `table=${encodeURIComponent(table)}`).join("&");
  if (query === streamed && source && source.readyState !== EventSource.CLOSED) return;
  if (source) source.close();
  source = null;
  streamed = query;
  if (!query) return;
  const opened = source = new EventSource(`${base}/live?${query}&language=${language}`);
  source.onmessage = (event) => {
    const told = JSON.parse(event.data);
    for (const [port, tab] of tabs) if (tab.table === told.table) port.postMessage({ told });
  };
  source.addEventListener("gone", (event) => {
    const gone = JSON.parse(event.data).table;
    for (const [port, tab] of tabs) if (tab.table === gone) port.postMessage({ gone });
  });
  source.onerror = () => {
    for (const port of tabs.keys()) port.postMessage({ lost: true });
    opened.close(); // by itself the browser would wait for three seconds or more
    setTimeout(connect, 500 + 1000 * Math.random()); // a crowd that was cut off does not come back all at once
  };
  source.onopen = () => {
    for (const port of tabs.keys()) port.postMessage({ found: true });
  };
}

let soon = 0;
function reconnect() {
  clearTimeout(soon);
  soon = setTimeout(connect, 50);
}

self.onconnect = (event) => {
  const port = event.ports[0];
  port.onmessage = ({ data }) => {
    if (data.leave) tabs.delete(port);
    else if (data.watch) tabs.set(port, { table: data.watch, seen: Date.now() });
    else if (data.alive && tabs.has(port)) tabs.get(port).seen = Date.now();
    if (data.leave || data.watch) {
      if (data.watch) language = data.language;
      if (data.watch) streamed = ""; // a new tab wants a snapshot of its own
      reconnect();
    }
  };
  port.start();
};

// Tabs that were closed without a word.
setInterval(() => {
  const before = tabs.size;
  for (const [port, tab] of tabs) if (Date.now() - tab.seen > 90000) tabs.delete(port);
  if (tabs.size !== before) reconnect();
}, 30000);
