/** The statements of a wake: each is paid for at every wake of every frame. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { onPostgres } from '../some-times.ts';
import { nativeLine } from './native-line.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const statements = suite('statements of a wake');
// SQLite's statements pass no event of the pool.
const test = onPostgres(statements);
const serial = 'epd7-b0c1d2e3f405';

/** A statement by its verb and its table. */
function inShort(sql: string): string {
  const [, verb = '', rest = ''] = /^\s*(\w+)(.*)$/s.exec(sql.toLowerCase()) ?? [];
  const table = /\b(frame_\w+|frames|uploads|battery_days)\b/.exec(rest.replace(/^.*?\b(?:from|into)\b/s, ''))?.[1];
  return table === undefined ? verb : `${verb} ${table}`;
}

/** Plays a whole wake, and resolves when everything of it is recorded. */
async function wakes(world: GatewayWorld, access: Awaited<ReturnType<GatewayWorld['provision']>>): Promise<void> {
  const left = async (): Promise<number> => {
    const row = await world.db('frame_events').where({ serial, type: 'disconnect' }).count({ count: '*' }).first();
    return Number(row?.count);
  };
  const before = await left();
  const frame = await nativeLine(world, serial, access);
  await frame.hello();
  await frame.desired();
  await frame.say('bye', { sleepSeconds: 3600 });
  frame.line.vanish();
  await until(async () => (await left()) > before, 'the end of the wake is recorded');
}

test('an ordinary wake of a native frame is twenty statements, of which four begin or end a transaction', () =>
  withGateway(async (world) => {
    const access = await world.provision(serial);
    await world.activate(serial);
    await wakes(world, access);
    world.clock.passes(3_600_000);
    const asked: string[] = [];
    const listen = ({ sql }: { readonly sql: string }): void => {
      // The test itself counts.
      if (!/^select count/.test(sql)) asked.push(inShort(sql));
    };
    world.db.on('query', listen);
    await wakes(world, access);
    world.db.off('query', listen);
    assert.equal(asked.sort(), [
      'begin',
      'begin',
      'commit',
      'commit',
      'delete frame_conflicts',
      'insert battery_days',
      'insert frame_events',
      'insert frame_events',
      'insert frame_events',
      'insert frame_watch',
      'insert frame_watch',
      'select frame_certificates',
      'select frame_commands',
      'select frame_watch',
      'select frame_watch',
      'select frames',
      'select frames',
      'select uploads',
      'update frames',
      'update frames',
    ]);
  }));

statements.run();
