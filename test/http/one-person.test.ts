import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChangesHub, maxStreams, maxStreamsPerAccount } from '../../api/changes/changes-hub.ts';
import { alone } from '../../cluster/alone.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { type HttpWorld, type Person, withHttp } from './world.ts';

const test = suite('one person with many accounts');

/** How a call says who makes it. */
type Credentials = { readonly as: Person } | { readonly headers: Readonly<Record<string, string>> };

/** Invites somebody and redeems the invitation at once, which makes an account. */
async function inviteOneself({ call }: HttpWorld, by: Credentials, organization: string, name: string) {
  const json = { organization, role: 'admin', email: `${name}@example.org` };
  const { inviteCode } = (await call('POST', '/users/', { ...by, json })).json;
  assert.type(inviteCode, 'string');
  const answer = await call('POST', '/sessions/', { json: { inviteCode, name } });
  assert.is(answer.status, 201, answer.text);
  const cookie = String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
  return { headers: { cookie, 'x-papergate-console': '1' } };
}

const newOrganization = async ({ call }: HttpWorld, by: Credentials): Promise<string> => {
  const answer = await call('POST', '/organizations/', { ...by, json: { kind: 'home' } });
  return answer.status === 200 ? answer.json.id : answer.json.code;
};

/** The calls that pass until each of them was refused. */
async function callsOf({ call }: HttpWorld, people: readonly Credentials[]): Promise<number> {
  let passed = 0;
  for (const person of people) {
    while ((await call('GET', '/organizations/', person)).status === 200) passed++;
  }
  return passed;
}

test('T-77: however many accounts and organizations one person makes, their calls stay within one allowance', () =>
  withHttp(
    async (world) => {
      const { admin, stranger, db, call } = world;
      const homes = [
        admin.organizationId,
        await newOrganization(world, { as: admin }),
        await newOrganization(world, { as: admin }),
      ];
      const accounts: Credentials[] = [];
      for (const [at, home] of homes.entries()) {
        for (let count = 0; count < 4; count++) {
          accounts.push(await inviteOneself(world, { as: admin }, home, `me-${at}-${count}`));
        }
      }
      // One more, by an account that was itself invited: a chain leads to the same organization.
      const last = accounts.at(-1) as Credentials;
      const further = await newOrganization(world, last);
      accounts.push(await inviteOneself(world, last, further, 'me-of-me'));
      // An account that has left all organizations goes on counting where it came from.
      const [left] = accounts.splice(7, 1) as [Credentials];
      const { id } = await db('users').where({ name: 'me-1-3' }).first('id');
      assert.is((await call('DELETE', `/users/${id}`, { as: admin })).status, 200);
      // Calls that made all this count as well: fifteen of the admin, two of an account.
      const byMade = 2 + (await callsOf(world, [left, ...accounts.slice(4)]));
      const byAll = 15 + byMade + (await callsOf(world, [...accounts, { as: admin }]));
      const people = `${accounts.length + 2} accounts in 4 organizations`;
      console.log(`calls a minute of one person, by ${people}: ${byAll}, of them ${byMade} by what they made`);
      assert.equal([byMade, byAll], [120, 240], 'the allowance of one organization, and half of it');
      assert.is(await callsOf(world, [{ as: stranger }]), 60, 'nobody else is touched');
    },
    { callsPerMinute: 60, organizationCallsPerMinute: 240 },
  ));

test('T-77: organizations that are made from one are bounded, whichever of its accounts makes them', () =>
  withHttp(
    async (world) => {
      const { admin, stranger, call } = world;
      const second = await newOrganization(world, { as: admin });
      const other = await inviteOneself(world, { as: admin }, second, 'other');
      const third = await newOrganization(world, other);
      for (const by of [{ as: admin }, other]) {
        const refused = await call('POST', '/organizations/', { ...by, json: { kind: 'home' } });
        assert.equal([refused.status, refused.json.code], [409, 'conflict']);
        assert.match(refused.json.message, /At most 3 organizations/);
        assert.match(refused.json.hint, /papergate setup/);
      }
      assert.match(await newOrganization(world, { as: stranger }), /^[0-9a-f]{24}$/, 'others make theirs');
      assert.is((await call('DELETE', `/organizations/${third}`, other)).status, 200);
      const both = await Promise.all([newOrganization(world, { as: admin }), newOrganization(world, other)]);
      assert.equal(both.filter((one) => one === 'conflict').length, 1, 'one place was free');
    },
    { maxOrganizations: 3 },
  ));

test('T-78: one organization’s consoles take no stream from others, however many accounts open all they can', () =>
  withHttp(async ({ db, clock }) => {
    const hub = new ChangesHub({ db, clock, logger: silentLogger, cluster: alone });
    const open = (accountId: string, organizationId: string, vouchedBy?: string) => {
      const place = { userId: accountId, organizationId, role: 'admin', name: accountId } as const;
      const principal = { accountId, memberships: [vouchedBy === undefined ? place : { ...place, vouchedBy }] };
      return hub.subscribe({ principal, askAgain: async () => principal });
    };
    const greedy: Awaited<ReturnType<typeof open>>[] = [];
    let refused = 0;
    for (let at = 0; at < 26; at++) {
      for (let count = 0; count < maxStreamsPerAccount; count++) {
        // Half of the accounts are in an organization that was made from the other one.
        const stream = at < 13 ? open(`greedy ${at}`, 'one') : open(`greedy ${at}`, 'two', 'one');
        await stream.then(
          (opened) => greedy.push(opened),
          (error) => {
            assert.is(error.code, 'unavailable');
            refused++;
          },
        );
      }
    }
    assert.equal([greedy.length, refused], [maxStreams, 4]);
    const others = await Promise.all(Array.from({ length: 30 }, (_, at) => open(`other ${at}`, `home ${at}`)));
    const left = (): number => greedy.filter(({ readableEnded, destroyed }) => !readableEnded && !destroyed).length;
    for (const stream of greedy) stream.resume();
    await new Promise((resolve) => setImmediate(resolve));
    console.log(`streams of 26 greedy accounts: ${left()}; of 30 organizations that came later: ${others.length}`);
    assert.is(left(), 70);
    assert.ok(
      others.every(({ readableEnded, destroyed }) => !readableEnded && !destroyed),
      'nobody else loses one',
    );
    // A second organization with many consoles comes to half, and then neither takes anything from the other.
    for (let at = 0; hub.open() === maxStreams && at < 100; at++) {
      const opened = await open(`many ${at}`, 'many').catch(() => undefined);
      if (opened === undefined) break;
      others.push(opened);
    }
    assert.is(others.length - 30, 35, 'as many as the greedy ones keep');
    await open('one more', 'one').then(
      () => assert.unreachable(),
      ({ code }) => assert.is(code, 'unavailable'),
    );
    await hub.stop();
  }));

test.run();
