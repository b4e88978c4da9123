import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutageRow } from '../../api/alerts/outage-kinds.ts';
import { OutageMirror } from '../../api/home-assistant/outage-mirror.ts';
import type { Clock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { hassProblems } from './hass-schema.ts';

const test = suite('outage mirror');
const config = 'homeassistant/device/papergate-service/config';

const outage = (id: string, name: string): OutageRow => ({
  id,
  organization_id: 'home',
  kind: 'frame-silent',
  subject: `device-${id}`,
  name,
  since: 1_790_000_000_000,
  opened_at: 0,
  tell_at: 0,
  told_at: 0,
  ended_at: null,
  closes_at: null,
  closed_at: null,
});

/** A mirror with outages that the test says, and a minute that it lets pass. */
function playedMirror() {
  const sent: { topic: string; text: string; retain: boolean }[] = [];
  let rows: OutageRow[] = [];
  let minute = (): void => {};
  const clock: Clock = {
    now: () => 1_790_000_600_000,
    after(_delayMs, run) {
      minute = run;
      return { cancel: () => {} };
    },
  };
  const link = {
    isUp: () => true,
    async publish(topic: string, payload: string | Buffer, { retain = false } = {}) {
      sent.push({ topic, text: payload.toString(), retain });
      return true;
    },
  };
  const mirror = new OutageMirror({
    clock,
    logger: silentLogger,
    prefix: 'homeassistant',
    version: '0.1.0',
    publicUrl: () => 'http://papers.example',
    link,
    readOutages: async () => rows,
  });
  const settled = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    return sent.splice(0);
  };
  return {
    mirror,
    async tellAll(now: OutageRow[]) {
      rows = now;
      mirror.tellAll();
      return settled();
    },
    async passMinute(now: OutageRow[]) {
      rows = now;
      minute();
      return settled();
    },
  };
}

test('the service appears as a device that Home Assistant takes, with what lasts already and no event of it', async () => {
  const { tellAll, mirror } = playedMirror();
  const sent = await tellAll([outage('1', 'Kitchen')]);
  assert.equal(
    sent.map(({ topic, retain }) => [topic, retain]),
    [
      [config, true],
      ['papergate/outages', true],
    ],
  );
  assert.equal(hassProblems(JSON.parse(sent[0]?.text ?? '')), []);
  const { count, outages } = JSON.parse(sent[1]?.text ?? '');
  assert.is(count, 1);
  assert.equal(outages[0], {
    kind: 'frame-silent',
    name: 'Kitchen',
    title: '“Kitchen” is offline',
    since: '2026-09-21T14:13:20.000Z',
    link: 'http://papers.example/console/frames/device-1',
  });
  await mirror.stop();
});

test('an outage that begins or ends is one event, and a minute without news publishes nothing', async () => {
  const { tellAll, passMinute, mirror } = playedMirror();
  await tellAll([]);
  assert.equal(await passMinute([]), []);
  const began = await passMinute([outage('1', 'Kitchen')]);
  assert.equal(
    began.map(({ topic, retain }) => [topic, retain]),
    [
      ['papergate/outages', true],
      ['papergate/outages/event', false],
    ],
  );
  assert.is(JSON.parse(began[1]?.text ?? '').event_type, 'began');
  assert.equal(await passMinute([outage('1', 'Kitchen')]), []);
  const paused = await passMinute([{ ...outage('1', 'Kitchen'), ended_at: 1_790_000_500_000 }]);
  assert.equal(
    paused.map(({ text }) => JSON.parse(text).count),
    [0],
    'it may begin again',
  );
  assert.is((await passMinute([outage('1', 'Kitchen')])).length, 1, 'it is the same outage');
  const ended = await passMinute([]);
  assert.is(JSON.parse(ended[0]?.text ?? '').count, 0);
  assert.is(ended.length, 2);
  const { event_type: type, title } = JSON.parse(ended[1]?.text ?? '');
  assert.is(type, 'ended');
  assert.match(title, /Kitchen.* is back/);
  await mirror.stop();
  assert.equal(await passMinute([outage('2', 'Hall')]), [], 'it was stopped');
});

test.run();
