import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { picture } from '../http/world.ts';
import { type CliWorld, withCli } from './papergate.ts';

const test = suite('papergate papers');

const unknownId = '0'.repeat(24);

/** A service with one device, as the arguments that a new paper takes. */
function withDevice(
  run: (world: CliWorld, deviceId: string, where: readonly string[]) => Promise<void>,
): Promise<void> {
  return withCli(async (world) => {
    const { organizationId } = world.admin;
    const made = await world.call('POST', '/devices/', { as: world.admin, json: { organization: organizationId } });
    await run(world, made.json.id, ['--device', made.json.id, '--organization', organizationId]);
  });
}

test('create makes a paper with title and meta, which becomes the shown one of its device (A-24)', async () => {
  await withDevice(async ({ admin, json, call, run }, deviceId, where) => {
    const meta = '{"title":"old","lut":"none","nested":{"a":[1]}}';
    const made = await json('papers', 'create', ...where, '--kind', 'plugin', '--title', 'Menu', '--meta', meta);
    assert.is(made.kind, 'plugin');
    assert.is(made.title, 'Menu');
    assert.equal(made.meta, { title: 'Menu', lut: 'none', nested: { a: [1] } });
    const { deviceShows, ...shown } = made;
    assert.is(deviceShows, made.id);
    assert.equal((await call('GET', `/papers/${made.id}`, { as: admin })).json, shown);
    assert.is((await call('GET', `/devices/${deviceId}`, { as: admin })).json.paper, made.id);
    const printed = await run('papers', 'create', ...where, '--kind', 'image');
    assert.is(printed.code, 0);
    assert.match(
      printed.stderr,
      /^the device goes on showing another paper: POST \/devices\/\S+ with \{"paper":"\w+"\} has it/,
    );
    const second = await json('papers', 'create', ...where, '--kind', 'image');
    assert.equal([second.deviceShows, second.hint.includes(`{"paper":"${second.id}"}`)], [made.id, true]);
    await call('POST', `/devices/${deviceId}`, { as: admin, json: { paper: second.id } });
    assert.is((await call('GET', `/devices/${deviceId}`, { as: admin })).json.paper, second.id, 'as the hint says');
    assert.match(printed.stdout, /^kind {10}image$/m);
    assert.match(printed.stdout, /^created {7}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m);
    assert.match(printed.stdout, /^picture {7}-$/m);
  });
});

test('list prints a table for people and the API answer as JSON; show prints one', async () => {
  await withDevice(async ({ admin, json, call, run }, deviceId, where) => {
    const created = await json('papers', 'create', ...where, '--kind', 'image', '--title', 'Menu');
    const { deviceShows: _, ...made } = created;
    for (const args of [[], ['--organization', admin.organizationId]]) {
      const page = await json('papers', 'list', ...args);
      assert.equal(page, (await call('GET', '/papers/', { as: admin })).json);
      assert.equal(page.results, [made]);
    }
    assert.equal(await json('papers', 'show', made.id), made);
    const printed = await run('papers', 'list');
    const lines = printed.stdout.trimEnd().split('\n');
    assert.equal(
      lines.map((line) => line.split(/ +/)),
      [
        ['ID', 'TITLE', 'KIND', 'DEVICE', 'PICTURE'],
        [made.id, 'Menu', 'image', deviceId, '-'],
      ],
    );
    const shown = await run('papers', 'show', made.id);
    assert.is(shown.code, 0);
    assert.match(shown.stdout, /^title {9}Menu$/m);
  });
});

test('push uploads the picture, and the paper says when', async () => {
  await withDevice(async ({ json, run, folder, pictures, db }, _deviceId, where) => {
    const made = await json('papers', 'create', ...where, '--kind', 'image', '--meta', '{"lut":"none"}');
    const file = join(folder, 'menu ä.png');
    await writeFile(file, picture('menu'));
    const pushed = await json('papers', 'push', made.id, file);
    assert.is(pushed.id, made.id);
    assert.type(pushed.imageUpdatedAt, 'string');
    assert.equal(pushed.meta, { lut: 'none' });
    const row = await db('papers').where({ id: made.id }).first();
    assert.is((await pictures.get(row.picture_key))?.toString(), 'NORMALIZED menu');
    const again = await run('papers', 'push', made.id, file);
    assert.is(again.code, 0);
    assert.match(again.stdout, /^picture {7}\d{4}-\d\d-\d\dT/m);
    assert.not.match(again.stdout, /already/);
    const serial = 'epd7-c11c11c11c11';
    await db('devices').where({ id: row.device_id }).update({ serial, kind: 'epd7' });
    assert.match((await run('papers', 'push', made.id, file)).stdout, /have these very pixels already: .* --force/);
    assert.is((await json('papers', 'push', made.id, file, '--force')).skippedUpload, false);
  });
});

