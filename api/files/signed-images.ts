/** Short-lived signed addresses of stored files: for render pages, previews and people, never a permanent URL (T-38). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DurableFolder } from '../../gateway/runtime/durable-folder.ts';
import type { Logger } from '../../gateway/runtime/logger.ts';
import { type AddressSigner, type SignedAddress, signedPrefix } from './sign-address.ts';

/** What a stored file is, as its address and its answer say. */
export type FileType = 'png' | 'jpg' | 'json';

const contentTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  json: 'application/json',
} satisfies Record<FileType, string>;

/** One signature is good for both: who may have the picture may ask how large it is. */
const reads: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** What serving is handed. */
export interface SigningEdges {
  readonly signer: AddressSigner;
  readonly files: DurableFolder;
  readonly logger: Logger;
}

/** Signs and serves. */
export interface SignedImages {
  /** An address of one file for one purpose (a request's content, a paper, a device); a signature fits no other. */
  sign(fileKey: string, purpose: string, type: FileType): SignedAddress;
  /** Answers such an address; false when the request is for somebody else. */
  serve(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Makes the signer of one service's files. */
export function signedImages({ signer, files, logger }: SigningEdges): SignedImages {
  async function answer(url: string, response: ServerResponse): Promise<void> {
    const [path = '', seal = '', ...rest] = url.split('?s=');
    const [key = '', type = ''] = path.slice(signedPrefix.length).split(/[./]/, 2);
    const good = rest.length === 0 && signer.isGood('GET', path, seal);
    const file = good ? await files.get(key) : undefined;
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('referrer-policy', 'no-referrer');
    if (file === undefined) {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end('{"code":"access-denied","message":"This address is not valid or has expired"}');
      return;
    }
    response.writeHead(200, {
      'content-type': contentTypes[type],
      'content-length': file.length,
      // P-13: a page that draws the picture on a canvas needs this; the address itself is the permission.
      'access-control-allow-origin': '*',
    });
    response.end(file);
  }

  return {
    sign: (fileKey, purpose, type) => signer.sign('GET', `${signedPrefix}${fileKey}.${type}/${purpose}`),
    serve(request, response) {
      const url = request.url ?? '';
      if (!url.startsWith(signedPrefix) || !reads.has(request.method ?? '')) return false;
      answer(url, response).catch((error: unknown) => {
        logger.error({ error }, 'picture not served');
        response.destroy();
      });
      return true;
    },
  };
}
