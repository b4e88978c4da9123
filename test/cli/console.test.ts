/** Links that sign in to the console: of `console`, `setup`, and of a service that has no organization yet. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { codeLifetimeMs, makeSignInCode, takeFirstRunCode, takeSignInCode } from '../../api/directory/sessions.ts';
import { openContext, type ServiceContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { offerFirstRun } from '../../cli/service/offer-first-run.ts';
import type { Logger } from '../../runtime/logger.ts';
import { startServe } from '../child-processes.ts';
import { longTest } from '../some-times.ts';
import { foundService, papergate, withScratchFolder } from './papergate.ts';

const test = suite('links to the console');

const setupOptions = ['--organization', 'Home', '--email', 'ada@example.org', '--name', 'Ada'];

/** Opens the folder beside the commands, and closes it whatever happens. */
async function withFolder(
  play: (context: ServiceContext, env: Record<string, string>) => Promise<void>,
): Promise<void> {
  await withScratchFolder(async (folder) => {
    const env = { PAPERGATE_DATA: join(folder, 'data') };
    await foundService(env.PAPERGATE_DATA);
    const context = await openContext(readSettings(env));
    try {
      await play(context, env);
    } finally {
      await context.close();
    }
  });
}

const codeOf = (url: string): string =>
  /^http:\/\/127\.0\.0\.1:3000\/console\/#code=([\w-]{43})$/.exec(url)?.[1] ?? url;