test('C-49: a picture for a paper that draws itself is not used, and the person learns why', async () => {
  await withDevice(async ({ json, run, folder }, _deviceId, where) => {
    const made = await json('papers', 'create', ...where, '--kind', 'plugin');
    const file = join(folder, 'menu.png');
    await writeFile(file, picture('menu'));
    const ended = await run('papers', 'push', made.id, file);
    assert.equal([ended.code, ended.stdout], [1, '']);
    assert.match(ended.stderr, /of kind plugin draws itself: the picture would not be used\n {2}push to/);
  });
});

test('push to an album adds a picture', async () => {
  await withDevice(async ({ json, admin, call, folder }, _deviceId, where) => {
    const made = await json('papers', 'create', ...where, '--kind', 'album');
    const file = join(folder, 'sea.png');
    await writeFile(file, picture('sea'));
    assert.is((await json('papers', 'push', made.id, file)).id, made.id);
    assert.is((await call('GET', `/papers/${made.id}/pictures/`, { as: admin })).json.length, 1);
  });
});

test('a file that is not a picture is refused by the service and changes nothing', async () => {
  await withDevice(async ({ json, run, folder }, _deviceId, where) => {
    const made = await json('papers', 'create', ...where, '--kind', 'image');
    const file = join(folder, 'letter.txt');
    await writeFile(file, 'Dear Sir');
    const ended = await run('papers', 'push', made.id, file);
    assert.equal([ended.code, ended.stdout], [1, '']);
    assert.match(ended.stderr, /^400 Supported images: GIF, JPEG, PNG, WebP, HEIC, AVIF/);
    const { deviceShows: _, ...shown } = made;
    assert.equal(await json('papers', 'show', made.id), shown);
  });
});

test('ids that are unknown, somebody else’s or no ids are refused with 1, and a message', async () => {
  await withDevice(async ({ admin, stranger, call, run, folder }, deviceId, where) => {
    const organization = stranger.organizationId;
    const theirs = await call('POST', '/devices/', { as: stranger, json: { organization } });
    const body = { organization, deviceId: theirs.json.id, kind: 'image' };
    const paper = await call('POST', '/papers/', { as: stranger, json: body });
    const file = join(folder, 'menu.png');
    await writeFile(file, picture('menu'));
    const says = async (expected: RegExp, ...args: string[]) => {
      const ended = await run('papers', ...args);
      assert.equal([ended.code, ended.stdout], [1, ''], args.join(' '));
      assert.match(ended.stderr, expected);
    };
    for (const id of [unknownId, paper.json.id]) {
      await says(/^404 Not found\n/, 'show', id);
      await says(/^404 Not found\n/, 'push', id, file);
    }
    await says(/^400 Invalid request\n/, 'show', 'nonsense');
    await says(/^"\.\." is neither an id nor a serial\n/, 'show', '..');
    await says(/^"" is neither an id nor a serial\n/, 'push', '', file);
    await says(/^404 /, 'list', '--organization', organization);
    await says(/^404 /, 'create', '--device', deviceId, '--organization', organization, '--kind', 'image');
    const elsewhere = ['--device', theirs.json.id, '--organization', admin.organizationId];
    await says(/^404 No such device in this organization\n/, 'create', ...elsewhere, '--kind', 'image');
    await says(/^400 /, 'create', ...where, '--kind', '');
  });
});

test('bad --meta, a missing or unreadable file and missing options end with 2, and nothing is created', async () => {
  await withDevice(async ({ json, run, folder }, _deviceId, where) => {
    const made = await json('papers', 'create', ...where, '--kind', 'image');
    const create = ['create', ...where, '--kind', 'image'];
    for (const [expected, ...args] of [
      ...['{', '[1]', 'null', '"text"', ''].map((meta) => [
        /^--meta is not a JSON object\n {2}for/,
        ...create,
        '--meta',
        meta,
      ]),
      [/cannot be read \(ENOENT\)\n {2}name/, 'push', made.id, join(folder, 'missing.png')],
      [/cannot be read \(EISDIR\)\n {2}name/, 'push', made.id, folder],
      [/required option '--kind <kind>'/, 'create', ...where],
      [/required option '--device <id>'/, 'create', ...where.slice(2), '--kind', 'image'],
      [/required option '--organization <id>'/, 'create', ...where.slice(0, 2), '--kind', 'image'],
      [/missing required argument 'picture'/, 'push', made.id],
    ] as [RegExp, ...string[]][]) {
      const ended = await run('papers', ...args);
      assert.equal([ended.code, ended.stdout], [2, ''], args.join(' '));
      assert.match(ended.stderr, expected);
    }
    assert.is((await json('papers', 'list')).totalResults, 1);
  });
});

test.run();
