/** Files that come in bodies: in memory while they are small, else on the disk until their call is answered. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** The bytes of a file, or its path. */
export type FileContent = Buffer | { readonly path: string };

export interface UploadedFile {
  readonly field: string;
  readonly content: FileContent;
}

/** A body, and the files that came in it. */
export interface ReadBody {
  readonly body: unknown;
  readonly files: readonly UploadedFile[];
}

/** Reads a file whole, for code that is sure to have room for it. */
export async function readContent(content: FileContent): Promise<Buffer> {
  return Buffer.isBuffer(content) ? content : readFile(content.path);
}

/** Reads a file piece by piece. */
export function streamContent(content: FileContent): AsyncIterable<Buffer> | Iterable<Buffer> {
  return Buffer.isBuffer(content) ? [content] : createReadStream(content.path);
}
