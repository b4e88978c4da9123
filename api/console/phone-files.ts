/** The files that a phone asks for to install the console: a manifest, icons, and the service worker. */
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { consoleHeaders } from './loaded-files.ts';
import type { AppBundle } from './packed-app.ts';

const types: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

const icon = (src: string, sizes: string, purpose?: string) => ({
  src,
  sizes,
  type: types[extname(src)],
  ...(purpose !== undefined && { purpose }),
});

/** The manifest. Its addresses are relative to its own, so that it works below any prefix. */
const manifest = {
  name: 'Papergate',
  short_name: 'Papergate',
  description: 'Pictures for e-paper frames, and the proof that they are on the glass.',
  start_url: '../',
  scope: '../',
  display: 'standalone',
  background_color: '#fbfaf7',
  theme_color: '#1f5c4d',
  icons: [
    icon('icon.svg', 'any'),
    icon('icon-192.png', '192x192'),
    icon('icon-512.png', '512x512'),
    icon('icon-maskable-512.png', '512x512', 'maskable'),
  ],
  shortcuts: [{ name: 'Send', url: '../send', icons: [icon('icon-192.png', '192x192')] }],
  share_target: {
    action: '../share',
    method: 'POST',
    enctype: 'multipart/form-data',
    params: { files: [{ name: 'pictures', accept: ['image/*'] }] },
  },
};

const icons: readonly string[] = [
  'icon.svg',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable-512.png',
  'icon-apple-180.png',
];

/** Answers the manifest and the icons below `/console/app/`; false for every other name. */
export function servePhoneFile(name: string, response: ServerResponse): boolean {
  const isManifest = name === 'manifest.webmanifest';
  if (!isManifest && !icons.includes(name)) return false;
  const bytes = isManifest
    ? JSON.stringify(manifest)
    : readFile(new URL(`../../console/icons/${name}`, import.meta.url));
  const headers = {
    ...consoleHeaders(),
    'content-type': types[extname(name)],
    'cache-control': 'public, max-age=86400',
  };
  Promise.resolve(bytes).then(
    (body) => response.writeHead(200, headers).end(body),
    () => response.writeHead(500, consoleHeaders()).end(),
  );
  return true;
}

/** Answers the service worker. It may ask this service and nobody else, and is looked for again every time. */
export function serveWorker({ worker }: AppBundle, response: ServerResponse): void {
  response
    .writeHead(200, {
      ...consoleHeaders(["script-src 'self'", "connect-src 'self'"]),
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
    })
    .end(worker);
}

/** Answers a shared picture that no service worker took: the phone registers one with the page that comes now. */
export function answerMissedShare(response: ServerResponse, prefix: string): void {
  response
    .writeHead(303, {
      location: `${prefix}/console/send?shared=missed`,
      'cache-control': 'no-store',
      connection: 'close',
    })
    .end();
}

/** The elements of the page's head. */
export const phoneHead = (base: string): string =>
  `<link rel="manifest" href="${base}app/manifest.webmanifest"><link rel="icon" href="${base}app/icon.svg" type="image/svg+xml">` +
  `<link rel="apple-touch-icon" href="${base}app/icon-apple-180.png"><meta name="theme-color" content="#fbfaf7" media="(prefers-color-scheme: light)">` +
  '<meta name="theme-color" content="#171715" media="(prefers-color-scheme: dark)">';
