/** The files of a checkout as a host answers them: pages, manifests, texts, pictures. */
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Checkout, fileWithin, isSlug, typeOf } from './checkout.ts';

/** The folders of an integration that are read by anybody, and the names of files in each. */
const folders: Readonly<Record<string, readonly string[]>> = {
  assets: ['.jpg', '.jpeg', '.png', '.svg', '.webp', '.json', '.js'],
  data: ['.js', '.json'],
  languages: ['.json'],
  screenshots: ['.jpg', '.jpeg', '.png', '.svg', '.webp'],
};
const pages: readonly string[] = ['render.html', 'settings.html', 'config.json'];

/** The folder and the file in it that a path stands for. */
interface FilePlace {
  readonly folder: readonly string[];
  readonly segments: readonly string[];
}

/** Returns the place that a path stands for; undefined for one that stands for no file. */
export function fileOfPath({ root, applications }: Checkout, path: readonly string[]): FilePlace | undefined {
  const [first = '', second = '', ...rest] = path;
  if (first === 'assets') return { folder: [root, 'public'], segments: path.slice(1) };
  if (!isSlug(first)) return undefined;
  const folder = [applications, first];
  if (path.length === 2 && second === '') return { folder, segments: ['render.html'] };
  if (path.length === 2) return pages.includes(second) ? { folder, segments: [second] } : undefined;
  const isOffered =
    Object.hasOwn(folders, second) && folders[second]?.includes(extname(rest.at(-1) ?? '').toLowerCase());
  return isOffered === true ? { folder: [...folder, second], segments: rest } : undefined;
}

/** Answers with a file. Returns false, and answers nothing, where there is none. */
export async function answerFile(
  checkout: Checkout,
  { folder, segments }: FilePlace,
  [request, response]: readonly [IncomingMessage, ServerResponse],
): Promise<boolean> {
  const type = typeOf(segments.at(-1) ?? '');
  const file = type === undefined || segments.length === 0 ? undefined : await fileWithin(checkout, folder, segments);
  if (file === undefined || type === undefined) return false;
  const tag = `"${file.bytes.toString(16)}-${file.changedAt.getTime().toString(16)}"`;
  const headers = { 'content-type': type, 'cache-control': 'no-cache', etag: tag };
  if (request.headers['if-none-match'] === tag) {
    response.writeHead(304, headers).end();
    return true;
  }
  response.writeHead(200, { ...headers, 'content-length': file.bytes });
  if (request.method === 'HEAD') response.end();
  // A file that changes meanwhile ends no later than it was announced.
  else await pipeline(createReadStream(join(file.path), { end: Math.max(0, file.bytes - 1) }), response);
  return true;
}
