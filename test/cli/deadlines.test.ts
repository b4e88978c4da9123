import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isoTime } from '../../runtime/clock.ts';
import { furnish } from '../http/matrix.ts';
import { withCli } from './papergate.ts';

const test = suite('papergate deadlines');

test('list and due print deadlines and how they stand, as tables and as JSON', () =>
  withCli(async (world) => {
    const { run, json, admin, call, clock } = world;
    const { ids } = await furnish(world, admin);
    await world.db('deadlines').delete();
    const at = ['--organization', ids.organization];
    const by = isoTime(clock.now() + 3_600_000);
    const fields = { organization: ids.organization, paper: ids.paper, devices: [ids.device], by, name: 'Menu' };
    const made = await call('POST', '/deadlines/', { as: admin, json: fields });
    assert.is(made.status, 201, made.text);
    const [{ state }] = made.json.due;
    const listed = await run('deadlines', 'list', ...at);
    assert.is(listed.code, 0, listed.stderr);
    assert.match(
      listed.stdout,
      new RegExp(`${made.json.id}\\s+Menu\\s+${ids.paper}\\s+\\S+\\s+processed\\s+1 ${state}`),
    );
    assert.is((await json('deadlines', 'list', ...at))[0].id, made.json.id);
    assert.is((await json('deadlines', 'list'))[0].id, made.json.id, 'of all organizations of the key');
    assert.is((await json('deadlines', 'due'))[0].deadline, made.json.id);
    assert.match((await run('devices', 'show', ids.device)).stdout, new RegExp(`^due +Menu \\S+.* ${state}$`, 'm'));
    const due = await run('deadlines', 'due', ...at);
    assert.is(due.code, 0, due.stderr);
    assert.match(due.stdout, new RegExp(`Menu\\s+${state}`));
    assert.equal(
      (await json('deadlines', 'due', '--device', ids.device, ...at)).map(({ by: time }: { by: string }) => time),
      [by],
    );
  }));

test.run();
