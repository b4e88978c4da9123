/** Roles, and what is linked to people: every choice that the console offers, walked to its end. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';

const test = suite('roles in the console');

/** A home with two frames and a paper that neither shows. */
async function furnishHome({ person, organizationId }: ConsoleWorld): Promise<{ readonly hall: string }> {
  const made = async (path: string, json: object): Promise<string> =>
    (await callApi<{ id: string }>(person, 'POST', path, { organization: organizationId, ...json })).id;
  const [hall, kitchen] = [await made('/devices/', {}), await made('/devices/', {})];
  await callApi(person, 'POST', `/devices/${hall}`, { meta: { name: 'Hall' } });
  await callApi(person, 'POST', `/devices/${kitchen}`, { meta: { name: 'Kitchen' } });
  const text = (title: string, deviceId: string) => made('/papers/', { deviceId, kind: 'text', meta: { title } });
  await text('Greeting', hall);
  await text('Menu', kitchen);
  await text('Diary', kitchen);
  return { hall };
}

/** The roles as they are offered, and what a person who joins sees and may do. */
const offered = [
  {
    role: 'admin',
    may: 'You see everything here and can change everything',
    sees: ['Hall', 'Kitchen'],
    papers: 3,
    adds: true,
  },
  { role: 'user', may: 'You see every frame, send pictures', sees: ['Hall', 'Kitchen'], papers: 3, adds: true },
  {
    role: 'patient',
    may: 'You see the frames and the content that were chosen for you',
    sees: ['Hall'],
    papers: 2,
    adds: false,
  },
  {
    role: 'onlyself',
    may: 'You see the pictures on the frames that were chosen for you',
    sees: ['Hall'],
    papers: undefined,
    adds: false,
  },
] as const;
type MemberRole = (typeof offered)[number]['role'];

/** Invites somebody on the open page of an admin, and returns the code of the invitation. */
async function invite(
  { person, organizationId }: ConsoleWorld,
  admin: ConsolePage,
  { role, email }: { readonly role: MemberRole; readonly email: string },
): Promise<string> {
  await admin.goTo('people');
  await admin.fill('Email address', email);
  await admin.page.locator('#invite ~ form select').fill(role);
  if (role === 'patient' || role === 'onlyself') {
    await admin.click('Hall');
    if (role === 'patient') await admin.click('Diary');
    await admin.isAccessible();
  }
  await admin.click('Invite');
  await admin.sees('Invitation link');
  const users = await callApi<{ email: string; inviteCode?: string }[]>(
    person,
    'GET',
    `/users/?organization=${organizationId}`,
  );
  return users.find((user) => user.email === email)?.inviteCode ?? '';
}

longTest(test)(
  'anyone who is invited sees what their role and the choice for them say, and may do what their page says',
  () =>
    withConsole(async (world) => {
      const { http, openPage } = world;
      const { hall } = await furnishHome(world);
      const admin = await openPage();
      for (const { role, may, sees, papers, adds } of offered) {
        const name = `Bea, ${role}`;
        const code = await invite(world, admin, { role, email: `${role}@example.org` });
        const { page, ...guest } = await openPage({ userId: null, width: 390 });
        await page.goto(`${http}/console/#invite=${code}`);
        await guest.sees('You were invited');
        await guest.fill('Your name', name);
        await guest.click('Join');
        for (const frame of sees) await guest.sees(frame);
        assert.is(/Kitchen/.test(await guest.text()), sees.length === 2, role);
        assert.is((await page.$('a[href$="/frames/add"]')) !== null, adds, role);
        await admin.sees(name);
        await admin.goes('Invitation link');

        await guest.goTo(`frames/${hall}`);
        await guest.sees('Hall');
        await guest.isAccessible();
        await guest.goTo(`frames/${hall}/settings`);
        await guest.sees('Hall');
        assert.is(/Who sees this frame/.test(await guest.text()), adds, role);
        await guest.isAccessible();
        await guest.goTo('people');
        await guest.sees(may);
        assert.is(/Invite somebody/.test(await guest.text()), role === 'admin');
        await guest.isAccessible();
        assert.is((await page.$('nav a[href$="/send"]')) !== null, adds, role);
        assert.is((await page.$('nav a[href$="/papers"]')) !== null, papers !== undefined, role);
        if (papers !== undefined) {
          await guest.goTo('papers');
          await guest.sees('Greeting');
          assert.is((await page.$$('article.card')).length, papers, role);
          assert.is((await page.$('a[href$="/papers/new"]')) !== null, adds, role);
        }
        await page.close();
      }
    }),
);

longTest(test)(
  "a person gets to see a frame, and no longer, on their page and on the frame's: their open pages follow",
  () =>
    withConsole(async (world) => {
      const { person, organizationId, context, openPage } = world;
      const { hall } = await furnishHome(world);
      const invited = { organization: organizationId, email: 'carla@example.org', name: 'Carla', role: 'onlyself' };
      const { id: userId } = await callApi<{ id: string }>(person, 'POST', '/users/', invited);
      const carla = await openPage({ userId, width: 390 });
      await carla.goTo('frames');
      await carla.sees('No frames yet');
      const admin = await openPage();
      await admin.goTo('people');
      await admin.sees('nothing yet');
      await admin.page.locator('.member-links summary').click();
      await admin.click('Kitchen');
      await admin.sees('Carla now sees Kitchen.');
      await carla.sees('Kitchen');
      await admin.sees('1 frame');
      await carla.page.locator('.frame h2 a').click();
      await carla.sees('What it shows');
      assert.is(await carla.page.$('main a[href*="/papers/"]'), null, 'no link leads to content that is not theirs');
      await carla.goTo('frames');
      await admin.isAccessible();
      await admin.goTo(`frames/${hall}/settings`);
      await admin.sees('It was not chosen for anyone in particular.');
      await admin.click('Carla');
      await admin.sees('Carla now sees Hall.');
      await admin.isAccessible();
      await carla.sees('Hall');
      await admin.click('Undo');
      await carla.goes('Hall');
      await admin.sees('It was not chosen for anyone in particular.');

      // Another role is another console, at once.
      await context.db('users').where({ id: userId }).update({ role: 'user', updated_at: context.clock.now() });
      await carla.sees('Add a frame');
      await carla.sees('Hall');
      await context.db('users').where({ id: userId }).update({ role: 'onlyself', updated_at: context.clock.now() });
      await carla.goes('Add a frame');
    }),
);

test.run();
