import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { openContext, type ServiceContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { fingerprintOf } from '../../gateway/identity/authority.ts';
import { type ProvisionOptions, provisionFleet } from '../../testbed/stage/provision-fleet.ts';
import { papergateCommand } from '../runner/built.ts';
import { longTest } from '../some-times.ts';

const test = suite('a fleet is provisioned');

async function withFolder(use: (context: ServiceContext, organization: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'provision-fleet-'));
  const context = await openContext(readSettings({ PAPERGATE_DATA: folder, PAPERGATE_LOG_LEVEL: 'silent' }));
  try {
    const admin = { name: 'You', email: 'you@fleet.test' };
    await createOrganization(context.db, context, { name: 'Fleet', email: admin.email, kind: null, admin });
    const { id } = await context.db('organizations').first('id');
    await use(context, id);
  } finally {
    await context.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const planned = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    serial: `epd7-${String(at).padStart(12, '0')}`,
    dialect: at % 2 === 0 ? ('native' as const) : ('classic' as const),
  }));

test('with passwords, which replace those of an earlier start, and as devices of the organization', async () => {
  await withFolder(async (context, organization) => {
    const parts: number[] = [];
    const options: ProvisionOptions = { organization, login: 'password', done: (frames) => parts.push(frames) };
    const former = await provisionFleet(context, planned(1), options);
    const frames = await provisionFleet(context, planned(120), options);
    assert.equal(parts, [1, 50, 100, 120]);
    assert.equal(
      frames.map(({ serial }) => serial),
      planned(120).map(({ serial }) => serial),
    );
    const fits = async (of: typeof frames, at: number): Promise<boolean> => {
      const frame = of[at];
      if (frame === undefined || !('credentials' in frame) || frame.credentials.kind !== 'password') return false;
      return (await frameRegistry(context.db).matchingPassword(frame.serial, frame.credentials.password)) !== undefined;
    };
    assert.equal([await fits(former, 0), await fits(frames, 0), await fits(frames, 119)], [false, true, true]);
    const devices: { serial: string }[] = await context.db('devices').where({ organization_id: organization });
    assert.is(devices.length, 120);
  });
});

longTest(test)('with certificates, of which the newest alone opens anything', async () => {
  await withFolder(async (context) => {
    const options: ProvisionOptions = { login: 'certificate' };
    await provisionFleet(context, planned(3), options);
    const frames = await provisionFleet(context, planned(3), options);
    const known: { fingerprint: string }[] = await context.db('frame_certificates').select('fingerprint');
    const made = frames.map((frame) =>
      'credentials' in frame && frame.credentials.kind === 'certificate'
        ? fingerprintOf(new X509Certificate(frame.credentials.cert))
        : 'no certificate',
    );
    assert.equal(known.map(({ fingerprint }) => fingerprint).sort(), made.sort());
  });
});

test('a fleet that is too large for the machine is refused before any service is asked', async () => {
  const typed = `ulimit -n 400; exec "$0" "$1" simulate --frames 10000`;
  const child = spawn('sh', ['-c', typed, process.execPath, papergateCommand], {
    env: { PATH: process.env.PATH, PAPERGATE_DATA: '/nowhere/at/all' },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (part) => {
    said += part;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  assert.not.equal(code, 0);
  assert.match(
    said,
    /^10000 frames need up to 20100 open files, and this process may have 400\n.*or take 150 frames\n$/,
  );
});

test.run();
