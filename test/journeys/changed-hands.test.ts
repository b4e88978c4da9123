/** The answers to a frame that changes hands, and what either owner sees of it, end to end (T-63). */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { createKey } from '../../api/directory/keys.ts';
import { type ClientCredentials, Refused } from '../../cli/ground/client.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type BrokerFrame, type Fleet, startFleet } from '../../simulator/fleet/fleet.ts';
import { callApi } from '../call-api.ts';
import { longTest } from '../some-times.ts';
import { eventually, type ServiceWorld, withService } from './world.ts';

const test = suite('frames that change hands');

interface Owner extends ClientCredentials {
  readonly organizationId: string;
}

/** An admin of a further organization: somebody else, or the person of the first one. */
async function ownerOf({ context, http }: ServiceWorld, name: string, account?: string): Promise<Owner> {
  const email = `${name}@example.org`;
  const admin = account === undefined ? { name, email } : { name, accountId: account };
  const { organizationId, userId } = await createOrganization(context.db, context, { name, email, kind: null, admin });
  const { raw: apiKey } = await createKey(context.db, context, { userId, name: 'test' });
  return { url: http, apiKey, organizationId };
}

async function register(owner: Owner, serial: string, enable = true): Promise<string> {
  const { organizationId: organization } = owner;
  const options = { enable, organization };
  const answer = await callApi<{ device: { id: string } }>(owner, 'POST', `/devices/registerdevice/${serial}`, options);
  return answer.device.id;
}

async function show(owner: Owner, deviceId: string, background: string): Promise<void> {
  const picture = await sharp({ create: { width: 300, height: 200, channels: 3, background } })
    .png()
    .toBuffer();
  const body = new FormData();
  body.append('picture', new Blob([new Uint8Array(picture)]), 'picture.png');
  await callApi(owner, 'POST', `/devices/uploadSingleImage/${deviceId}`, body);
}

const currentFrame = (owner: Owner, deviceId: string): Promise<{ url: string } | undefined> =>
  callApi<{ url: string }>(owner, 'GET', `/devices/image/${deviceId}/current-frame`).catch((error: unknown) => {
    if (error instanceof Refused && error.status === 404) return undefined;
    throw error;
  });

const glassOf = (fleet: Fleet, serial: string): string => {
  const glass = fleet.frames.get(serial)?.state.glass;
  return glass?.shows === 'picture' ? glass.sha256 : String(glass?.shows);
};

type Handing = (former: Owner, next: Owner, device: { id: string; serial: string }) => Promise<string>;

/** The ways in which a frame leaves its owner; each returns the device of the next one. */
const handings: readonly (readonly [way: string, hand: Handing])[] = [
  [
    'released',
    async (former, next, { serial }) => {
      await register(former, serial, false);
      return register(next, serial);
    },
  ],
  [
    'removed with its device',
    async (former, next, { id, serial }) => {
      await callApi(former, 'DELETE', `/devices/${id}`);
      return register(next, serial);
    },
  ],
  [
    'moved',
    async (former, next, { id }) => {
      await callApi(former, 'POST', `/devices/${id}`, { organization: next.organizationId });
      return id;
    },
  ],
];

/** Waits for the glass to show a picture other than these, and returns its digest. */
const shows = (fleet: Fleet, serial: string, known: readonly string[]): Promise<string> =>
  eventually(`${serial} shows another picture`, async () => {
    const glass = glassOf(fleet, serial);
    return /^[0-9a-f]{64}$/.test(glass) && !known.includes(glass) && glass;
  });

async function pass(world: ServiceWorld, serial: string, dialect: BrokerFrame['dialect'], way: string, hand: Handing) {
  const { context, dataFolder } = world;
  const { account_id: account } = await context.db('users').first('account_id');
  const former = await ownerOf(world, `former ${serial}`, account);
  const next = await ownerOf(world, `next ${serial}`, way === 'moved' ? account : undefined);
  const { key, certificate: cert, root: ca } = await provisionFrame({ ...context, dataFolder }, { serial });
  const frame: BrokerFrame = { serial, dialect, credentials: { kind: 'certificate', key, cert, ca } };
  const start = () =>
    startFleet({
      frames: [frame],
      mqttUrl: world,
      picturePrefix: world.http,
      speed: 7200,
      seed: serial,
      clock: systemClock,
      trace: () => {},
    });
  const said = `${dialect}, ${way}`;
  const isShown = async (picture_sha256: string) =>
    (await context.db('uploads').where({ serial, picture_sha256 }).whereNotNull('shown_at').whereNotNull('fetched_at'))
      .length > 0;
  const id = await register(former, serial);
  let fleet = await start();
  try {
    await show(former, id, '#ff0000');
    const theirs = await shows(fleet, serial, []);
    await eventually(`${said}: the former owner's picture is proven`, () => isShown(theirs));
    assert.ok(await currentFrame(former, id));
    const [{ path: theirPath }] = await context.db('uploads').where({ serial }).select('path');
    // Sold: it is wiped, and its paper still shows what it showed. It reports that it holds nothing.
    await fleet.stop();
    await callApi(former, 'POST', `/devices/reboot/${id}`).catch(() => {});
    const device = await hand(former, next, { id, serial });
    assert.is(await currentFrame(next, device), undefined, `${said}: nothing is known of the glass`);
    const log = (): Promise<{ results: { deviceId: string }[] }> =>
      callApi(next, 'GET', `/devices/upload-logs/${device}`);
    assert.equal((await log()).results, [], `${said}: no upload of the former owner is listed`);
    await assert.is(
      (await fetch(world.http + theirPath).catch(() => undefined))?.status,
      undefined,
      `${said}: fetched`,
    );
    const since = new Date(0).toISOString();
    const range = `DateStart=${since}&DateEnd=${new Date(Date.now() + 60_000).toISOString()}`;
    const events = (): Promise<{ payload: { stage?: string; name?: string } }[]> =>
      callApi(next, 'GET', `/devices/events/${device}?${range}`);
    assert.equal(
      (await events()).filter(({ payload }) => payload.stage !== 'registered'),
      [],
      `${said}: no event of the former owner is listed`,
    );

    fleet = await start();
    const neutral = await shows(fleet, serial, []);
    assert.is.not(neutral, theirs, `${said}: never the former owner's`);
    await show(next, device, '#ffff00');
    const own = await shows(fleet, serial, [neutral]);
    assert.is.not(own, theirs, `${said}: never the former owner's`);
    await eventually(`${said}: the next owner's picture is proven`, () => isShown(own));
    assert.ok(await currentFrame(next, device));
    for (const { payload } of await events())
      assert.is.not(payload.name, 'reboot', `${said}: asked by the former owner`);
    if (way !== 'moved') {
      assert.is(await currentFrame(former, id), undefined, `${said}: the former owner sees nothing of the next one`);
    }
  } finally {
    await fleet.stop();
  }
}

for (const dialect of ['native', 'classic'] as const) {
  const register = longTest(test);
  register(`T-63: a ${dialect} frame shows its next owner nothing of the former one, however it changes hands`, () =>
    withService(async (world) => {
      for (const [at, [way, hand]] of handings.entries())
        await pass(world, `epd7-0000000000d${at}`, dialect, way, hand);
    }),
  );
}

test.run();
