/**
 * The console's service worker: a classic script of its own. It keeps the shell, so that a phone without a connection
 * shows a page that says so, and it takes pictures that other apps share. It never touches calls of the API.
 */
import { sharedCache } from './send/shared-pictures.ts';

/** The names of the app's files below `app/` that every language needs, put in when the worker is compiled. */
declare const appFiles: readonly string[];
/** The names of the languages among them, each of which is kept when it was loaded once. */
declare const languageFiles: readonly string[];

/** The types of workers that TypeScript's library for pages lacks. */
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Worker {
  readonly registration: { readonly scope: string };
  addEventListener(name: 'install' | 'activate', run: (event: WorkerEvent) => void): void;
  addEventListener(name: 'fetch', run: (event: FetchEvent) => void): void;
}

const worker = self as unknown as Worker;
const { scope } = worker.registration;
const shellCache = 'papergate-shell';
/** The most pictures that are taken at once. */
const maxShared = 20;

const addressOf = (name: string): string => `${scope}app/${name}`;
const [fileAddresses, languageAddresses] = [appFiles.map(addressOf), languageFiles.map(addressOf)];
const known = new Set([scope, ...fileAddresses, ...languageAddresses]);

worker.addEventListener('install', (event) => {
  const keep = async (): Promise<void> => {
    const cache = await caches.open(shellCache);
    await cache.addAll(fileAddresses);
    // Its headers come with it: the page may do no more than it may online.
    await cache.add(new Request(scope, { cache: 'reload' }));
  };
  event.waitUntil(keep());
});

worker.addEventListener('activate', (event) => {
  const tidy = async (): Promise<void> => {
    const cache = await caches.open(shellCache);
    const old = (await cache.keys()).filter(({ url }) => !known.has(url));
    await Promise.all(old.map((request) => cache.delete(request)));
  };
  event.waitUntil(tidy());
});

worker.addEventListener('fetch', (event) => {
  const { method, url, mode } = event.request;
  if (!url.startsWith(scope)) return;
  const place = url.slice(scope.length).split(/[?#]/, 1)[0] ?? '';
  if (method === 'POST' && place === 'share') event.respondWith(takeShare(event.request));
  else if (method === 'GET' && fileAddresses.includes(url)) event.respondWith(kept(url, event.request));
  else if (method === 'GET' && languageAddresses.includes(url)) event.respondWith(keptOnceLoaded(url, event.request));
  else if (method === 'GET' && mode === 'navigate' && isShell(place)) event.respondWith(page(event.request));
});

/** Whether the console's own page stands at this place; others stand next to it. */
const isShell = (place: string): boolean => !/^papers\/[0-9a-f]{24}\/settings|\.[a-z]+$/.test(place);

async function kept(url: string, request: Request): Promise<Response> {
  return (await (await caches.open(shellCache)).match(url)) ?? fetch(request);
}

async function keptOnceLoaded(url: string, request: Request): Promise<Response> {
  const cache = await caches.open(shellCache);
  const found = await cache.match(url);
  if (found !== undefined) return found;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(url, answer.clone());
  return answer;
}

/** The page as the service has it; the kept one while nobody answers, or only a proxy in front of it does. */
async function page(request: Request): Promise<Response> {
  const answer = await fetch(request).catch(() => undefined);
  if (answer !== undefined && ![502, 503, 504].includes(answer.status)) return answer;
  return (await (await caches.open(shellCache)).match(scope)) ?? answer ?? Response.error();
}

/** Puts shared pictures where the screen finds them, and opens it. */
async function takeShare(request: Request): Promise<Response> {
  try {
    const form = await request.formData();
    const files = form.getAll('pictures').filter((value) => value instanceof File);
    const cache = await caches.open(sharedCache);
    for (const [at, file] of files.slice(0, maxShared).entries()) {
      const headers = { 'content-type': file.type, 'x-file-name': encodeURIComponent(file.name) };
      await cache.put(`${scope}share/${Date.now()}-${at}`, new Response(file, { headers }));
    }
  } catch {
    // The screen says that nothing arrived.
  }
  return Response.redirect(`${scope}send?shared=1`, 303);
}