test('setup prints a link of its admin, and console one of the only admin or of the one who is named', () =>
  withFolder(async (context, env) => {
    const { db, clock } = context;
    const take = (url: string) => takeSignInCode(db, codeOf(url), clock.now());
    const opening = JSON.parse((await papergate(env, 'console', '--json')).stdout);
    assert.is(await take(opening.url), undefined, 'nobody is there yet');
    assert.is(await takeFirstRunCode(db, codeOf(opening.url), clock.now()), true);

    const made = JSON.parse((await papergate(env, 'setup', ...setupOptions, '--json')).stdout);
    assert.equal(Object.keys(made), ['organizationId', 'userId', 'apiKey', 'accessToken', 'console']);
    const ada = (await db('users').where({ id: made.userId }).first('account_id')).account_id;
    assert.is(await take(made.console), ada);
    const link = JSON.parse((await papergate(env, 'console', '--json')).stdout);
    assert.equal(Object.keys(link), ['url', 'expiresAt']);
    const left = Date.parse(link.expiresAt) - clock.now();
    assert.ok(left > codeLifetimeMs - 60_000 && left <= codeLifetimeMs, `${left} ms`);
    assert.is(await take(link.url), ada);
    assert.is(await take(link.url), undefined, 'it works once');
    assert.match((await papergate(env, 'console')).stdout, /^url +http:.*#code=[\w-]{43}\nexpiresAt +\d{4}-/);

    const admin = { name: 'Bo\u202e', email: 'bo@example.org' };
    const second = await createOrganization(db, context, { name: 'Office', email: admin.email, kind: null, admin });
    const refused = await papergate(env, 'console');
    assert.is(refused.code, 1);
    for (const id of [made.userId, second.userId]) assert.match(refused.stderr, `${id} (`);
    assert.match(refused.stderr, 'papergate console --user ID');
    assert.not.match(refused.stderr, '\u202e');
    const bo = JSON.parse((await papergate(env, 'console', '--user', second.userId, '--json')).stdout);
    assert.is(await take(bo.url), second.accountId);
    const unknown = await papergate(env, 'console', '--user', '0'.repeat(24));
    assert.equal([unknown.code, unknown.stderr.split('\n')[0]], [1, `No user ${'0'.repeat(24)}`]);
  }));

test('a mistyped data folder is refused and not made, and the public address is the link’s', () =>
  withScratchFolder(async (folder) => {
    const nowhere = join(folder, 'nowhere');
    const refused = await papergate({ PAPERGATE_DATA: nowhere }, 'console');
    assert.equal([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /is not a data folder of a service/);
    const env = { PAPERGATE_DATA: join(folder, 'data'), PAPERGATE_PUBLIC_URL: 'https://home.example/papergate/' };
    await foundService(env.PAPERGATE_DATA);
    const { url } = JSON.parse((await papergate(env, 'console', '--json')).stdout);
    assert.match(url, /^https:\/\/home\.example\/papergate\/console\/#code=[\w-]{43}$/);
  }));

test('a service without an organization logs a link, and another whenever it has expired, until there is one', () =>
  withFolder(async (context) => {
    const links: string[] = [];
    const timers: { readonly ms: number; readonly ring: () => void }[] = [];
    let scheduled = (): void => undefined;
    const clock = {
      now: context.clock.now,
      after(ms: number, ring: () => void) {
        timers.push({ ms, ring });
        scheduled();
        return { cancel: () => void timers.splice(0) };
      },
    };
    const nextTimer = (): Promise<void> =>
      new Promise((resolve) => {
        scheduled = resolve;
      });
    const warn: Logger['warn'] = ({ link }) => void links.push(String(link));
    const first = nextTimer();
    const offered = offerFirstRun({ ...context, clock }, { debug() {}, info() {}, error() {}, warn });
    await first;
    assert.equal([links.length, timers.map(({ ms }) => ms)], [1, [codeLifetimeMs]]);
    const second = nextTimer();
    timers.splice(0)[0]?.ring();
    await second;
    assert.is(links.length, 2);
    assert.is.not(links[0], links[1]);
    const admin = { name: 'Ada', email: 'ada@example.org' };
    await createOrganization(context.db, context, { name: 'Home', email: admin.email, kind: null, admin });
    timers.splice(0)[0]?.ring();
    await offered.stop();
    assert.equal([links.length, timers.length], [2, 0], 'the organization is there');
  }));

longTest(test)('a fresh service is opened by the link of its log, and further links work alongside it', () =>
  withScratchFolder(async (folder) => {
    const env = {
      PATH: process.env.PATH ?? '',
      PAPERGATE_DATA: join(folder, 'data'),
      PAPERGATE_BROWSER: '/nowhere',
      PAPERGATE_HTTP_PORT: '0',
      PAPERGATE_MQTT_PORT: '0',
      PAPERGATE_MQTTS_PORT: '0',
    };
    const log = join(folder, 'service.log');
    const { stop, ...ready } = await startServe(env, log);
    try {
      const written = async (): Promise<string> => readFile(log, 'utf8').catch(() => '');
      let link: string | undefined;
      for (const end = Date.now() + 30_000; link === undefined && Date.now() < end; ) {
        link = /"link":"([^"]+)"/.exec(await written())?.[1];
        if (link === undefined) await fetch(`${ready.http}/sessions/ways`);
      }
      assert.equal(Object.keys(ready), ['event', 'http', 'mqtt', 'mqtts', 'console']);
      assert.not.match(JSON.stringify(ready), 'code=');
      const [address = '', code] = (link ?? '').split('#code=');
      assert.is(address, `${ready.http}/console/`);
      const signIn = (body: object) =>
        fetch(`${ready.http}/sessions/`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-papergate-console': '1' },
          body: JSON.stringify(body),
        });
      assert.equal(await (await fetch(`${ready.http}/sessions/ways`)).json(), {
        firstRun: true,
        provider: null,
        mail: false,
      });
      assert.is((await signIn({ code })).status, 401, 'it signs nobody in, and is not used up');
      const first = { code, organizationName: 'Home', name: 'Ada', email: 'ada@example.org' };
      assert.is((await signIn({ ...first, email: 'none' })).status, 400);
      const made = await signIn(first);
      assert.is(made.status, 201, await made.text());
      const cookie = (made.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      const me = await fetch(`${ready.http}/sessions/current`, { headers: { cookie, 'x-papergate-console': '1' } });
      const { memberships } = (await me.json()) as {
        memberships: { organization: { id: string; name: string }; role: string }[];
      };
      assert.equal(
        memberships.map(({ organization, role }) => [organization.name, role]),
        [['Home', 'admin']],
      );
      const told = await fetch(`${ready.http}/organizations/${memberships[0]?.organization.id}/audit/`, {
        headers: { cookie, 'x-papergate-console': '1' },
      });
      const { entries } = (await told.json()) as { entries: { action: string; object: { name: string } }[] };
      assert.equal(
        entries
          .map(({ action, object: { name } }) => (action === 'session.started' ? action : `${action} ${name}`))
          .sort(),
        ['account.created ada@example.org', 'organization.created Home', 'session.started'],
      );
      assert.is((await signIn(first)).status, 401, 'the link was used');
      assert.equal(await (await fetch(`${ready.http}/sessions/ways`)).json(), {
        firstRun: false,
        provider: null,
        mail: false,
      });
      const { url } = JSON.parse((await papergate(env, 'console', '--json')).stdout);
      assert.match(url, `${ready.http}/console/#code=`);
      assert.is((await signIn({ code: url.split('#code=')[1] })).status, 201);
      assert.is((await written()).split(code ?? '-').length, 2, 'the code is in the log once');
    } finally {
      await stop();
    }
  }),
);

longTest(test)('T-69: of two links of the first run that are taken at once, one makes the organization', () =>
  withFolder(async (context) => {
    const { db, clock } = context;
    const codes = [await makeSignInCode(db, context, null), await makeSignInCode(db, context, null)];
    const taken: boolean[] = [];
    for (const { code } of codes) taken.push(await takeFirstRunCode(db, code, clock.now()));
    assert.equal(taken, [true, false]);
  }),
);

test.run();
