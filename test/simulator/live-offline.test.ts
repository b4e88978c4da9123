/** A frame with the offline firmware as a live fleet plays it, over real HTTP against the real gateway. */
import { suite } from 'uvu';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { type Panel, panelOfKind } from '../../firmware-protocol/panels.ts';
import { systemClock } from '../../runtime/clock.ts';
import { transact } from '../../runtime/database/database.ts';
import { startFleet } from '../../simulator/fleet/fleet.ts';
import { withGateway } from '../gateway/world.ts';

const test = suite('a live frame with the offline firmware');
const serial = 'offline-0123456789ab';

test('each state of the firmware looks, asks, and draws what it is offered', () =>
  withGateway(async (world) => {
    const kind = 'offline7';
    const { width, height } = panelOfKind(kind) as Panel;
    const file = packPicture(panelOfKind(kind) as Panel, 'landscape', new Uint8Array(width * height).fill(3));
    const sha256 = await world.gateway.storePicture(Buffer.from(file));
    const frames = [];
    for (const state of ['A', 'B', 'C'] as const) {
      const own = `${serial}-${state}`.toLowerCase();
      const { password = '' } = await world.provision(own, { kind, withPassword: true });
      await world.activate(own);
      const looks = { sha256, bytes: file.length, format: 'bitmap', panel: kind } as const;
      await transact(world.db, (trx) => world.gateway.offerPicture(trx, { serial: own, revision: 'one', ...looks }));
      frames.push({ serial: own, dialect: 'offline', state, kind, password } as const);
    }
    const told = { mqttUrl: '', picturePrefix: world.url, speed: 2000, seed: serial, trace: () => {} };
    const fleet = await startFleet({ frames, ...told, clock: systemClock });
    try {
      await Promise.all([...fleet.frames.values()].map((frame) => frame.untilShown(sha256, 120_000)));
    } finally {
      await fleet.stop();
    }
  }));

test.run();
