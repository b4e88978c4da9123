/** Answers the modules that the console loads as they stand in this checkout: nothing comes from elsewhere. */
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';

/** The files, by the path that answers each. */
export type LoadedFiles = Readonly<Record<string, URL>>;

/**
 * Returns the headers of every page and file of the console: nobody may frame them (T-57), and they may load only what
 * a page names here.
 */
export function consoleHeaders(allowed: readonly string[] = []): Readonly<Record<string, string>> {
  const always = ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"];
  return {
    'content-security-policy': ["default-src 'none'", ...allowed, ...always].join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
}

/** Answers one of the files; false for every other path. */
export function serveLoaded(files: LoadedFiles, path: string, response: ServerResponse): boolean {
  const file = Object.hasOwn(files, path) ? files[path] : undefined;
  if (file === undefined) return false;
  readFile(file).then(
    (bytes) =>
      response
        .writeHead(200, {
          ...consoleHeaders(),
          'content-type': 'text/javascript; charset=utf-8',
          'cache-control': 'no-cache',
        })
        .end(bytes),
    () => response.writeHead(500).end(),
  );
  return true;
}
