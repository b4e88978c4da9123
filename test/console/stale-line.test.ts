/** A page of the console that learns of no changes: its texts and its steps. */
import { request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { maxStreamsPerAccount } from '../../api/changes/changes-hub.ts';
import { makeSignInCode } from '../../api/directory/sessions.ts';
import { longTest } from '../some-times.ts';
import { type ConsoleWorld, withConsole } from './console-world.ts';
import { hangFrame, hasNoLine, lineOf, says } from './live-pages.ts';

const test = suite('pages that are not live');

/** Opens as many streams as the account may have, as other programs do. */
async function takeAllStreams({ http, person }: ConsoleWorld): Promise<() => void> {
  const open = (): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const sent = request(`${http}/changes/stream`, { headers: { 'x-api-key': person.apiKey } }, (answer) => {
        assert.is(answer.statusCode, 200);
        answer.resume().on('error', () => {});
        resolve(() => sent.destroy());
      });
      sent.on('error', reject).end();
    });
  const streams = await Promise.all(Array.from({ length: maxStreamsPerAccount }, open));
  return () => {
    for (const leave of streams) leave();
  };
}

longTest(test)(
  'a refused stream is reported over the content, which is read every 30 seconds, until there is one',
  () =>
    withConsole(async (world) => {
      const rename = await hangFrame(world);
      const leave = await takeAllStreams(world);
      const words = {
        en: /This page does not follow changes: Your account has 4 .* As of \d/,
        de: /Diese Seite folgt Änderungen nicht: Ihr Konto hat 4 .* Stand von \d/,
      };
      const english = await world.openPage({ language: 'en' });
      const german = await world.openPage({ language: 'de', width: 390 });
      await says(english.page, words.en);
      await says(german.page, words.de);
      await english.isAccessible();
      await german.isAccessible();
      await rename('Kitchen by asking');
      for (const { page } of [english, german]) await says(page, 'Kitchen by asking', 45_000);
      assert.match(await lineOf(english.page), words.en, 'there is still no stream');
      leave();
      for (const { page } of [english, german]) await hasNoLine(page, 45_000);
      await rename('Kitchen live');
      for (const { page } of [english, german]) await says(page, 'Kitchen live', 3_000);
    }),
);

/** A way to the service that can be cut and opened again. */
async function openWay(to: number) {
  const sockets = new Set<Socket>();
  const server = createServer((caller) => {
    const service = connect(to, '127.0.0.1');
    for (const socket of [caller, service]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    caller.pipe(service).pipe(caller);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = (): Promise<unknown> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    return closed;
  };
  return { url: `http://127.0.0.1:${port}`, cut, open: () => listen(port) };
}

longTest(test)(
  'a service that is gone is reported with the time of what is shown; when it is back the line goes and all is fresh',
  () =>
    withConsole(async (world) => {
      const rename = await hangFrame(world);
      await rename('Kitchen before');
      const way = await openWay(Number(new URL(world.http).port));
      const first = await world.openVisitor();
      const tabs = [first, await first.browserContext().newPage()] as const;
      const { db } = world.context;
      const { account_id: account } = await db('users').where({ role: 'admin' }).first('account_id');
      const { code } = await makeSignInCode(db, world.context, account);
      for (const tab of tabs) {
        await tab.evaluateOnNewDocument(() => localStorage.setItem('papergate-language', 'en'));
        await tab.goto(`${way.url}/console/frames${tab === tabs[0] ? `#code=${code}` : ''}`);
        await says(tab, 'Kitchen before');
        await says(tab, 'Live');
      }
      await way.cut();
      for (const tab of tabs) await says(tab, /The service does not answer\. As of \d?\d:\d\d/);
      for (const tab of tabs) await says(tab, 'Kitchen before');
      await rename('Kitchen after');
      await way.open();
      for (const tab of tabs) {
        await hasNoLine(tab, 45_000);
        await says(tab, 'Kitchen after', 5_000);
        await says(tab, 'Live');
      }
      await way.cut();
    }),
);

test.run();
