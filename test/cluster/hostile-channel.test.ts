/** A neighbour in the database of the nodes: anyone who may connect may notify and listen, and gains nothing by it. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { postgresChannel } from '../../cluster/nodes/postgres-channel.ts';
import { maxSealedBytes, sealedTexts } from '../../cluster/nodes/sealed-texts.ts';
import { systemClock } from '../../runtime/clock.ts';
import { until } from '../gateway/world.ts';
import { postgresPrograms, startPostgres } from '../postgres-server.ts';
import { longTest, unlessUnable } from '../some-times.ts';

const channelTest = suite('a neighbour on the channel');
const programs = postgresPrograms();
const overPostgres = longTest(
  unlessUnable(channelTest, programs === undefined ? 'no PostgreSQL programs are installed' : undefined),
);
const key = new Uint8Array(32).fill(7);

channelTest('what a node seals another opens, once, on its own channel, in time, and nobody else does', () => {
  let now = 1_000_000;
  const make = (node: string, of = key) => sealedTexts(node, of, () => now);
  const [one, two] = [make('one'), make('two')];
  const sealed = one.seal('all', ['a frame arrived', 'ü']);
  assert.not.ok(sealed.includes('frame') || Buffer.from(sealed, 'base64').includes('frame'), 'nothing is readable');
  assert.equal(two.open('all', sealed), { from: 'one', texts: ['a frame arrived', 'ü'] });
  assert.is(two.open('all', sealed), undefined, 'sent again by somebody');
  assert.is(make('three').open('two', sealed), undefined, 'on another channel');
  assert.is(make('three', new Uint8Array(32)).open('all', sealed), undefined, 'with another key');
  const [older, newer] = [one.seal('all', ['left']), one.seal('all', ['arrived'])];
  assert.ok(two.open('all', newer));
  assert.is(two.open('all', older), undefined, 'what came before');
  now += 61_000;
  assert.is(make('three').open('all', newer), undefined, 'an old one, to a node that has just started');
  for (const text of ['', 'x', 'snull', sealed.slice(0, 40), `${sealed.slice(0, -8)}AAAAAAAA`, 'A'.repeat(7_999)]) {
    assert.is(two.open('all', text), undefined, text.slice(0, 20));
  }
  const longest = one.seal('all', ['x'.repeat(maxSealedBytes - 1)]);
  assert.ok(longest.length <= 7_999, `${longest.length} bytes`);
});

overPostgres(
  'ten thousand notifications of a neighbour end no node, are not heard, and are told in a line',
  async () => {
    const server = startPostgres(programs ?? '');
    const lines: string[] = [];
    const log = (_: unknown, line: string): void => void lines.push(line);
    const logger = { debug: log, info: log, warn: log, error: log };
    const open = (node: string) => {
      const texts: string[] = [];
      const channel = postgresChannel({ url: server.url, node, key, clock: systemClock, logger });
      channel.open({
        receive: (_from, text) => texts.push(text) > 0 && !text.startsWith('?'),
        reconnected: () => {},
      });
      return { channel, texts };
    };
    const owner = new pg.Client({ connectionString: server.url });
    const neighbour = new pg.Client({ connectionString: asNeighbour(server.url) });
    const [first, second] = [open('n1'), open('n2')];
    try {
      await owner.connect();
      await owner.query("create role neighbour login password 'n'");
      await neighbour.connect();
      const seen = (await neighbour.query('select query from pg_stat_activity where usename <> current_user')).rows;
      assert.not.ok(JSON.stringify(seen).includes('papergate_'), 'the names of the channels cannot be read');
      const arrives = async (text: string): Promise<number> => {
        const began = performance.now();
        await until(async () => {
          first.channel.post(undefined, text);
          await pause(30);
          return second.texts.includes(text);
        }, 'a node is heard');
        return performance.now() - began;
      };
      await arrives('before');
      // The owner knows the channels, as somebody may who was let see more than a neighbour.
      const names = [sealedTexts('x', key, systemClock.now).nameOf('public '), 'papergate_4c9184f3'];
      const hostile = [
        'x\nshello',
        'snull',
        't{"word":1,"told":[["requests",5,3]]}',
        '',
        'n1\ns{"say":"who"}',
        'A'.repeat(7_000),
      ];
      for (const name of names) {
        for (const payload of hostile) await neighbour.query('select pg_notify($1, $2)', [name, payload]);
      }
      await neighbour.query('select pg_notify($1, i::text) from generate_series(1, 10000) as i', [names[0]]);
      const ms = await arrives('after');
      console.log(`a node is heard ${Math.round(ms)} ms after 10,000 hostile notifications`);
      assert.ok(ms < 5_000, `${ms} ms`);
      assert.equal(new Set(second.texts), new Set(['before', 'after']));
      first.channel.post(undefined, '? a word of another release');
      await until(async () => second.texts.includes('? a word of another release'), 'it is heard');
      const told = lines.filter((line) => line.includes('dropped'));
      assert.ok(told.length >= 1 && told.length <= 4, told.join('\n'));
    } finally {
      for (const { channel } of [first, second]) channel.close();
      await Promise.all([owner.end(), neighbour.end()]);
      await pause(50);
      server.stop();
    }
  },
);

function asNeighbour(url: string): string {
  const theirs = new URL(url);
  theirs.username = 'neighbour';
  theirs.password = 'n';
  return theirs.href;
}

channelTest.run();
