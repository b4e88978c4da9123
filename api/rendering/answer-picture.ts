/**
 * Answers a page's requests for its pushed picture with the stored file. The page gets the address that works for
 * people, and reaches by it this one picture: not the host where the service is, which may be inside the network.
 */
import type { Protocol } from 'puppeteer';
import type { Visit } from '../browser/open-visit.ts';

/** The pushed picture: its signed address, and its bytes, a PNG. */
export interface PagePicture {
  readonly url: string;
  read(): Promise<Uint8Array | undefined>;
}

/** The headers of the file, as the service itself would answer them. */
const headers = Object.entries({
  'content-type': 'image/png',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
}).map(([name, value]) => ({ name, value }));

/** Answers the picture at its address from now on; other requests of the page take their usual way. */
export async function answerPicture({ page, passage, countHanded }: Visit, { url, read }: PagePicture): Promise<void> {
  const { href } = new URL(url);
  let body: Promise<string | undefined> | undefined;
  const readOnce = async (): Promise<string | undefined> => {
    const bytes = await read();
    return bytes && Buffer.from(bytes).toString('base64');
  };
  const session = await page.createCDPSession();
  const answerPaused = async ({ requestId, request }: Protocol.Fetch.RequestPausedEvent): Promise<void> => {
    body ??= readOnce();
    const picture = await body.catch(() => undefined);
    if (picture !== undefined) countHanded(picture.length);
    const isAnswered = picture !== undefined && request.method === 'GET' && passage.exceeded() === undefined;
    const answer = isAnswered
      ? session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders: headers, body: picture })
      : session.send('Fetch.failRequest', { requestId, errorReason: 'AccessDenied' });
    await answer;
  };
  session.on('Fetch.requestPaused', (paused) => {
    answerPaused(paused).catch(() => {}); // The page has left.
  });
  // The pattern is the address: its characters that would stand for others are escaped.
  await session.send('Fetch.enable', { patterns: [{ urlPattern: href.replace(/[*?\\]/g, '\\$&') }] });
}
