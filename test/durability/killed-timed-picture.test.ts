/** `kill -9` of a real service process while a picture is shown until a time: what was there before comes back. */
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually, withFolder } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type Serving, withProcesses } from './serving.ts';

const test = suite('a timed picture and kill');
const hourMs = 3_600_000;

const photograph = (colour: string): Promise<Buffer> =>
  sharp({ create: { width: 80, height: 48, channels: 3, background: colour } })
    .png()
    .toBuffer();

interface Timed {
  readonly pictures: readonly { readonly state: string }[];
}

/** Returns a person's view of a paper through a service, with the key of the first one. */
function viewOf({ http }: Serving, { apiKey, organizationId }: Serving) {
  const person = { url: http, apiKey };
  return {
    person,
    async send(paper: string, colour: string, times: Readonly<Record<string, string>> = {}): Promise<void> {
      const body = new FormData();
      body.append('picture', new Blob([new Uint8Array(await photograph(colour))]), 'picture.png');
      for (const [name, time] of Object.entries(times)) body.append(name, time);
      const path = `${http}/papers/uploadSingleImage/${paper}`;
      const answer = await fetch(path, { method: 'POST', headers: { 'x-api-key': apiKey }, body });
      assert.is(answer.status, 200, await answer.text());
    },
    async state(paper: string): Promise<string | undefined> {
      const path = `/timed-pictures/?organization=${organizationId}&paper=${paper}`;
      return (await callApi<Timed>(person, 'GET', path)).pictures[0]?.state;
    },
    /** The colour of the paper's picture. */
    async colour(paper: string): Promise<string> {
      const { signedUrl } = await callApi<{ signedUrl: string }>(person, 'GET', `/papers/${paper}?kind=original.png`);
      const { dominant } = await sharp(Buffer.from(await (await fetch(signedUrl)).arrayBuffer())).stats();
      return dominant.r > dominant.g ? 'red' : 'green';
    },
  };
}

longTest(test)(
  'killed between its beginning and its end, a picture is still shown until its time, and then gives way',
  () =>
    withFolder((folder, rows) =>
      withProcesses(async ({ serve }) => {
        const data = join(folder, 'data');
        const first = await serve(data, { found: true }, [], rows);
        const { person, ...before } = viewOf(first, first);
        const { organizationId: organization } = first;
        const device = await callApi<{ id: string }>(person, 'POST', '/devices/', { organization });
        const made = { deviceId: device.id, kind: 'image', organization, meta: { title: 'Hall' } };
        const { id: paper } = await callApi<{ id: string }>(person, 'POST', '/papers/', made);
        await before.send(paper, '#ff0000');
        const at = (hours: number): string => new Date(Date.now() + hours * hourMs).toISOString();
        await before.send(paper, '#00ff00', { showFrom: at(1), showUntil: at(4) });
        assert.equal([await before.state(paper), await before.colour(paper)], ['waiting', 'red']);
        assert.is(await first.end('SIGKILL'), 'SIGKILL');

        for (const hours of [2, 3]) {
          const between = await serve(data, { laterMs: hours * hourMs }, [], rows);
          const shown = viewOf(between, { ...between, apiKey: first.apiKey, organizationId: organization });
          await eventually('its time has come', async () => (await shown.state(paper)) === 'showing');
          assert.is(await shown.colour(paper), 'green', `after ${hours} hours`);
          assert.is(await between.end('SIGKILL'), 'SIGKILL');
        }

        const later = await serve(data, { laterMs: 5 * hourMs }, [], rows);
        const after = viewOf(later, { ...later, apiKey: first.apiKey, organizationId: organization });
        await eventually('its time is over', async () => (await after.state(paper)) === 'done');
        assert.is(await after.colour(paper), 'red', 'what was there before');
      }),
    ),
);

test.run();
