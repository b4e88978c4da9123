/** Large bodies, slow bodies, bodies by the dozen, and pictures that cost more than they weigh. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { startIntegration } from '../../../cli/demo/integration.ts';
import { callApi } from '../../call-api.ts';
import { connectIntegration, type Push, postcardMeta } from '../../journeys/world.ts';
import {
  type Abuse,
  type Attack,
  addressOf,
  always,
  deviceOf,
  householdOf,
  makePaper,
  sendAs,
  sendJson,
  type Tally,
  uploadImage,
} from './attack.ts';
import { costlyPictures, largePhotograph } from './costly-pictures.ts';
import { formOf, holdBody, send } from './send.ts';
import type { Scene } from './stage.ts';

const mebibyte = 1024 * 1024;

/** Many bodies at once that are there but for their last bytes. */
async function hold(
  scene: Scene,
  count: number,
  drips: number,
  body: (at: number) => { head: string[]; body: Buffer },
) {
  return (over: AbortSignal, tally: Tally) =>
    always(count, over, tally, (at) => holdBody(scene.http, { ...body(at), drips, from: addressOf(at), over }));
}

const forms: Abuse = {
  what: 'uploads of 58 MB, 60 at once, all but their last seconds sent',
  async attack(scene, tally) {
    const file = randomBytes(29 * mebibyte);
    const { type, body } = formOf({ 'picture#1': file, 'picture#2': file });
    const play = await hold(scene, 60, 40, (at) => {
      const household = householdOf(scene, at % 2);
      const path = `/devices/uploadSingleImage/${deviceOf(household, at)}`;
      return { head: [`POST ${path}`, `x-api-key: ${household.apiKey}`, `Content-Type: ${type}`], body };
    });
    return (over) => play(over, tally);
  },
};

const puts: Abuse = {
  what: 'PUTs of 29 MB to one signed address, 60 at once, all but their last seconds sent',
  async attack(scene, tally) {
    const household = householdOf(scene, 0);
    const paper = await makePaper(scene, household, { at: 0, kind: 'image' });
    const person = { url: scene.http, apiKey: household.apiKey };
    const { uploadUrl } = await callApi<{ uploadUrl: string }>(person, 'POST', `/papers/image/${paper}`, {});
    const { pathname, search } = new URL(uploadUrl, scene.http);
    const body = randomBytes(29 * mebibyte);
    const head = [`PUT ${pathname}${search}`, 'Content-Type: image/png'];
    const play = await hold(scene, 60, 40, () => ({ head, body }));
    return (over) => play(over, tally);
  },
};

/** So many connections of an integration. */
async function connections(scene: Scene, count: number): Promise<Push[]> {
  const integration = await startIntegration();
  const made: Push[] = [];
  for (let at = 0; at < count; at++) {
    const household = householdOf(scene, at);
    const paper = await makePaper(scene, household, { at, kind: 'plugin', meta: postcardMeta(integration) });
    made.push(await connectIntegration({ url: scene.http, apiKey: household.apiKey }, integration, paper));
  }
  return made;
}

const pushHead = ({ connectionId, token }: Push): string[] => [
  `POST /v1/integration-papers/connections/${connectionId}/content`,
  `Authorization: Bearer ${token}`,
  'Content-Type: application/json',
];

const json: Abuse = {
  what: 'pushes of 28 MB of JSON, 60 at once, half of them all but their last seconds sent',
  async attack(scene, tally) {
    const made = await connections(scene, 20);
    const image = randomBytes(20 * mebibyte - 3).toString('base64');
    const body = Buffer.from(JSON.stringify({ messageId: 'abuse', imageBase64: image }));
    const held = await hold(scene, 30, 40, (at) => ({ head: pushHead(made[at % made.length] as Push), body }));
    const whole = await hold(scene, 30, 0, (at) => ({ head: pushHead(made[at % made.length] as Push), body }));
    return (over) => Promise.all([held(over, tally), whole(over, tally)]);
  },
};

const drips: Abuse = {
  what: 'bodies and headers that come a byte a second, 400 at once, half of them without a key',
  async attack(scene, tally) {
    const { apiKey } = householdOf(scene, 0);
    const heads = [
      ['POST /v1/integration-papers/exchange', 'Content-Type: application/json'],
      ['POST /papers/', `x-api-key: ${apiKey}`, 'Content-Type: application/json'],
      ['POST /organizations/', 'Content-Type: application/json', `x-api-key: ${'0'.repeat(64)}`],
      [
        `POST /devices/uploadSingleImage/${deviceOf(householdOf(scene, 0), 0)}`,
        `x-api-key: ${apiKey}`,
        'Content-Type: multipart/form-data; boundary=x',
      ],
    ];
    const play = await hold(scene, 400, 100_000, (at) => ({
      head: heads[at % heads.length] ?? [],
      body: Buffer.alloc(60_000, ' '),
    }));
    return (over) => play(over, tally);
  },
};

