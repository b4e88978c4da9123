/** The head of the answer to a picture download. */
import type { ServerResponse } from 'node:http';
import type { Asked } from './byte-range.ts';
import type { UploadRow } from './upload-row.ts';

/**
 * The media type of a picture's file. Frames that take PNGs look at it before the bytes, and compare it whole; the files of
 * the others are their own and have none.
 */
export function mediaTypeOf(format: UploadRow['format']): string {
  return format === 'png' ? 'image/png' : 'application/octet-stream';
}

interface SentFile {
  readonly bytes: number;
  readonly etag: string;
  readonly format: UploadRow['format'];
}

/**
 * Writes status and headers. A plain GET gets 200, identity encoding, the exact length and no caching on the way (W-09);
 * any other status is sent only to a client that asked for it.
 */
export function writeDownloadHead(response: ServerResponse, asked: Asked, { bytes, etag, format }: SentFile): void {
  const common = { 'cache-control': 'private, no-transform', etag, 'accept-ranges': 'bytes', connection: 'close' };
  const type = { 'content-type': mediaTypeOf(format) };
  if (asked === 'unchanged') response.writeHead(304, common);
  else if (asked === 'unsatisfiable') {
    response.writeHead(416, { ...common, 'content-range': `bytes */${bytes}`, 'content-length': 0 });
  } else if (asked === 'whole') response.writeHead(200, { ...common, ...type, 'content-length': bytes });
  else {
    const { from, end } = asked;
    const range = `bytes ${from}-${end - 1}/${bytes}`;
    response.writeHead(206, { ...common, ...type, 'content-range': range, 'content-length': end - from });
  }
}
