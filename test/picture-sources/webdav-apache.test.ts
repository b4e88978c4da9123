/** A folder of Apache with mod_dav, which no line of ours wrote: 20,000 files in one folder, and names of every kind. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { openWebdavSource } from '../../api/picture-sources/webdav/webdav-source.ts';
import { systemClock } from '../../runtime/clock.ts';
import { fakeNetwork } from '../callbacks/receiver.ts';
import { unlessUnable } from '../some-times.ts';
import { type Apache, apacheProblem, withApache } from './apache.ts';
import { faultFrom, listWhole } from './file-world.ts';

const apacheTest = suite('pictures of an Apache');
const test = unlessUnable(apacheTest, apacheProblem());

function openFolder({ port }: Apache, path: string, password = 'secret', withSubfolders = true) {
  const network = fakeNetwork(port, () => ['93.184.215.14']);
  const follow = { wayOut: openWayOut({ network, clock: systemClock }), home: noHomeNetworks };
  const deps = { follow, clock: systemClock, sharer: ['house'], signal: new AbortController().signal };
  const settings = { address: `http://nas.example/dav/${path}`, sort: 'folder', folders: [], withSubfolders } as const;
  return openWebdavSource(deps, settings, { user: 'anna', password });
}

test('names of every kind are listed and fetched, and folders that lead up again end', () =>
  withApache(async (apache) => {
    const { folder } = apache;
    const names = [
      'a b.jpg',
      '50%.jpg',
      'what?#.jpg',
      'a & b<c>.jpg',
      'über.jpg',
      'u\u{308}ber 2.jpg',
      "it's.jpg",
      'a+b.jpg',
    ];
    await mkdir(join(folder, 'Lisbon %2F & co'));
    for (const name of names) {
      await writeFile(join(folder, name), name);
      await writeFile(join(folder, 'Lisbon %2F & co', name), name);
    }
    await writeFile(Buffer.concat([Buffer.from(`${folder}/M`), Buffer.from([0xfc]), Buffer.from('ller.jpg')]), 'latin');
    await symlink('..', join(folder, 'Lisbon %2F & co', 'up'));
    const source = openFolder(apache, '');
    const { pictures } = await listWhole(source);
    const own = pictures.filter(({ key }) => !key.includes('/'));
    assert.is(own.length, names.length + 1);
    for (const { key, name } of pictures.filter((one) => one.key.split('/').length <= 2)) {
      const fetched = await source.fetchPicture(key, { longSide: 800 });
      assert.is(String(fetched?.content), name.startsWith('M') ? 'latin' : name, key);
    }
    assert.is(String(await source.fetchHead?.('50%25.jpg')), '50%.jpg');
    const { server, count, title } = await openFolder(apache, 'Lisbon%20%252F%20&%20co', 'secret', false).summarize();
    assert.match(server ?? '', /^Apache/);
    assert.equal([title, count], ['Lisbon %2F & co', names.length]);
    assert.match(await faultFrom(openFolder(apache, '', 'wrong').summarize()), /^denied: /);
    assert.match(await faultFrom(openFolder(apache, 'nowhere/').summarize()), /^gone: /);
  }));

test('20,000 files in one folder are listed within two minutes, and within bounded memory', () =>
  withApache(async (apache) => {
    await mkdir(join(apache.folder, 'many'));
    for (let at = 0; at < 20_000; at++) await writeFile(join(apache.folder, 'many', `IMG_${at} ü.jpg`), 'x');
    const before = process.memoryUsage().rss;
    const begun = performance.now();
    let [count, most] = [0, 0];
    for await (const page of openFolder(apache, 'many/').list(undefined)) {
      count += page.length;
      most = Math.max(most, process.memoryUsage().rss - before);
    }
    const seconds = (performance.now() - begun) / 1_000;
    console.log(`20,000 files: ${seconds.toFixed(1)} s, ${Math.round(most / 1024 / 1024)} MB more`);
    assert.is(count, 20_000);
    assert.ok(seconds < 120, `${seconds} s`);
    assert.ok(most < 200 * 1024 * 1024, `${most} bytes`);
  }));

apacheTest.run();
