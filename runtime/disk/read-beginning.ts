/** Reads a file of the operator's choice, however long it is. */
import { open } from 'node:fs/promises';

/**
 * Reads a file, and at most one byte more than the limit: the caller sees by it that the file was too long.
 * @throws the system's error, and for anything but a file
 */
export async function readBeginning(path: string, limitBytes: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, limitBytes + 1));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
