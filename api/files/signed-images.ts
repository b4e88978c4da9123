/**
 * Short-lived signed addresses of stored files, for render pages, previews and people; there is never a permanent URL.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../reasons/refusals.ts';
import { refusedTrouble } from '../../runtime/database-trouble.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import { filesInHand } from '../../runtime/disk/files-in-hand.ts';
import { fairShares } from '../../runtime/fair-shares.ts';
import type { Logger } from '../../runtime/logger.ts';
import { sharedBudget } from '../../runtime/shared-budget.ts';
import { statusOf } from '../http/refusal-status.ts';
import { type AddressSigner, type SignedAddress, signedPrefix } from './sign-address.ts';

/** The type of a stored file, in its address and in its answer. */
export type FileType = 'png' | 'jpg' | 'json';

const contentTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  json: 'application/json',
} satisfies Record<FileType, string>;

/** A large photograph is kept as JPEG, under the same kind of address as every other picture. */
const jpegMark = Buffer.of(0xff, 0xd8, 0xff);

/** One signature is good for both methods: a caller who may have the picture may ask how large it is. */
const reads: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** The bytes of files that are being sent to people and pages: a slow receiver keeps its file in memory. */
const sendingBytes = 64 * 1024 * 1024;
/** The number of files that are read at once: the size of a file is unknown before it is read. */
const readsAtOnce = 2;

export interface SignedImageDeps {
  readonly signer: AddressSigner;
  readonly files: Pick<DurableFolder, 'get'>;
  readonly logger: Logger;
}

export interface SignedImages {
  /**
   * Signs an address of one file for one purpose (a request's content, a paper, a device). A signature fits no other.
   */
  sign(fileKey: string, purpose: string, type: FileType): SignedAddress;
  /**
   * Answers a request for a signed address; returns false for any other request.
   * @param address of the caller, for whom the file is then in memory (T-61)
   */
  serve(request: IncomingMessage, response: ServerResponse, address: string): boolean;
}

export function signedImages({ signer, files, logger }: SignedImageDeps): SignedImages {
  const inHand = filesInHand(sharedBudget(sendingBytes));
  const reading = fairShares({ atOnce: readsAtOnce });

  /** Reads the file and holds its place in memory until the answer is over. */
  async function hold(key: string, address: string, response: ServerResponse): Promise<Buffer | undefined> {
    const held = await inHand.take(key, address, () => reading.run([address], () => files.get(key)));
    if (response.destroyed) held?.letGo();
    else if (held !== undefined) response.once('close', held.letGo);
    return held?.bytes;
  }

  async function answer(url: string, address: string, response: ServerResponse): Promise<void> {
    const [path = '', seal = '', ...rest] = url.split('?s=');
    const [key = '', type = ''] = path.slice(signedPrefix.length).split(/[./]/, 2);
    const good = rest.length === 0 && signer.isGood('GET', path, seal);
    const file = good ? await hold(key, address, response) : undefined;
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('referrer-policy', 'no-referrer');
    if (file === undefined) {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end('{"code":"access-denied","message":"This address is not valid or has expired"}');
      return;
    }
    response.writeHead(200, {
      'content-type': jpegMark.equals(file.subarray(0, jpegMark.length)) ? contentTypes.jpg : contentTypes[type],
      'content-length': file.length,
      // A page that draws the picture on a canvas needs this header; the address itself is the permission (PAGE-13).
      'access-control-allow-origin': '*',
    });
    response.end(file);
  }

  return {
    sign: (fileKey, purpose, type) => signer.sign('GET', `${signedPrefix}${fileKey}.${type}/${purpose}`),
    serve(request, response, address) {
      const url = request.url ?? '';
      if (!url.startsWith(signedPrefix) || !reads.has(request.method ?? '')) return false;
      answer(url, address, response).catch((error: unknown) => {
        if (error instanceof Refusal) return answerRefused(error, response);
        logger.error({ error }, 'picture not served');
        const refusal = refusedTrouble(error);
        if (refusal === undefined || response.headersSent) response.destroy();
        else answerRefused(refusal, response);
      });
      return true;
    },
  };
}

function answerRefused({ code, message, retryAfterSeconds = 1 }: Refusal, response: ServerResponse): void {
  response.writeHead(statusOf(code), { 'content-type': 'application/json', 'retry-after': String(retryAfterSeconds) });
  response.end(JSON.stringify({ code, message }));
}
