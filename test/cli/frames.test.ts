/** `papergate frames`: what each frame can log in with, and the word in time. */
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adoptFrame } from '../../api/devices/adopt-frame.ts';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { openContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { recordFrameEvent } from '../../gateway/frames/event-log.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { foundService, papergate, withScratchFolder } from './papergate.ts';

const test = suite('papergate frames');
const serial = 'epd7-b0c1d2e3f405';
const day = 86_400_000;

test('the list says how many certificates are valid, when the first ends, and whether there is a password', async () => {
  await withScratchFolder(async (folder) => {
    const env = { PAPERGATE_DATA: folder };
    const provision = (...more: string[]) =>
      papergate(env, 'frames', 'provision', serial, '--out', `${folder}/out`, ...more);
    const listed = async () => JSON.parse((await papergate(env, 'frames', 'list', '--json')).stdout)[0];
    assert.is((await provision()).stderr, '');
    const first = await listed();
    assert.equal([first.certificates, first.password], [1, 'no']);
    assert.ok(new Date(first.expires).getTime() > Date.now() + 3649 * day);
    assert.is((await provision('--password')).stderr, '', 'the first has years left');
    const second = await listed();
    assert.equal([second.certificates, second.password], [2, 'yes']);

    const context = await openContext(readSettings(env));
    const ends = Math.floor(Date.now() / 1000) * 1000 + 59 * day;
    const oldest = context.db('frame_certificates').orderBy('created_at').limit(1).select('fingerprint');
    await context.db('frame_certificates').whereIn('fingerprint', oldest).update({ expires_at: ends });
    const soon = new Date(ends).toISOString().replace('.000Z', 'Z');
    assert.is((await listed()).expires, soon);
    const warned = await provision('--json');
    assert.is(warned.code, 0);
    assert.is(
      warned.stderr,
      `An earlier certificate of ${serial} ends at ${soon}: the frame needs the new one before.\n`,
    );
    await context.db('frame_certificates').update({ expires_at: Date.now() - 1 });
    await context.close();
    const expired = await listed();
    assert.equal([expired.certificates, expired.expires, expired.password], [0, null, 'yes']);
    await provision();
    await papergate(env, 'frames', 'revoke', serial);
    const revoked = await listed();
    assert.equal([revoked.certificates, revoked.password], [0, 'no']);
  });
});

test('the list shows the last trouble of each frame, for a week or until it is over', async () => {
  await withScratchFolder(async (folder) => {
    const env = { PAPERGATE_DATA: folder };
    await papergate(env, 'frames', 'provision', serial, '--out', `${folder}/out`);
    const now = Math.floor(Date.now() / 1000) * 1000;
    const troubled = async (at: number, payload: object) => {
      const context = await openContext(readSettings(env));
      await recordFrameEvent(context.db, context.random, { serial, type: 'alert', at, payload: { ...payload } });
      await context.close();
      const [{ trouble, troubleAt }] = JSON.parse((await papergate(env, 'frames', 'list', '--json')).stdout);
      return [trouble, Date.parse(troubleAt)];
    };
    assert.equal(await troubled(now - 8 * day, { problem: 'long ago' }), [null, Number.NaN]);
    assert.equal(await troubled(now - day, { problem: 'wills are refused' }), ['wills are refused', now - day]);
    assert.equal(await troubled(now, { stage: 'recovered' }), [null, Number.NaN]);
  });
});

test('sessions forget replaces what session tickets are made of', async () => {
  await withScratchFolder(async (folder) => {
    const env = { PAPERGATE_DATA: folder };
    await papergate(env, 'frames', 'provision', serial, '--out', `${folder}/out`);
    const salts: unknown[] = [];
    for (const _time of [1, 2]) {
      const { code, stdout } = await papergate(env, 'frames', 'sessions', 'forget', '--json');
      assert.equal([code, JSON.parse(stdout).runningServicesNoticeWithinSeconds], [0, 60]);
      const context = await openContext(readSettings(env));
      salts.push((await context.db('service_facts').where({ name: 'tickets' }).first()).value);
      await context.close();
    }
    assert.is(new Set(salts).size, 2);
  });
});

test('renew gives a new certificate and lets the earlier ones end after the overlap', async () => {
  await withScratchFolder(async (folder) => {
    const env = { PAPERGATE_DATA: folder };
    const frames = (...words: string[]) => papergate(env, 'frames', ...words);
    const listed = async () => JSON.parse((await frames('list', '--json')).stdout)[0];
    await foundService(folder);
    const unknown = await frames('renew', serial, '--out', `${folder}/new`);
    assert.equal([unknown.code, unknown.stderr.split('\n')[0]], [1, 'No such frame is provisioned here']);
    await frames('provision', serial, '--out', `${folder}/old`);
    const wrong = await frames('renew', serial, '--out', `${folder}/new`, '--overlap-days', 'soon');
    assert.equal([wrong.code, (await listed()).certificates], [2, 1]);

    const { code, stdout } = await frames('renew', serial, '--out', `${folder}/new`, '--json');
    const { earlierUntil, files } = JSON.parse(stdout);
    assert.is(code, 0);
    const days = (until: string) => Math.round((Date.parse(until) - Date.now()) / day);
    assert.is(days(earlierUntil), 30);
    assert.equal(
      files.map((file: string) => file.slice(folder.length)),
      [`/new/${serial}.key`, `/new/${serial}.crt`, '/new/ca.crt'],
    );
    const { certificates, expires, lastExpires } = await listed();
    assert.equal([certificates, expires, days(lastExpires)], [2, earlierUntil, 3650]);
    await frames('renew', serial, '--out', `${folder}/new`, '--overlap-days', '90');
    const again = await listed();
    assert.equal([again.certificates, again.expires], [3, earlierUntil], 'an overlap is never made longer');
  });
});

test('provisioning that is refused has done nothing, and an unknown kind is refused with the known ones', async () => {
  await withScratchFolder(async (folder) => {
    const env = { PAPERGATE_DATA: folder };
    const provision = (...more: string[]) =>
      papergate(env, 'frames', 'provision', serial, '--out', `${folder}/out`, ...more);
    const nowhere = await provision('--organization', '0'.repeat(24));
    assert.equal([nowhere.code, nowhere.stderr.split('\n')[0]], [1, `No organization ${'0'.repeat(24)}`]);
    const klingon = await provision('--kind', 'klingon');
    assert.is(klingon.code, 1);
    assert.match(klingon.stderr, /Frames of kind klingon are not known here\n.*epd7 or openpaper13 or .*bwr7/);
    assert.equal(JSON.parse((await papergate(env, 'frames', 'list', '--json')).stdout), []);
    assert.not.ok(existsSync(`${folder}/out`));
  });
});

test('a frame that is provisioned for another panel takes its device with it', async () => {
  await withScratchFolder(async (folder) => {
    const env = { PAPERGATE_DATA: folder };
    const provision = (...more: string[]) =>
      papergate(env, 'frames', 'provision', serial, '--out', `${folder}/out`, '--json', ...more);
    const context = await openContext(readSettings(env));
    try {
      const admin = { name: 'Ada', email: 'ada@example.org' };
      const home = { name: 'Home', email: admin.email, kind: null, admin };
      const { organizationId } = await createOrganization(context.db, context, home);
      const { deviceId } = JSON.parse((await provision('--organization', organizationId)).stdout);
      const kind = async () => (await context.db('devices').where({ id: deviceId }).first('kind')).kind;
      assert.is(await kind(), 'epd7');
      assert.is((await provision('--kind', 'bwr7', '--organization', organizationId)).code, 0);
      assert.is(await kind(), 'bwr7');
    } finally {
      await context.close();
    }
  });
});

test('frames plain makes a frame of the only organization, and prints address and key', async () => {
  await withScratchFolder(async (folder) => {
    const env = { PAPERGATE_DATA: folder, PAPERGATE_PUBLIC_URL: 'https://paper.example' };
    const context = await openContext(readSettings(env));
    try {
      const plain = (...more: string[]) =>
        papergate(env, 'frames', 'plain', 'kitchen', '--kind', 'mono-800x480', ...more);
      const early = await plain();
      assert.equal([early.code, early.stdout], [1, '']);
      const admin = { name: 'Ada', email: 'ada@example.org' };
      await createOrganization(context.db, context, { name: 'Home', email: admin.email, kind: null, admin });
      const made = JSON.parse((await plain('--json')).stdout);
      assert.equal([made.serial, made.address], ['plain-kitchen', 'https://paper.example/plain/plain-kitchen']);
      assert.is(made.header, `Authorization: Bearer ${made.key}`);
      const row = await context.db('frames').first();
      assert.equal([row.serial, row.activation, row.kind], ['plain-kitchen', 'activated', 'mono-800x480']);
      assert.match((await plain()).stdout, /recipes +docs\/plain-polling\.md/);
      assert.is((await papergate(env, 'frames', 'plain', 'x', '--kind', 'mono-9x9')).code, 1);
    } finally {
      await context.close();
    }
  });
});

test('T-79: a serial that an organization has claimed is provisioned for it by name, or taken from it', async () => {
  await withScratchFolder(async (folder) => {
    const env = { PAPERGATE_DATA: folder };
    const context = await openContext(readSettings(env));
    try {
      const found = async (name: string) => {
        const admin = { name: 'Ada', email: 'ada@example.org' };
        const made = await createOrganization(context.db, context, { name, email: admin.email, kind: null, admin });
        return made.organizationId;
      };
      const [squatter, home] = [await found('Squatter'), await found('Home')];
      // As an admin of the organization does over HTTP.
      const claimed = await provisionFrame(context, { serial });
      const { id: deviceId } = await adoptFrame(context, serial, squatter);
      await context.db('frame_certificates').update({ ownership: 1 });
      await context.db('frames').update({ ownership: 1 });
      const provision = (...more: string[]) =>
        papergate(env, 'frames', 'provision', serial, '--out', `${folder}/out`, ...more);
      for (const more of [[], ['--organization', home]]) {
        const refused = await provision(...more);
        assert.is(refused.code, 1);
        assert.is(refused.stderr.split('\n')[0], `${serial} is a device of the organization Squatter (${squatter})`);
        assert.match(refused.stderr, new RegExp(`--organization ${squatter}; if not, add --take`));
        assert.is(refused.stdout, '');
        assert.not.ok(existsSync(`${folder}/out`), 'nothing was written');
      }
      assert.is((await provision('--organization', squatter)).code, 0, 'whoever names it means it');
      await context.db('frame_certificates').update({ ownership: 1 });
      assert.is((await provision('--take', '--organization', home)).code, 0);
      const [device, ...more] = await context.db('devices').select('organization_id', 'serial', 'id');
      assert.equal([device.organization_id, device.serial, more.length], [home, serial, 0]);
      assert.is.not(device.id, deviceId);
      const valid = await context
        .db('frame_certificates')
        .where({ revoked_at: null })
        .select('ownership', 'fingerprint');
      assert.equal(valid.length, 1, 'what the claim made opens nothing any more');
      assert.is(valid[0].ownership, null);
      assert.type(claimed.certificate, 'string');
      const [entry] = await context.db('audit_entries').where({ organization_id: squatter });
      assert.equal([entry.action, entry.actor, entry.object_id], ['device.released', 'operator', deviceId]);
    } finally {
      await context.close();
    }
  });
});

test.run();
