/** Answers the pictures of the recipes that the service brings along: the console shows what can be had by them. */
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { ownPicturePath, ownRecipe } from '../recipes/own-recipes.ts';
import { consoleHeaders } from './loaded-files.ts';

const address = /^\/console\/recipes\/(own-[a-z0-9-]{1,60})-[0-9a-f]{12}\.png$/;

/** Answers one of the pictures; false for every other path. Their addresses change with them, so that they are kept for good. */
export function serveRecipePicture(path: string, response: ServerResponse): boolean {
  const [, id] = address.exec(path) ?? [];
  if (id === undefined) return false;
  pictureOf(id).then(
    (bytes) =>
      bytes === undefined
        ? response.writeHead(404, consoleHeaders()).end()
        : response
            .writeHead(200, {
              ...consoleHeaders(),
              'content-type': 'image/png',
              'cache-control': 'public, max-age=31536000, immutable',
              'content-length': bytes.length,
            })
            .end(bytes),
    () => response.writeHead(500).end(),
  );
  return true;
}

async function pictureOf(id: string): Promise<Buffer | undefined> {
  const own = await ownRecipe(id);
  return own?.picture === undefined ? undefined : readFile(ownPicturePath(id));
}
