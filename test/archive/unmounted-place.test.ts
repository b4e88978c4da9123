/** A place that is empty where an archive was is a share that is not mounted, after a start as well. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryPlace, rowsAt, withArchived } from './archive-world.ts';

const test = suite('an archive whose share is not mounted');

test('a service that starts over an empty place where its archive was reports it and writes nothing', () =>
  withArchived(async (service) => {
    const first = service.open();
    await first.round();
    assert.is(service.state().fault, undefined);
    first.close();
    const folder = memoryPlace();
    const unmounted = service.open({ place: folder });
    for (let n = 0; n < 3; n++) {
      service.clock.move(10_000);
      await unmounted.round();
      const { fault, until } = service.state();
      assert.is(fault?.message, 'the archive is gone from its place');
      assert.match(fault?.hint ?? '', /mounted\?/);
      assert.is(fault?.trouble, 'away');
      assert.is(until, undefined);
      assert.equal([...folder.objects], []);
    }
    assert.is(service.said.filter((line) => line.startsWith('archiving waits')).length, 1, 'the log says so once');
    // The share is back under the same name.
    for (const [name, bytes] of service.place.objects) folder.objects.set(name, bytes);
    service.writer.exec("insert into notes (text) values ('written meanwhile')");
    await unmounted.round();
    assert.is(service.state().fault, undefined);
    assert.equal((await rowsAt({ ...service, place: folder }, undefined)).rows, service.rows());
  }));

test('a place that never had an archive of the service gets one', () =>
  withArchived(async (service) => {
    const begun: string[] = [];
    const other = { isKnown: async () => begun.length > 0, keep: async () => void begun.push('begun') };
    await service.open().round();
    const place = memoryPlace();
    const moved = service.open({ place, begun: other });
    await moved.round();
    assert.is(service.state().fault, undefined);
    assert.ok(place.objects.has('archive.json'));
    await moved.round();
    assert.equal(begun, ['begun'], 'it is noted once');
  }));

test.run();