/** @param pictures which are uploaded in turn; some are pushed besides */
function uploads(atOnce: number, pictures: () => Promise<readonly Buffer[]>): Attack {
  return async (scene, tally) => {
    const all = await pictures();
    const made = await connections(scene, 8);
    const bodies = all.map((picture) =>
      Buffer.from(JSON.stringify({ messageId: 'm', imageBase64: picture.toString('base64') })),
    );
    return (over) =>
      always(atOnce, over, tally, async (at, turn) => {
        const which = (at + turn) % all.length;
        const household = householdOf(scene, at % 2);
        const push = made[at % made.length];
        if (at % 3 > 0 || push === undefined) {
          return uploadImage(scene, household, deviceOf(household, at), all[which] as Buffer, over);
        }
        const headers = { authorization: `Bearer ${push.token}`, 'content-type': 'application/json' };
        const path = `/v1/integration-papers/connections/${push.connectionId}/content`;
        const body = bodies[which] as Buffer;
        return (await send(scene.http, { method: 'POST', path, headers, body, from: addressOf(at), signal: over }))
          .status;
      });
  };
}

const keys: Abuse = {
  what: 'forty keys of one account, each used five times a second on lists',
  async attack(scene, tally) {
    const household = householdOf(scene, 0);
    const person = { url: scene.http, apiKey: household.apiKey };
    const made = [household.apiKey];
    for (let at = 0; at < 40; at++) {
      const key = await callApi<{ raw: string }>(person, 'POST', '/tokens/', { name: `k${at}` }).catch(() => undefined);
      if (key !== undefined) made.push(key.raw);
    }
    for (let at = 0; at < 60; at++) await makePaper(scene, household, { at, kind: 'image' }).catch(() => {});
    tally(`${made.length} keys`);
    const paths = ['/papers/?limit=100', '/devices/?limit=100', '/tokens/', '/organizations/', '/changes/'];
    return (over) =>
      always(made.length, over, tally, async (at, turn) => {
        const headers = { 'x-api-key': made[at] ?? '' };
        const path = paths[turn % paths.length] ?? '/';
        const [status] = await Promise.all([
          sendAs(scene, household, { method: 'GET', path, headers, from: addressOf(at), signal: over }),
          pause(190),
        ]);
        return status;
      });
  },
};

const lists: Abuse = {
  what: 'four households with 24 papers and 24 devices of 250 kB each, who list them, five times at once each',
  async attack(scene, tally) {
    const meta = { text: 'x'.repeat(250_000) };
    const paths = ['/papers/', '/v1/papers/?limit=16', '/papers/?search=x', '/devices/', '/v1/devices/?limit=23'];
    const make = async (_: unknown, at: number): Promise<void> => {
      const household = householdOf(scene, at);
      const { organizationId: organization } = household;
      for (let made = 0; made < 24; made++) {
        await makePaper(scene, household, { at, kind: 'image', meta });
        await sendJson(scene, household, '/devices/', { organization, meta });
      }
    };
    await Promise.all(Array.from({ length: 4 }, make));
    return (over) =>
      always(20, over, tally, (at, turn) =>
        sendAs(scene, householdOf(scene, at), {
          method: 'GET',
          path: paths[turn % paths.length] ?? '/',
          from: addressOf(at),
          signal: over,
        }),
      );
  },
};

const lock: Abuse = {
  what: "another process that holds SQLite's write lock for 3 s, again and again",
  attack: async (scene, tally) => async (over) => {
    const db = new Sqlite(scene.databaseFile, { timeout: 2_000 });
    while (!over.aborted) {
      try {
        db.exec('begin immediate');
        tally('held');
        await pause(3_000, undefined, { signal: over }).catch(() => {});
        db.exec('rollback');
      } catch {
        tally('not got');
      }
      await pause(300);
    }
    db.close();
  },
};

/** Abuses of this sort. */
export const bodyAbuses = {
  'png-tall': {
    what: 'PNGs of 1 x 40,000,000 and 40,000,000 x 1 pixels, 30 uploads and pushes at once',
    attack: uploads(30, () => costlyPictures('tall')),
  },
  'png-mixed': {
    what: 'PNGs of 6000 x 6666 pixels, plain and interlaced, and JPEGs of many scans, 30 at once',
    attack: uploads(30, () => costlyPictures('wide')),
  },
  'jpegs-40mp': {
    what: 'ordinary JPEGs of 40 megapixels, 16 at once',
    attack: uploads(16, async () => [await largePhotograph()]),
  },
  'bodies-forms': forms,
  'bodies-puts': puts,
  'bodies-json': json,
  drips,
  keys,
  lists,
  lock,
} satisfies Record<string, Abuse>;
