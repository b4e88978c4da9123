/** The record over HTTP: pages of it, a table, a document, receipts, and what admins decide. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyRecord } from '../../api/record/verify-record.ts';
import { withHttp } from '../http/world.ts';
import { hung } from './hung-pictures.ts';

const test = suite('record routes');
const hourMs = 3_600_000;

test('a time is read page by page, of all frames or of one, also by the name that is written on it', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const base = `/organizations/${admin.organizationId}/record/intervals`;
    const begin = await hung(world, ['One', 'Two', 'Three']);
    await hung(world, ['Other'], 'epd7-00000000cafe');
    const ask = async (query: string) => (await call('GET', `${base}?${query}`, { as: admin })).json;
    const titles = ({ intervals }: { intervals: { title: string }[] }): string =>
      intervals.map(({ title }) => title).join(' ');
    const all = await ask('');
    assert.is(titles(all), 'One Two Three Other');
    assert.is(all.next, null);
    assert.equal(Object.keys(all.intervals[0]).sort(), [
      ...[
        'deviceId',
        'ended',
        'frameName',
        'grade',
        'id',
        'isKept',
        'paperId',
        'picture',
        'sender',
        'serial',
        'since',
        'title',
      ],
      ...['until', 'uploadId'],
    ]);
    assert.is(titles(await ask('frame=EPD7-00000000BEEF')), 'One Two Three');
    const from = new Date(begin + 1.5 * hourMs).toISOString();
    assert.is(titles(await ask(`from=${from}`)), 'Two Three Other');
    const first = await ask('limit=2');
    const second = await ask(`limit=2&after=${first.next}`);
    assert.is(`${titles(first)} ${titles(second)}`, 'One Two Three Other');
    assert.is((await call('GET', `${base}?after=x`, { as: admin })).status, 400);
    for (const part of ['intervals', 'csv', 'pdf', 'receipts']) {
      const turned = `${base.replace('intervals', part)}?from=2026-03-02&to=2026-03-01`;
      const { status, json } = await call('GET', turned, { as: admin });
      assert.equal([status, json.hint], [400, 'to: expected a time after from'], part);
    }
  }));

test('the table is read by programs, and nothing in it is a formula', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    await hung(world, ['=SUM(A1)', 'with "quotes", and more']);
    const { headers, text } = await call('GET', `/organizations/${admin.organizationId}/record/csv`, { as: admin });
    assert.is(headers['content-type'], 'text/csv; charset=utf-8');
    assert.match(String(headers['content-disposition']), /^attachment; filename="record-[-0-9]+\.csv"$/);
    const lines = text.split('\r\n');
    assert.is(lines[0], 'frame,serial,since,until,ended,title,sender,shows,grade,picture');
    assert.match(String(lines[1]), /,replaced,'=SUM\(A1\),Ada,/);
    assert.match(String(lines[2]), /,,,"with ""quotes"", and more",Ada,/);
    assert.is(lines.length, 4);
  }));

test('receipts of the call hold, also when an admin has words forgotten', () =>
  withHttp(async (world) => {
    const { call, admin, db } = world;
    const base = `/organizations/${admin.organizationId}/record`;
    await hung(world, ['Secret', 'Public']);
    const receipts = async (): Promise<string> => (await call('GET', `${base}/receipts`, { as: admin })).text;
    const before = await receipts();
    const [{ key }] = (await call('GET', base, { as: admin })).json.publicKeys;
    const holds = (text: string) => verifyRecord(Buffer.from(text), { keys: [key] }).faults;
    assert.equal(holds(before), []);
    assert.match(before, 'Secret');
    const { id } = await db('wall_intervals').where({ title: 'Secret' }).first('id');
    assert.is((await call('DELETE', `${base}/intervals/${id}/words`, { as: admin })).status, 204);
    assert.is((await call('DELETE', `${base}/intervals/${'0'.repeat(24)}/words`, { as: admin })).status, 404);
    const after = await receipts();
    assert.equal(holds(after), []);
    assert.not.match(after, 'Secret');
    assert.match(after, 'Public');
  }));

test('the page to print has its lines, and what it takes to check them', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    await hung(world, ['<Menu>', 'Dinner']);
    const base = `/organizations/${admin.organizationId}/record/pdf`;
    const printed = await call('GET', `${base}?language=de&timeZone=Europe/Berlin`, { as: admin });
    for (const part of ['&lt;Menu&gt;', 'Nachweis, was wo hing', 'hängt noch', 'Prüfsumme genannt', 'Nummer 3']) {
      assert.match(printed.text, part);
    }
    assert.is((await call('GET', `${base}?timeZone=Nowhere`, { as: admin })).status, 400);
    const none = await call('GET', `${base}?to=2001-01-01`, { as: admin });
    assert.match(none.text, 'Nothing was proven to hang in this time.');
  }));

test('admins decide how long it is kept and what is aimed at', () =>
  withHttp(async ({ call, admin, user }) => {
    const path = `/organizations/${admin.organizationId}/record`;
    const first = (await call('GET', path, { as: user })).json;
    assert.equal([first.keepYears, first.level.target, first.level.pictures], [10, 99, 0]);
    const changed = await call('PATCH', path, { as: admin, json: { keepYears: 3, target: 95.5 } });
    assert.equal([changed.json.keepYears, changed.json.level.target], [3, 95.5]);
    for (const json of [{ keepYears: 0 }, { keepYears: 31 }, { target: 100 }, { target: 49 }, { other: 1 }]) {
      assert.is((await call('PATCH', path, { as: admin, json })).status, 400, JSON.stringify(json));
    }
    const log = await call('GET', `/organizations/${admin.organizationId}/audit/?action=record.changed`, { as: admin });
    assert.equal(log.json.entries[0].values, { keepYears: 3, target: 95.5 });
  }));

test.run();
