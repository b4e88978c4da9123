/** Behaviours that the connections of a frame have to understand, over real MQTT and TLS. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../runtime/clock.ts';
import { startFleet, type TraceEvent } from '../../simulator/fleet/fleet.ts';
import { type Said, type ToyGateway, withToyGateway } from './toy-gateway.ts';

const test = suite('live behaviours');
const serial = 'epd7-b0c1d2e3f405';
const credentials = { kind: 'password', password: 'any' } as const;

/** Answers a hello with nothing new. */
function greets({ topic, answer }: Said): void {
  if (topic !== 'hello') return;
  answer(`frames/1/${serial}/desired`, { time: 1, settings: { sleepSeconds: 600 } }, 1);
}

async function withGateway(use: (gateway: ToyGateway) => Promise<void>): Promise<void> {
  await withToyGateway({ said: greets, get: (_path, response) => response.destroy() }, use);
}

const isLost = ({ event }: TraceEvent): boolean => event === 'link lost';
const isAsleep = ({ event }: TraceEvent): boolean => event === 'asleep';
const whyOf = (events: readonly TraceEvent[]): unknown => events.find(isLost)?.why;

test('a frame in 2099 takes the certificate for expired, and one in 1970 for not valid yet', async () => {
  await withGateway(async (gateway) => {
    const proven = await gateway.certificate(serial);
    const frame = { serial, dialect: 'native', credentials: proven } as const;
    assert.is(
      whyOf(await gateway.run({ ...frame, behaviours: ['clock-2099'] }, isLost)),
      'the certificate has expired',
    );
    assert.is(
      whyOf(await gateway.run({ ...frame, behaviours: ['clock-1970'] }, isLost)),
      'the certificate is not valid yet',
    );
    assert.not(gateway.timeline.includes('link up'));
  });
});

test('where there is no TLS a wrong clock is nothing', async () => {
  await withGateway(async (gateway) => {
    const events = await gateway.run({ serial, dialect: 'native', credentials, behaviours: ['clock-2099'] }, isAsleep);
    assert.is(whyOf(events), undefined);
    assert.ok(gateway.timeline.includes('link up'));
  });
});

test('a frame without Wi-Fi reaches nobody, and is there again at the wake after', async () => {
  await withGateway(async (gateway) => {
    let wakes = 0;
    const events = await gateway.run(
      { serial, dialect: 'native', credentials, behaviours: ['weak-wifi'] },
      (event) => isAsleep(event) && ++wakes === 3,
    );
    assert.equal(
      gateway.timeline.filter((what) => /^(link up|gave up|woke)$/.test(what)),
      ['woke', 'link up', 'woke', 'gave up', 'woke', 'link up'],
    );
    assert.is(events.find(({ event }) => event === 'gave up')?.why, 'no Wi-Fi');
  });
});

test('a frame that loses its power comes back by a reset, without a bye', async () => {
  await withGateway(async (gateway) => {
    const events = await gateway.run(
      { serial, dialect: 'native', credentials, behaviours: ['power-loss'] },
      ({ event, reason }) => event === 'woke' && reason === 'reset',
    );
    const names = events.map(({ event }) => event);
    assert.ok(names.indexOf('power lost') > 0 && names.indexOf('power lost') < names.length - 1, names.join(' '));
  });
});

test('a cloned frame is two devices with one identity, which are taken away together', async () => {
  await withGateway(async (gateway) => {
    const devices = new Set<string>();
    let bothSlept: () => void = () => undefined;
    const slept = new Promise<void>((resolve) => {
      bothSlept = resolve;
    });
    const fleet = await startFleet({
      frames: [{ serial, dialect: 'native', credentials, behaviours: ['cloned', 'fast-clock'] }],
      mqttUrl: gateway.mqtt,
      picturePrefix: gateway.http,
      speed: 1000,
      seed: 'twins',
      clock: systemClock,
      trace(event) {
        if (isAsleep(event)) devices.add(event.serial);
        if (devices.size === 2) bothSlept();
      },
    });
    await slept;
    assert.equal([...fleet.frames.keys()], [serial, `${serial} clone`]);
    assert.is(fleet.frames.get(`${serial} clone`)?.state.serial, serial);
    await fleet.remove(serial);
    assert.is(fleet.frames.size, 0);
    await fleet.stop();
  });
});

test('a behaviour that is nothing for a frame is refused before any frame is switched on', async () => {
  const frame = { serial: 'trmnl-02aabbccddee', dialect: 'trmnl', version: '1.8.15', kind: 'trmnl4' } as const;
  try {
    await startFleet({
      frames: [{ ...frame, behaviours: ['clock-2099'] }],
      mqttUrl: 'mqtt://127.0.0.1:9',
      picturePrefix: '',
      polledUrl: 'http://127.0.0.1:9/trmnl',
      speed: 1,
      seed: 'x',
      clock: systemClock,
      trace: () => assert.unreachable('no frame is switched on'),
    });
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), 'clock-2099 is nothing that a trmnl frame does; there are half-download');
  }
});

test.run();
