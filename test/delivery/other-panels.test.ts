/**
 * Deliveries to a frame that cannot draw what its device asks for: nothing is offered, and the reason is
 * reported.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withLine } from './delivery-world.ts';

const test = suite('deliveries of frames with another panel');

test('a frame that names another panel than its device has is offered nothing; its delivery fails and says why', () =>
  withLine(async (world) => {
    const frame = await world.addFrame();
    const other = await world.addFrame();
    await world.db('frames').where({ serial: frame.serial }).update({ panel: 'bwr7' });
    const request = await world.submit('one');
    for (let tries = 1; tries < 4; tries++) {
      world.clock.passes(60_000);
      await world.settles();
    }
    const found = await world.deliveries(request);
    const of = (serial: string) => found.find((delivery) => delivery.serial === serial);
    assert.equal([of(frame.serial)?.state, of(other.serial)?.state], ['failed', 'prepared']);
    assert.match(of(frame.serial)?.reason ?? '', /panel bwr7 .* epd7/);
    assert.is(await world.gateway.lastOffer(frame.serial), undefined);
    assert.equal(await world.db('uploads').where({ serial: frame.serial }), []);
  }));

test.run();
