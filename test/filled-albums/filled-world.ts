/** An album that a played source fills, on a frame's device. */

import { readQueue } from '../../api/filled-albums/queue.ts';
import { type AlbumFiller, albumFiller } from '../../api/filled-albums/run-filler.ts';
import { normalizeImage } from '../../api/images/normalize-image.ts';
import type { SentPictureRow } from '../../api/papers/sent-pictures.ts';
import { alone } from '../../cluster/alone.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { type AlbumWorld, withAlbum } from '../papers/album-world.ts';
import { type PlayedSource, playedSource } from './played-source.ts';

export interface FilledWorld extends AlbumWorld {
  readonly source: PlayedSource;
  readonly filler: AlbumFiller;
  /** Adds a source, and returns its id. */
  adds(played?: PlayedSource): Promise<string>;
  /** Fills what is to be filled, and has the line draw. */
  fills(): Promise<void>;
  /** The keys of the pictures in the queue, in its order; a picture that a person sent is `sent`. */
  queued(): Promise<readonly string[]>;
  /** The frame wakes, takes what it is offered and shows it. Returns the key of what it shows. */
  nextWake(): Promise<string>;
}

/** Opens the world, runs the test, and closes it. */
export function withFilled(run: (world: FilledWorld) => Promise<void>, meta: object = {}): Promise<void> {
  return withAlbum(async (world) => {
    const { db, clock, random, album, admin, pictures } = world;
    const paper = await db('papers').where({ id: album }).first();
    await db('papers')
      .where({ id: album })
      .update({ meta: JSON.stringify({ ...JSON.parse(paper.meta), ...meta }) });
    const sources = new Map<string, PlayedSource>();
    const common = { db, clock, random, logger: { ...silentLogger, error: (...all: unknown[]) => console.log(all) } };
    const filler = albumFiller({
      ...common,
      single: alone.single,
      files: pictures,
      normalizeImage,
      open: async ({ id }) => (sources.get(id) ?? playedSource()).open(),
      nudgeLine: () => {},
    });
    const source = playedSource();
    let number = 0;
    await run({
      ...world,
      source,
      filler,
      async adds(played = source) {
        const id = random.id();
        sources.set(id, played);
        number += 1;
        const row = {
          id,
          number,
          paper_id: album,
          organization_id: admin.organizationId,
          kind: 'played',
          sealed: '',
          place: '',
        };
        const made = { title: `Source ${number}`, added_by: 'Ada', created_at: clock.now(), next_at: clock.now() };
        await db('album_sources').insert({ ...row, ...made });
        return id;
      },
      async fills() {
        await filler.settle();
        await world.settles();
      },
      queued: async () => Promise.all((await readQueue(db, album)).map(({ picture_id }) => keyOf(db, picture_id))),
      async nextWake() {
        await world.wakesSoon();
        const uploadId = await world.shows();
        const { picture_id } = await db('picture_showings').where({ upload_id: uploadId }).first();
        return keyOf(db, picture_id);
      },
    });
  });
}

async function keyOf(db: AlbumWorld['db'], pictureId: string): Promise<string> {
  const row: SentPictureRow = await db('sent_pictures').where({ id: pictureId }).first();
  if (row?.source_picture == null) return 'sent';
  return (await db('source_pictures').where({ id: row.source_picture }).first())?.key ?? 'gone';
}
