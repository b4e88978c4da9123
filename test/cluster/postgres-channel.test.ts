/** The channel between nodes over a real PostgreSQL: what it sends, what it costs, and how it comes back. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NodeChannel } from '../../cluster/nodes/node-channel.ts';
import { postgresChannel } from '../../cluster/nodes/postgres-channel.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { until } from '../gateway/world.ts';
import { postgresPrograms, startPostgres } from '../postgres-server.ts';
import { longTest, unlessUnable } from '../some-times.ts';

const channelTest = suite('channel over PostgreSQL');
const programs = postgresPrograms();
const key = new Uint8Array(32).fill(7);
const test = longTest(
  unlessUnable(channelTest, programs === undefined ? 'no PostgreSQL programs are installed' : undefined),
);

interface Heard {
  readonly channel: NodeChannel;
  readonly texts: string[];
  reconnects: number;
}

interface Channels {
  readonly url: string;
  open(node: string): Heard;
  /** Runs a statement on a connection of the test's own. */
  query(sql: string): Promise<pg.QueryResult>;
  fail(): Promise<void>;
}

async function withChannels(run: (channels: Channels) => Promise<void>): Promise<void> {
  const server = startPostgres(programs ?? '');
  const opened: Heard[] = [];
  try {
    await run({
      url: server.url,
      open(node) {
        const channel = postgresChannel({ url: server.url, node, key, clock: systemClock, logger: silentLogger });
        const heard: Heard = { channel, texts: [], reconnects: 0 };
        opened.push(heard);
        channel.open({
          receive: (from, text) => heard.texts.push(`${from}: ${text}`) > 0,
          reconnected: () => heard.reconnects++,
        });
        return heard;
      },
      async query(sql) {
        const client = new pg.Client({ connectionString: server.url });
        await client.connect();
        return client.query(sql).finally(() => client.end());
      },
      fail: server.fail,
    });
  } finally {
    for (const { channel } of opened) channel.close();
    await pause(50);
    server.stop();
  }
}

/** Resolves when so many nodes listen. */
const listening = ({ query }: Channels, count: number): Promise<void> =>
  until(async () => {
    const { rows } = await query(
      `select 1 from pg_stat_activity where application_name like 'papergate n%' and query like '%listen%'`,
    );
    return rows.length === count;
  }, `${count} nodes listen`);

test('a text comes to the node it is for, or to all others, in its order, and never to its sender', () =>
  withChannels(async (channels) => {
    const [first, second, third] = ['n1', 'n2', 'n3'].map((node) => channels.open(node)) as [Heard, Heard, Heard];
    await listening(channels, 3);
    first.channel.post(undefined, 'to all');
    first.channel.post('n2', '{"to":"one of them"}');
    first.channel.post(undefined, 'again');
    await until(() => second.texts.length === 3 && third.texts.length === 2, 'all have heard');
    assert.equal([...second.texts].sort(), ['n1: again', 'n1: to all', 'n1: {"to":"one of them"}']);
    assert.equal(third.texts, ['n1: to all', 'n1: again']);
    assert.equal(first.texts, []);
  }));

test('texts of one moment share a transaction, and a text that is said twice there comes once', () =>
  withChannels(async (channels) => {
    const [first, second] = ['n1', 'n2'].map((node) => channels.open(node)) as [Heard, Heard];
    await listening(channels, 2);
    const committed = async (): Promise<number> =>
      (await channels.query('select pg_current_xact_id()::text::int as id')).rows[0].id;
    const before = await committed();
    for (let at = 0; at < 1_000; at++) first.channel.post(undefined, `text ${at} ${'x'.repeat(40)}`);
    first.channel.post('n2', 'look');
    first.channel.post('n2', 'look');
    await until(() => second.texts.length === 1_001, 'all have come');
    assert.is(second.texts.filter((text) => text === 'n1: look').length, 1);
    assert.ok((await committed()) - before <= 4, 'a few transactions for a thousand texts');
  }));

test('a channel whose connection is ended, or whose server fails, connects again, says so, and goes on', () =>
  withChannels(async (channels) => {
    const [first, second] = ['n1', 'n2'].map((node) => channels.open(node)) as [Heard, Heard];
    await listening(channels, 2);
    await channels.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'papergate n2'`,
    );
    await until(() => second.reconnects === 1, 'it is back');
    first.channel.post('n2', 'after the cut');
    await until(() => second.texts.includes('n1: after the cut'), 'it hears again');
    await channels.fail();
    await until(() => first.reconnects === 1 && second.reconnects === 2, 'both are back');
    second.channel.post('n1', 'after the failure');
    await until(() => first.texts.includes('n2: after the failure'), 'it hears again');
  }));

test('what is said while there is no connection is sent when there is one, the newest of too much', () =>
  withChannels(async (channels) => {
    const second = channels.open('n2');
    await listening(channels, 1);
    const first = channels.open('n1');
    for (let at = 0; at < 12_000; at++) first.channel.post(undefined, String(at));
    await until(() => second.texts.at(-1) === 'n1: 11999', 'the newest comes');
    assert.ok(second.texts.length <= 10_000, `${second.texts.length}`);
  }));

channelTest.run();
