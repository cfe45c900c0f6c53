// The site as an app: a worker shows messages when no page is open, and says so when there is no network.
"use strict";

if ("serviceWorker" in navigator && isSecureContext) addEventListener("load", () => navigator.serviceWorker.register(`${document.documentElement.dataset.base ?? ""}/service_worker.js`).catch(() => {}));
