/** Receives a body, into memory while it is small and else into a file. */
import type { IncomingMessage } from 'node:http';
import { reasonOf } from '../../reasons/reason.ts';
import { Refusal, refuse } from '../../reasons/refusals.ts';
import { defaultJsonLimitBytes, inWords } from './body-limits.ts';
import { type BodyFile, type CallRoom, refuseFullDisk } from './body-room.ts';

/** A received body: few bytes, or the file that holds many. */
export type Received = Buffer | BodyFile;

/** The size of most JSON bodies. A body that announces more is not kept in memory at all. */
const smallBytes = defaultJsonLimitBytes;
/**
 * The bytes that are gathered before they are written, because a body may come byte by byte. A body that announces no
 * length is small up to here.
 */
const blockBytes = 64 * 1024;
/** The step by which a body that announces no length is given room on the disk. */
const pieceBytes = 1024 * 1024;

/** Returns the announced length of a request's body; undefined when it comes in chunks. */
function announcedBytes({ headers }: IncomingMessage): number | undefined {
  return headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
}

/**
 * Refuses a body that announces more than the limit.
 * @throws Refusal `body-too-large`
 */
export function refuseLength(req: IncomingMessage, limitBytes: number): void {
  if ((announcedBytes(req) ?? 0) > limitBytes) throw tooLarge(limitBytes);
}

function tooLarge(limitBytes: number): Refusal {
  return refuse('body-too-large', { hint: `at most ${inWords(limitBytes)}` });
}

/**
 * Receives a body that does not announce too much.
 * @param letCome lets it begin: called when there is room for the announced length (INV-66)
 * @throws Refusal `unavailable` when there is no room, `body-too-large`, `invalid-request` when it ends early
 */
export async function receiveBody(
  req: IncomingMessage,
  room: CallRoom,
  limitBytes: number,
  letCome: () => void,
): Promise<Received> {
  const announced = announcedBytes(req);
  const isSmall = announced !== undefined && announced <= smallBytes;
  room.takeMemory(isSmall ? announced : blockBytes);
  if (announced !== undefined && !isSmall) await room.takeDisk(announced);
  letCome();
  try {
    return await (isSmall ? receiveSmall(req, announced) : receiveLarge(req, room, limitBytes, announced ?? 0));
  } catch (error) {
    // Otherwise the disk failed, and the client's connection works.
    if (error instanceof Refusal || !req.destroyed) throw error;
    throw refuse('invalid-request', { message: reasonOf('body-ended') });
  }
}

/** Receives a body of the announced length, which node's parser lets nothing exceed. */
async function receiveSmall(req: IncomingMessage, announced: number): Promise<Buffer> {
  const body = Buffer.allocUnsafe(announced);
  let filled = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false })) filled += chunk.copy(body, filled);
  return body.subarray(0, filled);
}

async function receiveLarge(
  req: IncomingMessage,
  room: CallRoom,
  limitBytes: number,
  promisedBytes: number,
): Promise<Received> {
  const store = bodyStore(room, promisedBytes);
  let size = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > limitBytes) throw tooLarge(limitBytes);
    await store.add(chunk);
  }
  return store.end();
}

/** Gathers a body. Its pieces are copied together: thousands of small ones would take a hundred times their bytes. */
function bodyStore(room: CallRoom, promisedBytes: number) {
  const block = Buffer.allocUnsafe(blockBytes);
  let filled = 0;
  let file: BodyFile | undefined;
  let written = 0;
  let promised = promisedBytes;

  async function writeBlock(): Promise<void> {
    file ??= await room.openFile();
    while (written + filled > promised) {
      await room.takeDisk(pieceBytes);
      promised += pieceBytes;
    }
    await file.handle.writeFile(block.subarray(0, filled)).catch(refuseFullDisk);
    written += filled;
    filled = 0;
  }

  return {
    async add(chunk: Buffer): Promise<void> {
      for (let at = 0; at < chunk.length; ) {
        if (filled === block.length) await writeBlock();
        const copied = chunk.copy(block, filled, at);
        filled += copied;
        at += copied;
      }
    },
    async end(): Promise<Received> {
      if (file === undefined) return block.subarray(0, filled);
      if (filled > 0) await writeBlock();
      return file;
    },
  };
}
