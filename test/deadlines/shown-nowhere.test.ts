/** Deadlines that no frame can keep as things are: no frame is to show the paper, or one that was never set up is. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wordDeadlines } from '../../api/deadlines/word-notices.ts';
import { isoTime } from '../../runtime/clock.ts';
import { hourMs, minuteMs } from '../alerts/alert-world.ts';
import { furnish } from '../http/matrix.ts';
import { withHttp } from '../http/world.ts';
import { withDeadlines } from './deadline-world.ts';

const test = suite('deadlines/shown-nowhere');

test('the answer says at once that no frame is to show it, and lists do', () =>
  withHttp(async (world) => {
    const { call, admin, clock } = world;
    const { ids } = await furnish(world, admin);
    const given = { organization: ids.organization, deviceId: ids.device, kind: 'image', meta: {} };
    const { id: paper } = (await call('POST', '/papers', { as: admin, json: given })).json;
    const json = { organization: ids.organization, paper, by: isoTime(clock.now() + hourMs) };
    const made = await call('POST', '/deadlines/', { as: admin, json });
    const [due] = made.json.due;
    assert.equal([due.device, due.deviceName, due.state], [null, '', 'unavoidable'], made.text);
    assert.is(due.causes[0].code, 'deadline-not-shown');
    assert.equal(due.waysOut, ['choose-paper']);
    const listed = await call('GET', `/deadlines/due?organization=${ids.organization}`, { as: admin });
    assert.ok(listed.json.due.some((one: { id: string }) => one.id === due.id));
    const taken = await call('POST', `/deadlines/${made.json.id}/acknowledge`, { as: admin, json: {} });
    assert.is(taken.status, 200, taken.text);
  }));

test('it is notified as missed, where nobody gives the paper to a frame', () =>
  withDeadlines(async (world) => {
    const channel = await world.addChannel();
    const step = { to: { channel }, urgent: false } as const;
    const by = world.clock.now() + hourMs;
    const steps = [
      { when: { state: 'unavoidable' }, ...step } as const,
      { when: { state: 'missed' }, ...step } as const,
    ];
    await world.addDeadline({ by, steps });
    await world.passes(2 * hourMs);
    assert.equal(await world.events(), ['deadline.will-miss', 'deadline.missed']);
    const link = 'https://papers.example/console/papers';
    const [foretold, missed] = world.sent.map(({ message }) => message);
    assert.match(foretold?.title ?? '', /will not be on any frame by /);
    assert.equal(
      [foretold?.text, foretold?.link],
      ['No frame is to show this content.\nChoose this content for the frame.', link],
    );
    assert.match(missed?.title ?? '', /was not on any frame by /);
    assert.is(world.sent.length, 2);
  }));

test('a frame that is given the paper goes on with it, and those who were notified hear when it is met', () =>
  withDeadlines(async (world) => {
    await world.addChannel();
    await world.addDeadline({ by: world.clock.now() + hourMs });
    const frame = await world.addFrame();
    await world.submit('menu');
    await world.passes(minuteMs);
    assert.equal(
      (await world.occurrences()).map(({ device_id, state }) => [device_id, state]),
      [[frame.deviceId, 'planned']],
    );
    await frame.wakes();
    await world.works();
    assert.equal(await world.events(), ['deadline.will-miss', 'deadline.met']);
    assert.is(world.sent.at(-1)?.message.isOver, true);
  }));

test('a frame without the paper that never came is said to show something else, and never to have connected', () =>
  withDeadlines(async (world) => {
    const frame = await world.addFrame(null);
    await world.addDeadline({ by: world.clock.now() + 5000, devices: [frame.deviceId] });
    const [row] = await world.occurrences();
    assert.is(row?.state, 'unavoidable');
    const codes = JSON.parse(row?.cause ?? '[]').map(({ code }: { code: string }) => code);
    assert.equal(codes, ['deadline-other-paper', 'deadline-never-came']);
  }));

test('a message about several deadlines says of each why, and what to do', () => {
  const usual = { occurrenceId: 'o', deadlineId: 'd', deviceId: 'e', frame: 'Hall', timeZone: 'UTC', proofAt: null };
  const told = { ...usual, paper: 'Menu', state: 'unavoidable', by: 0, isUrgent: false } as const;
  const message = wordDeadlines(
    'm',
    [
      { ...told, cause: [{ code: 'deadline-flat' }] },
      { ...told, deviceId: null, cause: [{ code: 'deadline-not-shown' }] },
      { ...told, state: 'met', cause: [] },
    ],
    { language: 'en', publicUrl: 'https://papers.example' },
  );
  const lines = message.text.split('\n').filter((line) => line.startsWith('  '));
  assert.equal(lines, [
    '  The battery of the frame is flat.',
    '  Charge it, or change the batteries.',
    '  No frame is to show this content.',
    '  Choose this content for the frame.',
  ]);
});

test('a receiver that is not there is named by its field', () =>
  withHttp(async (world) => {
    const { call, admin, clock } = world;
    const { ids } = await furnish(world, admin);
    const given = { organization: ids.organization, deviceId: ids.device, kind: 'image', meta: {} };
    const { id: paper } = (await call('POST', '/papers', { as: admin, json: given })).json;
    const when = { state: 'unavoidable' };
    for (const field of ['person', 'channel']) {
      const steps = [
        { when, to: { channels: 'all' } },
        { when, to: { [field]: ids.paper } },
      ];
      const json = { organization: ids.organization, paper, by: isoTime(clock.now() + hourMs), steps };
      const { status, text } = await call('POST', '/deadlines/', { as: admin, json });
      assert.is(status, 404);
      assert.match(text, `steps[1].to.${field}: `);
    }
  }));

test.run();
