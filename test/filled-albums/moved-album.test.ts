/** Albums that move to another organization, whose sources stay behind. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keepOpen } from '../../api/filled-albums/keep-open.ts';
import { albumFiller } from '../../api/filled-albums/run-filler.ts';
import { sealEntered } from '../../api/filled-albums/sources.ts';
import { normalizeImage } from '../../api/images/normalize-image.ts';
import { alone } from '../../cluster/alone.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { worldKeys } from '../http/world.ts';
import { withFilled } from './filled-world.ts';

const test = suite('albums that move');
const hourMs = 3_600_000;

test('a source whose album moved to another organization is no longer asked, and its pictures go', () =>
  withFilled(async (world) => {
    const { db, clock, random, album, pictures, source, stranger } = world;
    let opened = 0;
    const sources = {
      foldersFor: () => [],
      open: () => {
        opened += 1;
        return source.open();
      },
    };
    const deps = { db, clock, random, sealKey: worldKeys.seal, sources };
    const filler = albumFiller({
      ...deps,
      logger: silentLogger,
      single: alone.single,
      files: pictures,
      normalizeImage,
      open: keepOpen(deps),
      nudgeLine: () => {},
    });
    source.add(...Array.from({ length: 12 }, () => ({})));
    const id = await world.adds();
    const row = await db('album_sources').where({ id }).first();
    const sealed = sealEntered(row, { kind: 'icloud', address: 'https://www.icloud.com/sharedalbum/#B0z' }, deps);
    await db('album_sources').where({ id }).update({ sealed });
    await filler.settle();
    assert.ok((await world.queued()).length >= 8);
    await db('papers').where({ id: album }).update({ organization_id: stranger.organizationId });
    const [before, fetched] = [opened, source.fetched.length];
    for (let hour = 0; hour < 3; hour++) {
      world.passes(hourMs);
      await filler.settle();
    }
    assert.equal([opened, source.fetched.length], [before, fetched]);
    assert.equal((await db('album_sources').where({ id }).first()).fault_kind, 'gone');
    assert.equal(await world.queued(), []);
    assert.equal(await db('sent_pictures').where({ paper_id: album }), []);
    assert.equal(await db('source_pictures'), []);
  }));

test.run();
