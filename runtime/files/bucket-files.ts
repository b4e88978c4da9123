/**
 * Bytes in an object store. Every object has a unique name, made of its digest and a random part, which its row
 * records: an object is written once, and a process that slept never removes what somebody stored meanwhile.
 */

import { reasonOf } from '../../reasons/reason.ts';
import { type Refusal, refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../database/common-deps.ts';
import type { RowIn } from '../database/table.ts';
import { sha256Of } from '../digest.ts';
import type { FileArea, FileAreas } from './file-areas.ts';
import { type BytesPlace, filesByRows, type RowFilesDeps } from './row-store.ts';
import type { Bucket } from './s3-client.ts';
import { ObjectStoreFault } from './s3-fault.ts';
import type { filesTables } from './tables.ts';

/** The facts of a row about an object. */
type ObjectRow = Pick<RowIn<typeof filesTables, 'stored_objects'>, 'object' | 'size'>;

export interface BucketFilesDeps extends RowFilesDeps, Pick<CommonDeps, 'clock' | 'random' | 'logger'> {
  readonly bucket: Bucket;
  /** The prefix of the names of all objects of this service. */
  readonly prefix: string;
}

const retryAfterSeconds = 10;
/** An object that no row names is swept away after this time: nobody is about to name it then. */
const unnamedMs = 86_400_000;
/** The objects that a sweep holds in memory, looks up together, and removes before it goes on. */
const sweptAtOnce = 200;
const overlooked = {
  message: 'S3_ENDPOINT: the object store lists objects beyond the prefix that was asked for; they were left alone',
  hint: 'use a store that lists by prefix, or give this service a bucket of its own',
};

/** Opens the files of a bucket. */
export function bucketFiles(deps: BucketFilesDeps): FileAreas {
  return filesByRows(deps, (area) => bytesInBucket(deps, area));
}

function bytesInBucket(deps: BucketFilesDeps, area: FileArea): BytesPlace<ObjectRow> {
  const { db, clock, random, logger, bucket } = deps;
  const folder = `${deps.prefix}${area}/`;

  /** Logs the store's error for the operator, and reports to everybody else that files are unreachable for now. */
  const asking = async <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      if (!(error instanceof ObjectStoreFault)) throw error;
      logger.error({ hint: error.hint }, error.message);
      throw unreachable();
    });

  return {
    table: 'stored_objects',
    columns: ['object', 'size'],
    async write(name, bytes) {
      const object = `${folder}${name}-${random.id()}`;
      const began = clock.now();
      await asking(bucket.put(object, bytes));
      // An object that no row names for a day is swept away.
      if (clock.now() - began > unnamedMs / 2) throw unreachable();
      return { object, size: bytes.length };
    },
    async read({ object, size }, name) {
      const bytes = await asking(bucket.get(object, size));
      if (bytes === undefined) {
        logger.error({ object }, 'S3_BUCKET: an object is missing; put it back, or upload its picture once more');
      } else if ((await sha256Of(bytes)) !== name) {
        logger.error(
          { object },
          'S3_BUCKET: an object has other bytes than were stored; put its first version back, or upload its picture once more',
        );
      }
      return bytes;
    },
    async gone({ object }) {
      // An object that cannot be removed now is found by the next sweep.
      await asking(bucket.remove(object)).catch(() => {});
    },
    async sweep() {
      let [swept, foreign] = [0, 0];
      let old: string[] = [];
      const removeUnnamed = async (): Promise<void> => {
        const named = new Set(await db('stored_objects').whereIn('object', old).pluck('object'));
        for (const key of old.filter((one) => !named.has(one))) {
          await bucket.remove(key);
          swept++;
        }
        old = [];
      };
      const lookAtAll = async (): Promise<void> => {
        for await (const { key, modifiedAt } of bucket.list(folder)) {
          // A store that ignores the prefix also lists the objects of others in the bucket (INV-86).
          if (!key.startsWith(folder)) foreign++;
          else if (clock.now() - modifiedAt > unnamedMs) old.push(key);
          if (old.length === sweptAtOnce) await removeUnnamed();
        }
        await removeUnnamed();
      };
      await asking(lookAtAll());
      if (foreign > 0) logger.error({ foreign, hint: overlooked.hint }, overlooked.message);
      return swept;
    },
  };
}

function unreachable(): Refusal {
  return refuse('unavailable', { message: reasonOf('files-unreachable'), retryAfterSeconds });
}
