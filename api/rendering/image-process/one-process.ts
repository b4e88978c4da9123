/** One process that normalizes images, seen from the service. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { FileContent } from '../../http/uploaded-file.ts';
import { giveWay } from '../give-way.ts';
import type { ImageOptions, NormalizedImage } from '../normalize-image.ts';

/** The process is gone without an answer. `hadBegun` tells whether it could have answered. */
export class ProcessGone extends Error {
  readonly hadBegun: boolean;

  constructor(hadBegun: boolean) {
    super('the process that decodes images ended');
    this.hadBegun = hadBegun;
  }
}

/** A process. `end` ends it with whatever it is doing. */
export interface ImageProcess {
  /**
   * Normalizes an image.
   * @throws ProcessGone; the signal's reason
   */
  normalize(image: FileContent, options: ImageOptions): Promise<NormalizedImage>;
  isGone(): boolean;
  end(): void;
}

/** The message that the process sends back. */
interface Reply {
  readonly number: number;
  readonly normalized?: NormalizedImage;
  readonly problem?: string;
}

interface Pending {
  resolve(normalized: NormalizedImage): void;
  reject(error: unknown): void;
}

/**
 * The environment of the process holds nothing of the service's, where its secrets are. The C library gives memory back
 * as soon as it is free, and keeps no heap for each thread.
 */
const environment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

function forkNormalizer(): ChildProcess {
  const child = fork(new URL('./normalizer.mjs', import.meta.url), {
    env: environment,
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true, // A session of its own, which gives way to the service's.
  });
  giveWay(child.pid);
  return child;
}

/** Starts a process. It keeps this one alive only while it has work. */
export function startImageProcess(): ImageProcess {
  const child = forkNormalizer();
  const pending = new Map<number, Pending>();
  let numbers = 0;
  let gone: ProcessGone | undefined;
  let hasBegun = false;
  const begun = once(child, 'message').then(() => {
    hasBegun = true;
  });
  begun.catch(() => {});

  function goAway(): void {
    gone ??= new ProcessGone(hasBegun);
    for (const { reject } of pending.values()) reject(gone);
    pending.clear();
  }
  // Any of these events may come first; a message to a process that just ended raises an error of its own.
  for (const event of ['error', 'disconnect', 'exit']) child.on(event, goAway);
  child.on('message', (reply: Reply | 'ready' | null) => {
    if (reply === 'ready' || reply === null) return;
    const waiting = pending.get(reply.number);
    if (reply.normalized !== undefined) waiting?.resolve(reply.normalized);
    else waiting?.reject(new Error(reply.problem));
  });
  keepAlive(child, false);

  async function ask(number: number, image: FileContent, options: ImageOptions): Promise<NormalizedImage> {
    const { sharer, formats, keepsDetail, signal } = options;
    const leave = (): void => {
      if (gone === undefined) child.send({ number });
      pending.get(number)?.reject(signal?.reason);
    };
    const outcome = new Promise<NormalizedImage>((resolve, reject) => pending.set(number, { resolve, reject }));
    outcome.catch(() => {});
    signal?.addEventListener('abort', leave, { once: true });
    try {
      await Promise.race([begun, outcome]);
      if (gone === undefined && signal?.aborted !== true) {
        // A file is sent as its path alone; its other fields stay here.
        const sent = Buffer.isBuffer(image) ? image : { path: image.path };
        child.send({ number, image: sent, options: { sharer, formats, keepsDetail } });
      }
      return await outcome;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  return {
    async normalize(image, options) {
      options.signal?.throwIfAborted();
      if (gone !== undefined) throw gone;
      const number = numbers++;
      keepAlive(child, true);
      try {
        return await ask(number, image, options);
      } finally {
        pending.delete(number);
        if (pending.size === 0) keepAlive(child, false);
      }
    },
    isGone: () => gone !== undefined,
    end() {
      child.kill('SIGKILL');
      goAway();
    },
  };
}

/** Keeps this process alive while the other one works. */
function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  if (isNeeded) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
