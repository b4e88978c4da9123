/** T-65, FAULT-12: pages whose names nobody answers, and the pages of others meanwhile. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Network } from '../../api/outgoing/network.ts';
import { systemNetwork } from '../../api/outgoing/system-network.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock } from '../../runtime/clock.ts';
import { withNameServer } from '../outgoing/name-server.ts';
import { longTest } from '../some-times.ts';
import { dialHere, wayHere, withPages, withRendering } from './render-world.ts';

const test = suite('silent names');

const publicAddress = '93.184.216.34';
const rule = { mayResolve: () => true, mayDial: (address: string) => address === publicAddress };

const picture = (host: string): string => `<img src="http://${host}/picture.svg" width="40" height="40">`;
const names = Array.from({ length: 60 }, (_, each) => `silent${each}.example`);
const pages = {
  '/hostile': `<body>hostile<script>for (const host of ${JSON.stringify(names)}) fetch('http://' + host, { mode: 'no-cors' })</script>`,
  '/kind': `<body style="margin:0">kind${picture('kind.example')}`,
};

/** Renders a page of 60 silent names, and meanwhile one of another organization whose only name is answered. */
async function renderBoth(resolve: Network['resolve'], begun: () => Promise<void>, count: () => number): Promise<void> {
  const served: string[] = [];
  const site = (asked: string) => (_: unknown, response: import('node:http').ServerResponse) => {
    served.push(asked);
    response.writeHead(200, { 'content-type': 'image/svg+xml' });
    response.end('<svg xmlns="http://www.w3.org/2000/svg"><rect width="40" height="40"/></svg>');
  };
  await withPages({ '/picture.svg': site('picture') }, async (target) => {
    const port = Number(new URL(target.origin).port);
    const dial: Network['dial'] = (wanted, signal) =>
      dialHere(wanted.address === publicAddress ? { ...wanted, port } : wanted, signal);
    await withPages(pages, ({ origin }) =>
      withRendering(
        async (rendering) => {
          const options = { width: 120, height: 80, allowedOrigin: origin };
          const startedAt = performance.now();
          const hostile = rendering.renderPage({ ...options, sharer: ['hostile'], url: `${origin}/hostile` });
          await begun();
          let hostileIsDone = false;
          void hostile.then(() => {
            hostileIsDone = true;
          });
          const kind = await rendering.renderPage({ ...options, sharer: ['kind'], url: `${origin}/kind` });
          assert.ok(kind.ok, kind.ok ? '' : wordsOf(kind.reason));
          assert.equal([kind.warnings, served], [[], ['picture']]);
          assert.is(hostileIsDone, false, 'it was rendered while the other page waited');
          await hostile;
          assert.ok(performance.now() - startedAt < 50_000, 'the hostile page ended in time');
        },
        { rule, wayOut: wayHere({ resolve, dial }), concurrency: 2 },
      ),
    );
  });
  assert.is(count(), 0, 'no look-up outlives its page');
}

longTest(test)('with a resolver that never answers', async () => {
  let underWay = 0;
  let tell = (): void => {};
  const begun = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const resolve: Network['resolve'] = (name, signal) => {
    if (name === 'kind.example') return Promise.resolve([publicAddress]);
    underWay++;
    if (underWay === 16) tell();
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        underWay--;
        reject(signal.reason);
      }),
    );
  };
  await renderBoth(
    resolve,
    () => begun,
    () => underWay,
  );
});

longTest(test)('with the resolver of a machine whose name server answers nothing else', () =>
  withNameServer(
    ({ name, type }) => (name !== 'kind.example' ? 'silence' : type === 'A' ? [publicAddress] : []),
    async ({ address, arrived }) => {
      const here = systemNetwork({ clock: systemClock, nameServers: [address] });
      let underWay = 0;
      const resolve: Network['resolve'] = async (name, signal) => {
        underWay++;
        try {
          return await here.resolve(name, signal);
        } finally {
          underWay--;
        }
      };
      await renderBoth(
        resolve,
        () => arrived(2 * 16),
        () => underWay,
      );
    },
  ),
);

test.run();
