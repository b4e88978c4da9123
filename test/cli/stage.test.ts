/** The stage that sandboxes, live scenarios and the demo are played on, and a live scenario on one. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { papergate } from '../../client/papergate.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { movedClock } from '../../testbed/moved-time/moved-clock.ts';
import { openLiveStage } from '../../testbed/scenario/live/live-stage.ts';
import { playScenario } from '../../testbed/scenario/play-scenario.ts';
import { readScenario } from '../../testbed/scenario/read-scenario.ts';
import { provisionFleet } from '../../testbed/stage/provision-fleet.ts';
import { freePorts, openStage } from '../../testbed/stage/stage.ts';
import { longTest } from '../some-times.ts';

const test = suite('a stage');

const began = Date.parse('2026-01-01T00:00:00Z');
/** The rows of a service that a stage must not reach. */
const realService = { DATABASE_URL: 'postgres://127.0.0.1:1/real', PAPERGATE_PUBLIC_URL: 'https://real.example' };
const env = { ...freePorts, ...realService, PATH: process.env.PATH, PAPERGATE_BROWSER: '/nowhere' };

/** Puts temporary folders into one of the test's, which must be empty at the end, except for what tsx keeps there. */
async function leavingNothing(run: () => Promise<void>): Promise<void> {
  const [folder, { TMPDIR }] = [await mkdtemp(join(tmpdir(), 'papergate-stages-')), process.env];
  process.env.TMPDIR = folder;
  try {
    await run();
    const left = await readdir(folder);
    assert.equal(
      left.filter((name) => !name.startsWith('tsx-')),
      [],
    );
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await rm(folder, { recursive: true });
  }
}

test('its service starts again where it listened, after so long by its own clock, and knows its frames', () =>
  leavingNothing(async () => {
    const clock = (isBusy: () => boolean) => movedClock(began, isBusy);
    const stage = await openStage({ env, logger: silentLogger, clock });
    try {
      const { organizationId: organization, apiKey, http: url } = stage;
      const planned = [{ serial: 'epd7-57a9e0000001', dialect: 'native' }] as const;
      await provisionFleet(stage.context, planned, { organization, login: 'password' });
      const { call } = papergate({ url, apiKey, retries: 0 });
      const devices = () => call('GET /devices/overview', { query: { organization } });
      assert.is((await devices())[0]?.id, await stage.deviceId(planned[0].serial));
      assert.match(await stage.deviceId('epd7-57a9e0000002').catch(String), 'epd7-57a9e0000002 is not registered');
      stage.clock.run(100_000);
      await stage.restart(3_600_000);
      assert.ok(stage.clock.now() - began >= 3_600_000);
      assert.is((await devices()).length, 1);
    } finally {
      await stage.stop();
    }
  }));

test('it goes by the machine’s clock as well, and is refused where it cannot listen', () =>
  leavingNothing(async () => {
    const clock = () => systemClock;
    const owner = { organization: 'Home', name: 'Ada', email: 'ada@example.org', keyName: 'hers' };
    const stage = await openStage({ env, logger: silentLogger, clock, owner });
    try {
      const { call } = papergate({ url: stage.http, apiKey: stage.apiKey });
      const [home] = await call('GET /organizations/');
      assert.equal([home?.id, home?.name], [stage.organizationId, 'Home']);
      assert.match(stage.link, `${stage.http}/console/#code=`);
      const taken = { ...env, PAPERGATE_HTTP_PORT: new URL(stage.http).port };
      const refused = openStage({ env: taken, logger: silentLogger, clock }).then(String, ({ message }) => message);
      assert.match(await refused, 'PAPERGATE_HTTP_PORT');
    } finally {
      await stage.stop();
    }
  }));

const scenario = `name: Live
lasts: 16m
fleet:
  - { name: broker, frames: 1, sleep: 2m, dialect: native }
  - { name: polling, frames: 1, sleep: 2m, dialect: trmnl }
events:
  - { at: 5m, push: Hello }
  - { at: 9m, do: restart, for: 1m }
expect:
  - all synced within 3 wakes
`;

longTest(test)('a live scenario goes as expected, over a service that is restarted in the middle', () =>
  leavingNothing(async () => {
    const played = await playScenario(readScenario(scenario), (of, listener) =>
      openLiveStage(of, listener, { speed: 300, env, logger: silentLogger }),
    );
    assert.ok(played.isGood, JSON.stringify(played.expectations));
    assert.equal(
      played.observations.notes.map(({ what }) => what),
      ['the service was stopped, for 1 min'],
    );
  }),
);

test.run();
