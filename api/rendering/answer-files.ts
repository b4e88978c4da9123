/**
 * Answers a page's requests for files that exist nowhere but here: its pushed picture (PAGE-13), or the page of a recipe
 * with its stylesheet. The page reaches by it these files alone: not the host where the service is, which may be inside
 * the network.
 */
import type { Protocol } from 'puppeteer';
import type { Visit } from '../browser/open-visit.ts';

/** A file as the page gets it. */
export interface PageFile {
  readonly contentType: string;
  readonly body: Uint8Array | string;
}

/** The files of a page. */
export interface PageFiles {
  /** The addresses that are answered; `*` stands for any characters, and a backslash before it for itself. */
  readonly addresses: readonly string[];
  /** Returns the file at an address; one that there is none of is refused to the page. */
  read(address: string): Promise<PageFile | undefined>;
}

/** The pushed picture: its signed address, and its bytes, a PNG. */
export interface PagePicture {
  readonly url: string;
  read(): Promise<Uint8Array | undefined>;
}

/** Returns a pushed picture as the one file of its page. It is read once. */
export function pictureFiles({ url, read }: PagePicture): PageFiles {
  let file: Promise<PageFile | undefined> | undefined;
  const readOnce = async (): Promise<PageFile | undefined> => {
    const body = await read().catch(() => undefined);
    return body && { contentType: 'image/png', body };
  };
  return {
    addresses: [new URL(url).href.replace(/[*?\\]/g, '\\$&')],
    read() {
      file ??= readOnce();
      return file;
    },
  };
}

/** Returns the headers of a file, as the service itself would send them. */
const headersOf = (contentType: string): Protocol.Fetch.HeaderEntry[] =>
  Object.entries({
    'content-type': contentType,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  }).map(([name, value]) => ({ name, value }));

/** Answers the files at their addresses from now on; other requests of the page take their usual way. */
export async function answerFiles(
  { page, passage, countHanded }: Visit,
  { addresses, read }: PageFiles,
): Promise<void> {
  const session = await page.createCDPSession();
  const answerPaused = async ({ requestId, request }: Protocol.Fetch.RequestPausedEvent): Promise<void> => {
    const file = await read(request.url).catch(() => undefined);
    const body = file && Buffer.from(file.body).toString('base64');
    if (body !== undefined) countHanded(body.length);
    const isAnswered = file !== undefined && request.method === 'GET' && passage.exceeded() === undefined;
    await (isAnswered
      ? session.send('Fetch.fulfillRequest', {
          requestId,
          responseCode: 200,
          responseHeaders: headersOf(file.contentType),
          body: body ?? '',
        })
      : session.send('Fetch.failRequest', { requestId, errorReason: 'AccessDenied' }));
  };
  session.on('Fetch.requestPaused', (paused) => {
    answerPaused(paused).catch(() => {}); // The page has left.
  });
  await session.send('Fetch.enable', { patterns: addresses.map((urlPattern) => ({ urlPattern })) });
}
