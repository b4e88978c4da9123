/** T-18, T-32, T-34, T-35: what cannot be taken gets a 4xx that names the field, and nothing stored has moved. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withHttp } from '../http/world.ts';
import { bomb, framedPaper, ok, type Part, photo } from './images-world.ts';

const test = suite('bad uploads');

test('T-32, C-06: bytes that are not a picture we accept are refused under whatever name they come', () =>
  withHttp(async (world) => {
    const paper = await framedPaper(world);
    const png = await photo(800, 480);
    ok(
      await paper.upload([
        ['picture', png],
        ['pictureEditable', '{"v":1}'],
      ]),
    );
    const before = await paper.row();
    const supported = 'Supported images: GIF, JPEG, PNG, WebP, HEIC, AVIF, maximum 60 MP';
    const pictures: readonly (readonly [string, Buffer, string])[] = [
      ['nothing', Buffer.alloc(0), supported],
      ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="800" height="480"/>'), supported],
      ['the head of a GIF', Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00', 'latin1'), 'The image is damaged'],
      [
        'a HEIC without its picture',
        Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'),
        'The image is damaged',
      ],
      ['BMP', Buffer.from(`BM${'\0'.repeat(60)}`, 'latin1'), supported],
      ['a page', Buffer.from('<html><script>alert(1)</script>'), supported],
      ['a bomb', bomb(8000, 7501), supported],
      ['as wide as that', bomb(100_000, 601), supported],
      ['wider than anything', bomb(0x7fffffff, 1), 'The image is damaged'],
      ['half a PNG', png.subarray(0, png.length / 2), 'The file ends after 49 % of the picture'],
      ['a head alone', png.subarray(0, 40), 'The image is damaged'],
      ['JPEG in name only', Buffer.from('\xff\xd8\xff\xe0 and nothing else', 'latin1'), 'The image is damaged'],
      ['pixels that are missing', bomb(800, 480), 'The file ends after 0 % of the picture'],
    ];
    for (const [name, bytes, message] of pictures) {
      for (const [field, parts] of [
        ['picture', [['picture', bytes]]],
        [
          'picture',
          [
            ['picture', bytes],
            ['picture', png],
          ],
        ],
        [
          'pictureDevice',
          [
            ['picture', png],
            ['pictureDevice', bytes],
          ],
        ],
      ] as readonly (readonly [string, readonly Part[]])[]) {
        const answer = await paper.upload(parts);
        assert.equal([answer.status, answer.json.message], [400, message], `${name} as ${field}`);
        assert.ok(answer.json.hint.startsWith(`${field}: `), `${name}: ${answer.json.hint}`);
      }
    }
    assert.equal(await paper.row(), before);
  }));

test('T-18, T-34: fields of an upload are judged like bodies', () =>
  withHttp(async (world) => {
    const paper = await framedPaper(world);
    const png = await photo(80, 48);
    ok(
      await paper.upload([
        ['picture', png],
        ['pictureEditable', '{"v":1}'],
      ]),
    );
    const before = await paper.row();
    const texts: readonly (readonly [string, string])[] = [
      ['broken', '{"v":'],
      ['not JSON', 'canvas'],
      ['a prototype', '{"a":{"__proto__":{"polluted":1}}}'],
      ['a constructor', '[{"constructor":{"prototype":{}}}]'],
      ['NUL', '{"a":"\\u0000"}'],
      ['half a pair', '{"a":"\\ud800"}'],
      ['too deep', `${'['.repeat(65)}${']'.repeat(65)}`],
      ['too many values', `[${'1,'.repeat(100_001)}1]`],
      ['beyond a double', '[1e999]'],
    ];
    for (const [name, text] of texts) {
      for (const field of ['pictureEditable', 'settings']) {
        const answer = await paper.upload([
          ['picture', png],
          [field, text],
        ]);
        assert.equal([answer.status, answer.json.message], [400, `Invalid JSON in ${field}`], name);
      }
    }
    const good: Part = ['picture', png];
    const forms: readonly (readonly [readonly Part[], RegExp])[] = [
      [[good, ['pictureEditable', `"${'x'.repeat(4 * 1024 * 1024)}"`]], /^pictureEditable is larger than 4 MiB$/],
      [[good, ['settings', `"${'x'.repeat(4 * 1024 * 1024)}"`]], /^settings is larger than 4 MiB$/],
      [
        [good, ...Array.from({ length: 51 }, (_, at): Part => [`f${at}`, ''])],
        /^The form has more than 50 text fields$/,
      ],
      [[good, ['f'.repeat(101), '']], /^The form has more than 100 bytes in the name of a field$/],
      [[good, ['settings[a]', '1']], /^The form has more than 0 brackets in the name of a field$/],
      [[good, ['pictureDevice', 'as text']], /pictureDevice is a file/],
      [[good, ['pictureDevice', png], ['pictureDevice', png]], /More than one pictureDevice/],
      [[good, good, good], /More than two pictures/],
      [[['pictureDevice', png]], /No image file uploaded/],
      [[['pictureEditable', '{}']], /No image file uploaded/],
      [[good, ['thumbnail', png]], /Unexpected file field thumbnail/],
    ];
    for (const [parts, message] of forms) {
      const answer = await paper.upload(parts);
      assert.is(answer.status, 400, answer.text);
      assert.match(answer.json.message, message);
    }
    // A form reader takes the bytes of a part without a file name for text.
    const type = { 'content-type': 'multipart/form-data; boundary=b' };
    const nameless =
      '--b\r\nContent-Disposition: form-data; name="picture"\r\nContent-Type: image/png\r\n\r\nx\r\n--b--\r\n';
    for (const [path, hint] of [
      [`/papers/uploadSingleImage/${paper.id}`, 'hint'],
      [`/v1/papers/uploadSingleImage/${paper.id}`, 'raw'],
      [`/devices/uploadSingleImage/${paper.deviceId}`, 'hint'],
    ] as const) {
      const { status, json } = await world.call('POST', path, { as: world.user, headers: type, body: nameless });
      assert.equal([status, json.message], [400, 'No image file uploaded'], path);
      assert.match(json[hint], 'filename');
    }
    assert.equal(await paper.row(), before);
    assert.is(Object.hasOwn(Object.prototype, 'polluted'), false);
    // The canvas may come as a file too; a picture without one has none.
    ok(await paper.upload([good, ['pictureEditable', Buffer.from('[1,2]')]]));
    assert.is(String(await world.pictures.get((await paper.row()).editable_key)), '[1,2]');
    ok(await paper.upload([good, ['pictureEditable', '']]));
    assert.is((await paper.row()).editable_key, null);
  }));

test('T-18, T-20: papers and lists take no hostile text', () =>
  withHttp(async (world) => {
    const { call, admin, user } = world;
    const { id, deviceId } = await framedPaper(world);
    const { organizationId: organization } = admin;
    const json = { 'content-type': 'application/json' };
    const before = await world.db('papers');
    const whole = (more: string): string =>
      `{"organization":"${organization}","deviceId":"${deviceId}","kind":"image"${more}}`;
    const bodies: readonly (readonly [string, string, number])[] = [
      ['a prototype in meta', whole(',"meta":{"__proto__":{"admin":true}}'), 400],
      ['a prototype deep in meta', whole(',"meta":[{"a":{"constructor":1}}]'), 400],
      ['NUL in meta', whole(',"meta":{"title":"a\\u0000b"}'), 400],
      ['NUL in a name of meta', whole(',"meta":{"\\u0000":1}'), 400],
      ['NUL in the slot', whole(',"devicePaperId":"\\u0000"'), 400],
      ['a huge meta', whole(`,"meta":"${'x'.repeat(256 * 1024)}"`), 413],
      ['a deep meta', whole(`,"meta":${'['.repeat(70)}${']'.repeat(70)}`), 400],
      ['a long kind', whole('').replace('"image"', `"${'k'.repeat(101)}"`), 400],
      ['no kind', whole('').replace('"image"', '""'), 400],
      ['a device of another type', whole('').replace(`"${deviceId}"`, '{"$ne":null}'), 400],
      ['a list of organizations', whole('').replace(`"${organization}"`, `["${organization}"]`), 400],
      ['a list', '[]', 400],
    ];
    for (const path of ['/papers', `/papers/${id}`]) {
      for (const [name, body, status] of bodies) {
        const answer = await call('POST', path, { as: user, headers: json, body });
        assert.is(answer.status, status, `${name}: ${answer.text}`);
      }
    }
    for (const query of [
      'search=%00',
      'name=a%00b',
      'sortBy=%00',
      `search=${'x'.repeat(201)}`,
      'search=a&search=b',
      'sortBy=__proto__',
      'sortBy=constructor',
      'sortBy=title:desc:asc',
      'sortBy=title%20desc',
      'sortBy=(select%201)',
      'sortBy=title:DESC',
      'limit=1e5',
      'limit=100001',
      'limit=-1',
      'page=0',
      'offset=100001',
      'page=1.5',
      'limit=',
      `organization=${organization}%00`,
      'deviceId=__proto__',
    ]) {
      const answer = await call('GET', `/papers?${query}`, { as: user });
      assert.is(answer.status, 400, `${query}: ${answer.text}`);
      assert.match(`${answer.json.hint}`, /^(search|name|sortBy|limit|page|offset|deviceId|organization): /, query);
    }
    for (const body of ['{"kind":', '[".png"]', '{"kind":{"$gt":""}}', '{"kind":"\\u0000"}']) {
      for (const [method, path] of [
        ['GET', `/papers/${id}`],
        ['POST', `/papers/image/${id}`],
      ] as const) {
        assert.is((await call(method, path, { as: user, headers: json, body })).status, 400, `${method} ${body}`);
      }
    }
    const zipped = { ...json, 'content-encoding': 'gzip' };
    const upload = (await call('POST', `/papers/image/${id}`, { as: user })).json.uploadUrl.slice(world.url.length);
    assert.is((await call('PUT', upload, { headers: zipped, body: 'x' })).status, 415);
    assert.equal(await world.db('papers'), before);
  }));

test.run();
