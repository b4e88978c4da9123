/** Lists that follow the stream: what somebody else does is there without a reload. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';

const test = suite('live lists');

longTest(test)(
  'what another administrator does about papers, guests, alerts and people is there by itself, and a beginning outage',
  () =>
    withConsole(async ({ person, organizationId, context, openPage }) => {
      const organization = organizationId;
      const { db, clock, random } = context;
      const made = async (path: string, json: object): Promise<string> =>
        (await callApi<{ id: string }>(person, 'POST', path, json)).id;
      const deviceId = await made('/devices/', { organization });
      const paper = await made('/papers/', { organization, deviceId, kind: 'album', meta: { title: 'Holiday' } });
      const page = await openPage();
      await page.goTo(`papers/${paper}`);
      await page.sees('No guest links yet.');
      await made(`/papers/${paper}/guest-links/`, { name: 'For aunt Erna' });
      await page.sees('For aunt Erna');

      await page.goTo('papers');
      await page.sees('Holiday');
      const other = await made('/papers/', { organization, deviceId, kind: 'text', meta: { title: 'Greeting' } });
      await page.sees('Greeting');
      await page.goTo(`papers/${other}`);
      await page.sees('Greeting');
      await callApi(person, 'DELETE', `/papers/${other}`);
      await page.goes('Greeting');

      await page.goTo('service/alerts');
      await page.sees('Nothing is wrong');
      const channel = { kind: 'ntfy', name: 'Family phone', url: 'https://ntfy.example', topic: 'home' };
      await made(`/organizations/${organization}/alerts/channels/`, channel);
      await page.sees('Family phone');
      const now = clock.now();
      await db('alert_outages').insert({
        id: random.id(),
        organization_id: organization,
        kind: 'frame-silent',
        subject: deviceId,
        name: 'The hall is silent',
        since: now,
        opened_at: now,
        tell_at: now,
        told_at: now,
      });
      await page.sees('The hall is silent');

      await page.goTo('service/log');
      await page.sees('Family phone');
      await made('/users/', { organization, name: 'Bea' });
      await page.sees('invited or added Bea');
    }),
);

longTest(test)('a thousand changes a minute are read a few times by each open page', () =>
  withConsole(async ({ person, organizationId, context, openPage }) => {
    const admin = await openPage();
    await admin.goTo('service/log');
    await admin.sees('signed in');
    let reads = 0;
    admin.page.on('request', (request) => {
      if (/\/audit\/|\/users\//.test(request.url())) reads++;
    });
    const { db, random, clock } = context;
    const row = await db('audit_entries').first();
    const startedAt = performance.now();
    let made = 0;
    while (performance.now() - startedAt < 9_000) {
      await db('audit_entries').insert({ ...row, id: random.id(), at: clock.now() });
      made++;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.ok(made > 60, `${made} changes`);
    assert.ok(reads > 1 && reads < 20, `${reads} reads for ${made} changes`);
    await callApi(person, 'POST', '/users/', { organization: organizationId, name: 'The last one' });
    await admin.sees('The last one');
  }),
);

test.run();
