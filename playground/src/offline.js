// Service worker: cached files are available offline. FILES and VERSION are prepended by build.mjs.
const CACHE = `pdedsl-${VERSION}`;
const SMALL = FILES.filter((file) => /\.(html|css|js|json|svg)$/.test(file));

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(["./", ...SMALL])));
});

self.addEventListener("activate", (event) => {
  const others = caches.keys().then((keys) => keys.filter((key) => key.startsWith("pdedsl-") && key !== CACHE));
  event.waitUntil(others.then((keys) => Promise.all(keys.map((key) => caches.delete(key)))).then(() => self.clients.claim()));
});

/** From the cache; otherwise from the network, once. */
async function answer(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request, { ignoreSearch: true });
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  const name = url.pathname.slice(new URL("./", self.location.href).pathname.length);
  if (event.request.method === "GET" && url.origin === self.location.origin && (name === "" || FILES.includes(name))) {
    event.respondWith(answer(event.request));
  }
});
