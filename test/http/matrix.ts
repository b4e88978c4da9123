/** Each route as the matrix of access calls it, and what stands in its addresses and bodies. */
import { FormData } from 'undici';
import { channelStore, maxChannels } from '../../api/alerts/channels.ts';
import { startSession } from '../../api/directory/sessions.ts';
import type { ApiDescription } from '../../api/http/description/describe-api.ts';
import type { Json, Operation } from '../../api/http/description/describe-schema.ts';
import { addImage, openImages } from '../../gateway/firmware/images.ts';
import { startRollout } from '../../gateway/firmware/rollouts.ts';
import { isoTime } from '../../runtime/clock.ts';
import { usableManifest } from '../integration/integration-world.ts';
import { recordRows } from '../schemas/record-rows.ts';
import { type Answer, type CallOptions, type HttpWorld, type Person, picture, worldKeys } from './world.ts';

/** The ids of one organization, or of what is nowhere. */
export interface Ids {
  readonly organization: string;
  readonly user: string;
  readonly account: string;
  readonly token: string;
  readonly session: string;
  readonly device: string;
  readonly serial: string;
  readonly paper: string;
  readonly connection: string;
  readonly timed: string;
  readonly rollout: string;
  readonly channel: string;
  readonly deadline: string;
  readonly recipe: string;
  readonly job: string;
  readonly group: string;
}

/** The kind of thing that an identifier's name stands for, wherever it is: in a path, a query or a body. */
const kinds: Readonly<Record<string, keyof Ids>> = {
  organizationId: 'organization',
  organization: 'organization',
  userId: 'user',
  patient: 'user',
  accountId: 'account',
  tokenId: 'token',
  sessionId: 'session',
  deviceId: 'device',
  serial: 'serial',
  paperId: 'paper',
  paper: 'paper',
  connectionId: 'connection',
  timedId: 'timed',
  device: 'device',
  rolloutId: 'rollout',
  channelId: 'channel',
  deadlineId: 'deadline',
  timedPicture: 'timed',
  recipeId: 'recipe',
  jobId: 'job',
  groupId: 'group',
};

/** Parts of paths that name nothing of an organization's; images and revisions are named within their device or paper. */
const harmless: readonly string[] = [
  ...[
    'kind',
    'uuid',
    'after',
    'revision',
    'expiresAt',
    'uploadId',
    'eventId',
    'before',
    'pictureId',
    'linkId',
    'sourceId',
    'senderId',
    'mailId',
    'chatId',
    'attemptId',
    'passkeyId',
    'pairingId',
    'intervalId',
  ],
  'loginId',
  // Of a deadline: an entry of its playlist, and whom its steps go to, which are looked for in its organization.
  ...['entry', 'steps'],
  // A MAC address, which is nobody's until it is adopted.
  'address',
  // The name of a frame that is about to be made.
  'name',
  // The secret of an address that data are sent to.
  'token',
  ...['objectId', 'devices', 'papers', 'group', 'groups'],
];

/** One place of a request that holds an identifier. */
export interface Place {
  readonly in: 'path' | 'query' | 'body';
  readonly name: string;
  readonly required: boolean;
}

/** One operation of the description, with the places of its identifiers. */
export interface Called {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly places: readonly Place[];
}

const idPattern = '^[0-9a-f]{24}$';

/** Every operation of a description. Fails for an identifier whose name the matrix does not know. */
export function everyOperation(api: ApiDescription): Called[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const fields = [...operation.parameters.map(asField), ...bodyFields(operation)];
      for (const field of fields) {
        const isId =
          field.in === 'path' || JSON.stringify(field.schema).includes(JSON.stringify(idPattern).slice(1, -1));
        const isTold = Object.hasOwn(kinds, field.name) || harmless.includes(field.name);
        if (isId && !isTold) throw new Error(`${name}: what does ${field.name} name? Tell test/http/matrix.ts`);
      }
      const plain = rows[name]?.plain ?? [];
      const places = fields.filter(
        (field) => Object.hasOwn(kinds, field.name) && !plain.includes(`${field.in} ${field.name}`),
      );
      return { name, method: method.toUpperCase(), path, operation, places };
    }),
  );
}

function asField(parameter: Operation['parameters'][number]): Place & { readonly schema: Json } {
  const { name, in: place, schema } = parameter;
  return { name, in: place === 'path' ? 'path' : 'query', required: parameter.required === true, schema };
}

function bodyFields(operation: Operation): (Place & { readonly schema: Json })[] {
  const { content } = (operation.requestBody ?? { content: {} }) as { content: Record<string, { schema: Json }> };
  const schema = content['application/json']?.schema ?? {};
  const required = (schema.required ?? []) as readonly string[];
  return Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([name, field]) => ({
    name,
    in: 'body' as const,
    required: required.includes(name),
    schema: field,
  }));
}

/** Statuses of: nobody, admin, user, patient, onlyself, the admin of another organization. */
type Six = readonly [nobody: number, admin: number, user: number, patient: number, self: number, other: number];

/** The needs of a call of an operation besides its identifiers, and who may make it. */
export interface AccessRow {
  readonly expect: Six;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The body where it is not JSON. */
  readonly send?: () => FormData | Buffer;
  /** The furniture that the call uses up: the next caller gets it again. */
  readonly ends?: Furniture;
  /** The call gives its callers another membership, so it comes after the others. */
  readonly last?: true;
  /** Fields with the name of an identifier that are not one here, as `body deviceId`. */
  readonly plain?: readonly string[];
  /** Sets up what the call needs beyond the furniture. */
  readonly prepare?: (world: HttpWorld, ids: Ids) => Promise<Prepared>;
}

/** Parameters of a call in place of the furniture, or besides it. */
export interface Prepared {
  readonly ids?: Partial<Ids>;
  readonly body?: object;
  readonly params?: Readonly<Record<string, string>>;
}

const everybody: Six = [401, 200, 200, 200, 200, 200];
const anyone: Six = [200, 200, 200, 200, 200, 200];
/** Something of the organization that patients and `onlyself` are not linked to. */
const ofTheOrganization: Six = [401, 200, 200, 404, 404, 404];
const madeByWriters: Six = [401, 201, 201, 404, 404, 404];
const ofMembers: Six = [401, 200, 200, 200, 403, 404];
const forWriters: Six = [401, 200, 200, 403, 403, 404];
const forAdmins: Six = [401, 200, 403, 403, 403, 404];
/** The answers to calls that only a session of the console may make. */
const noSession: Six = [401, 403, 403, 403, 403, 403];
const noGuest: Six = [401, 401, 401, 401, 401, 401];
/** A user somebody else is: patients and `onlyself` do not even see it. */
const forAdminsOfUsers: Six = [401, 200, 403, 404, 404, 404];
const days = { DateStart: '0', DateEnd: '9' };
const nowhere = { pairingId: '0'.repeat(24) };
const emptyCredential = { id: 'AA', rawId: 'AA', type: 'public-key' };
const emptyAssertion = {
  ...emptyCredential,
  response: { clientDataJSON: 'AA', authenticatorData: 'AA', signature: 'AA' },
};
const emptyAttestation = { ...emptyCredential, response: { clientDataJSON: 'AA', attestationObject: 'AA' } };
const manifestUrl = 'https://notes.example/notes/config.json';

function pictureForm(): FormData {
  const body = new FormData();
  body.append('uuid', 'x');
  body.append('picture', new Blob([new Uint8Array(picture('x'))]), 'x.png');
  return body;
}

/** A real picture of one pixel, in a form. */
function smallPicture(): FormData {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC';
  const body = new FormData();
  body.append('picture', new Blob([new Uint8Array(Buffer.from(png, 'base64'))]), 'small.png');
  return body;
}

async function uploadImage({ call, admin }: HttpWorld, ids: Ids): Promise<object> {
  await call('POST', `/devices/uploadSingleImage/${ids.device}`, { as: admin, body: pictureForm() });
  return {};
}

/** A device with a frame. */
async function withFrame({ call, admin }: HttpWorld, { organization, serial }: Ids): Promise<{ ids: Partial<Ids> }> {
  const json = { enable: true, organization };
  const { device } = (await call('POST', `/devices/registerdevice/${serial}`, { as: admin, json })).json;
  return { ids: { device: device.id } };
}

/** A simulated frame of the organization, whose button can be pressed. */
async function simulatedFrame({ call, admin }: HttpWorld, { organization }: Ids): Promise<{ ids: Partial<Ids> }> {
  const json = { organization, kind: 'epd7', name: 'Kitchen' };
  await call('POST', '/devices/simulated', { as: admin, json });
  // There are a few of them at most: the next callers press the button of one that is there.
  const rows: { id: string; simulated: boolean }[] = (await call('GET', '/devices/overview', { as: admin })).json;
  return { ids: { device: rows.find(({ simulated }) => simulated)?.id ?? '' } };
}

/** A frame of the organization beside its furniture, whose device stays without one. */
async function anotherFrame({ call, admin, frames, random }: HttpWorld, { organization }: Ids): Promise<object> {
  const serial = `epd7-${random.id()}`;
  await frames.provision(serial);
  // The device that was made last gets the frame.
  await call('POST', '/devices', { as: admin, json: { organization } });
  await call('POST', `/devices/registerdevice/${serial}`, { as: admin, json: { enable: true, organization } });
  return {};
}

/** Brings the organization's job into a state. */
async function jobIn({ db }: HttpWorld, { job: id }: Ids, state: string): Promise<object> {
  await db('jobs').where({ id }).update({ state });
  return {};
}

/** Jobs that calls made are over, so that there may be more. */
async function fewJobs({ db }: HttpWorld, { organization }: Ids): Promise<object> {
  await db('jobs').where({ organization_id: organization }).where({ name: 'of a call' }).delete();
  return {};
}

function pictureJob(): FormData {
  const body = smallPicture();
  body.append('job', JSON.stringify({ name: 'of a call', all: true }));
  return body;
}

/** Brings the organization's rollout into a state. */
async function rolloutIn({ db }: HttpWorld, { organization, rollout: id }: Ids, state: string): Promise<object> {
  await db('firmware_rollouts').where({ owner: organization }).update({ state: 'superseded' });
  await db('firmware_rollouts').where({ id }).update({ state });
  return {};
}

const recordedInterval = 'cafe'.repeat(6);

/** Writes an interval of the organization's record. */
async function intervalIn({ db }: HttpWorld, { organization }: Ids): Promise<object> {
  const [row] = recordRows(organization, 'epd7-00000000beef', 1).wall_intervals;
  const isThere = (await db('wall_intervals').where({ id: recordedInterval }).first('id')) !== undefined;
  if (!isThere) await db('wall_intervals').insert({ ...row, id: recordedInterval });
  return {};
}

/** Adds a firmware image, and a former rollout of it by the organization. */
async function formerRollout({ db, clock, random, dataFolder }: HttpWorld, owner: string): Promise<string> {
  const deps = { db, random, images: await openImages(dataFolder) };
  const which = { kind: 'epd7', dialect: 'native', version: '1.5.0' } as const;
  await addImage(deps, { ...which, file: Buffer.from('firmware') }, clock.now());
  const live = db('firmware_rollouts').where({ owner });
  const { id } = await startRollout(deps, { ...which, percent: 100, owned: { owner, frames: [] } }, clock.now());
  await live.update({ state: 'superseded' });
  return id;
}

/** An alert channel of its own, as long as the organization may make some more: it is furnished many times. */
async function alertChannel({ db, clock, random }: HttpWorld, organizationId: string): Promise<string> {
  const had = await channelStore(db).list(organizationId);
  const last = had.at(-1);
  if (last !== undefined && had.length > maxChannels / 2) return last.id;
  const id = random.id();
  const choice = { kind: 'webhook', name: 'furniture', target: { url: 'https://hooks.example/a' } } as const;
  const more = { is_on: 1, kinds: null, places: null, digest: 'daily', quiet_from: null, quiet_until: null } as const;
  const said = { time_zone: 'UTC', language: 'en', hourly_limit: 1 } as const;
  const deps = { clock, random, sealKey: worldKeys.seal };
  await channelStore(db).insert(deps, { id, organizationId }, { ...choice, ...more, ...said }, undefined);
  return id;
}

async function calendarPaper({ call, admin }: HttpWorld, ids: Ids): Promise<{ ids: Partial<Ids> }> {
  const json = { organization: ids.organization, deviceId: ids.device, kind: 'calendar', meta: { calendars: [] } };
  return { ids: { paper: (await call('POST', '/papers', { as: admin, json })).json.id } };
}

const recipeTexts = { settings: 'name: House\nstrategy: webhook\n', views: { full: '{{ room }}' } };

/** A paper of a recipe that waits for its data. */
async function recipePaper({ call, admin }: HttpWorld, ids: Ids): Promise<{ ids: Partial<Ids> }> {
  const meta = { recipe: ids.recipe };
  const json = { organization: ids.organization, deviceId: ids.device, kind: 'recipe', meta };
  return { ids: { paper: (await call('POST', '/papers', { as: admin, json })).json.id } };
}

/** An archive without a recipe. */
function emptyArchive(): FormData {
  const body = new FormData();
  body.append(
    'archive',
    new Blob([new Uint8Array(Buffer.from('UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==', 'base64'))]),
    'x.zip',
  );
  return body;
}

/** An album with a picture; `pictureId` and `linkId` of the address are those of nothing. */
async function albumPaper({ call, admin }: HttpWorld, ids: Ids): Promise<{ ids: Partial<Ids> }> {
  const json = { organization: ids.organization, deviceId: ids.device, kind: 'album', meta: {} };
  return { ids: { paper: (await call('POST', '/papers', { as: admin, json })).json.id } };
}

async function grantOf({ call, admin }: HttpWorld, ids: Ids): Promise<string> {
  const path = `/v1/integration-papers/papers/${ids.paper}/grants`;
  const json = { configUrl: manifestUrl, settingsPage: './settings.html' };
  return (await call('POST', path, { as: admin, json })).json.grant;
}

async function invitation({ call, admin, random }: HttpWorld): Promise<{ body: object }> {
  const { id: organization } = (await call('POST', '/organizations', { as: admin, json: { kind: 'club' } })).json;
  const json = { organization, email: `${random.id()}@example.org` };
  const { inviteCode } = (await call('POST', '/users', { as: admin, json })).json;
  return { body: { inviteCode } };
}

/** One row for each operation there is. */
export const rows: Readonly<Record<string, AccessRow>> = {
  'GET /openapi.json': { expect: anyone },
  // There are two organizations in this world: the numbers tell one of the other.
  'GET /service/history': { expect: [401, 403, 403, 403, 403, 403] },
  'GET /service/about': { expect: [401, 200, 403, 403, 403, 200] },
  'GET /iotdevice/status/{kind}': { expect: anyone, params: { kind: 'api' } },
  'GET /changes/': { expect: everybody },
  'GET /changes/stream': { expect: everybody },
  'GET /organizations/': { expect: everybody },
  'POST /organizations/': { expect: everybody, body: { kind: 'home' }, last: true },
  'GET /organizations/{organizationId}': { expect: [401, 200, 200, 200, 200, 404] },
  'GET /organizations/{organizationId}/audit/': { expect: forAdmins },
  'GET /organizations/{organizationId}/firmware/': { expect: forWriters },
  'GET /organizations/{organizationId}/firmware/rollouts/{rolloutId}': { expect: forWriters },
  'POST /organizations/{organizationId}/firmware/rollouts/': {
    expect: [401, 201, 403, 403, 403, 404],
    body: { kind: 'epd7', version: '1.5.0' },
    prepare: anotherFrame,
  },
  'POST /organizations/{organizationId}/firmware/rollouts/{rolloutId}/pause': {
    expect: forAdmins,
    prepare: (world, ids) => rolloutIn(world, ids, 'running'),
  },
  'POST /organizations/{organizationId}/firmware/rollouts/{rolloutId}/resume': {
    expect: forAdmins,
    prepare: (world, ids) => rolloutIn(world, ids, 'paused'),
  },
  'GET /organizations/{organizationId}/jobs/': { expect: forWriters },
  'GET /organizations/{organizationId}/jobs/{jobId}': { expect: forWriters },
  'GET /organizations/{organizationId}/jobs/{jobId}/frames': { expect: forWriters },
  'GET /organizations/{organizationId}/jobs/{jobId}/report': { expect: forWriters },
  'GET /organizations/{organizationId}/jobs/{jobId}/report/csv': { expect: forWriters },
  'POST /organizations/{organizationId}/jobs/': {
    expect: [401, 201, 201, 403, 403, 404],
    body: { name: 'of a call', all: true, paper: null },
    prepare: fewJobs,
  },
  'POST /organizations/{organizationId}/jobs/pictures': {
    expect: [401, 201, 201, 403, 403, 404],
    send: pictureJob,
    prepare: fewJobs,
  },
  'POST /organizations/{organizationId}/jobs/{jobId}/pause': {
    expect: forWriters,
    prepare: (world, ids) => jobIn(world, ids, 'running'),
  },
  'POST /organizations/{organizationId}/jobs/{jobId}/resume': {
    expect: forWriters,
    prepare: (world, ids) => jobIn(world, ids, 'paused'),
  },
  'POST /organizations/{organizationId}/jobs/{jobId}/cancel': {
    expect: forWriters,
    prepare: (world, ids) => jobIn(world, ids, 'running'),
  },
  'POST /organizations/{organizationId}/jobs/{jobId}/undo': {
    expect: forWriters,
    prepare: (world, ids) => jobIn(world, ids, 'finished'),
  },
  'GET /organizations/{organizationId}/groups/': { expect: forWriters },
  'GET /organizations/{organizationId}/groups/{groupId}/frames': { expect: forWriters },
  'POST /organizations/{organizationId}/groups/': {
    expect: [401, 201, 201, 403, 403, 404],
    body: { name: 'Menus', tag: 'menu' },
  },
  'PATCH /organizations/{organizationId}/groups/{groupId}': { expect: forWriters, body: { name: 'Menus' } },
  'DELETE /organizations/{organizationId}/groups/{groupId}': { expect: forWriters, ends: 'group' },
  'GET /organizations/{organizationId}/alerts/channels/': { expect: forAdmins },
  'POST /organizations/{organizationId}/alerts/channels/': {
    expect: [401, 201, 403, 403, 403, 404],
    body: { kind: 'ntfy', name: 'Family', url: 'https://ntfy.example', topic: 'home' },
  },
  'PATCH /organizations/{organizationId}/alerts/channels/{channelId}': { expect: forAdmins, body: { name: 'Home' } },
  'DELETE /organizations/{organizationId}/alerts/channels/{channelId}': {
    expect: [401, 204, 403, 403, 403, 404],
    ends: 'channel',
  },
  'POST /organizations/{organizationId}/alerts/channels/{channelId}/test': { expect: forAdmins },
  'GET /organizations/{organizationId}/alerts/outages/': { expect: forAdmins },
  'GET /organizations/{organizationId}/record': { expect: forWriters },
  'PATCH /organizations/{organizationId}/record': { expect: forAdmins, body: { keepYears: 5, target: 95 } },
  'GET /organizations/{organizationId}/record/intervals': { expect: forWriters },
  'DELETE /organizations/{organizationId}/record/intervals/{intervalId}/words': {
    expect: [401, 204, 403, 403, 403, 404],
    params: { intervalId: recordedInterval },
    prepare: intervalIn,
  },
  'GET /organizations/{organizationId}/record/csv': { expect: forWriters },
  'GET /organizations/{organizationId}/record/receipts': { expect: forWriters },
  'GET /organizations/{organizationId}/record/pdf': { expect: forWriters },
  'PATCH /organizations/{organizationId}': { expect: forAdmins, body: { name: 'Renamed' } },
  'POST /organizations/{organizationId}': { expect: forAdmins, body: { name: 'Renamed' } },
  'DELETE /organizations/{organizationId}': {
    expect: [401, 200, 404, 404, 404, 404],
    async prepare({ call, admin }) {
      const { json } = await call('POST', '/organizations', { as: admin, json: { kind: 'empty' } });
      return { ids: { organization: json.id } };
    },
  },
  'GET /users/': { expect: [401, 200, 200, 200, 200, 404] },
  'POST /users/': {
    expect: forAdmins,
    prepare: async ({ random }) => ({ body: { email: `${random.id()}@example.org` } }),
  },
  'POST /users/join': {
    expect: [401, 409, 200, 200, 200, 200],
    last: true,
    prepare: invitation,
  },
  'POST /users/invitation': { expect: [401, 409, 200, 200, 200, 200], last: true, prepare: invitation },
  'GET /usersnnn/{userId}': { expect: ofTheOrganization },
  'GET /users/{userId}': { expect: [401, 200, 200, 204, 204, 204] },
  'POST /users/{userId}': { expect: forAdminsOfUsers, body: { name: 'Anew' } },
  'PATCH /users/{userId}': { expect: forAdminsOfUsers, body: { name: 'Renamed' } },
  'DELETE /users/{userId}': { expect: forAdminsOfUsers, ends: 'user' },
  'GET /users/{userId}/links': { expect: ofTheOrganization },
  'POST /users/{userId}/links': {
    expect: forAdminsOfUsers,
    prepare: async (_world, { device, paper }) => ({ body: { devices: [device], papers: [paper] } }),
  },
  'GET /accounts/{accountId}': { expect: [401, 200, 404, 404, 404, 404] },
  // Of somebody else, whom admins may see and not change.
  'PATCH /accounts/{accountId}': { expect: [401, 403, 404, 404, 404, 404], body: { firstName: 'Una' } },
  'DELETE /accounts/{accountId}': { expect: [401, 403, 404, 404, 404, 404] },
  'GET /tokens/': { expect: everybody },
  'POST /tokens/': { expect: [401, 200, 200, 403, 403, 200], body: { name: 'another' } },
  'GET /tokens/{tokenId}': { expect: [401, 200, 404, 404, 404, 404] },
  'DELETE /tokens/{tokenId}': { expect: [401, 204, 404, 404, 404, 404], ends: 'token' },
  'GET /sessions/ways': { expect: anyone },
  // No identity provider signs people in to this world.
  'GET /sessions/provider': { expect: [404, 404, 404, 404, 404, 404] },
  'GET /sessions/provider/return': { expect: [404, 404, 404, 404, 404, 404] },
  'POST /sessions/': { expect: [401, 401, 401, 401, 401, 401], body: { code: 'unknown' } },
  'POST /sessions/invitation': { expect: [404, 404, 404, 404, 404, 404], body: { inviteCode: 'of nothing' } },
  'GET /sessions/': { expect: everybody },
  'GET /sessions/current': { expect: everybody },
  // A key has no session.
  'PATCH /sessions/current': { expect: [401, 404, 404, 404, 404, 404], body: { stays: true } },
  'DELETE /sessions/current': { expect: [401, 404, 404, 404, 404, 404] },
  'DELETE /sessions/{sessionId}': { expect: [401, 204, 404, 404, 404, 404], ends: 'session' },
  // The address of this world is a number, which has no passkeys.
  'POST /sessions/passkey/challenge': { expect: [409, 409, 409, 409, 409, 409] },
  'POST /sessions/passkey': { expect: [409, 409, 409, 409, 409, 409], body: { response: emptyAssertion } },
  'GET /passkeys/': { expect: everybody },
  // A key makes no passkey, and lets no other browser in.
  'POST /passkeys/challenge': { expect: noSession },
  'POST /passkeys/': { expect: noSession, body: { name: 'Phone', response: emptyAttestation } },
  'PATCH /passkeys/{passkeyId}': {
    expect: [401, 404, 404, 404, 404, 404],
    params: { passkeyId: '0'.repeat(24) },
    body: { name: 'Phone' },
  },
  'DELETE /passkeys/{passkeyId}': {
    expect: [401, 404, 404, 404, 404, 404],
    params: { passkeyId: '0'.repeat(24) },
  },
  // The user of the furniture has not joined: the invitation is their way in.
  'POST /users/{userId}/sign-in-link': { expect: [401, 409, 403, 404, 404, 404] },
  'GET /sessions/links/': { expect: everybody },
  'DELETE /sessions/links/{linkId}': { expect: [401, 404, 404, 404, 404, 404], params: { linkId: '0'.repeat(24) } },
  'POST /sessions/link/look': { expect: noGuest, body: { code: 'unknown' } },
  'POST /sessions/link': { expect: noGuest, body: { code: 'unknown' } },
  // No mail goes from this world.
  'POST /sessions/mail': { expect: [404, 404, 404, 404, 404, 404], body: { email: 'ada@example.org' } },
  'POST /sessions/pairings/': { expect: noSession },
  'GET /sessions/pairings/{pairingId}': { expect: noSession, params: nowhere },
  'POST /sessions/pairings/{pairingId}/confirm': { expect: noSession, body: { number: 10 }, params: nowhere },
  'DELETE /sessions/pairings/{pairingId}': { expect: noSession, params: nowhere },
  'POST /sessions/pairing/scan': { expect: noGuest, body: { code: 'unknown' } },
  'POST /sessions/pairing': { expect: noGuest, body: { ticket: 'unknown' } },
  'GET /devices/': { expect: everybody },
  'GET /devices/overview': { expect: everybody },
  'GET /devices/kinds': { expect: everybody },
  'GET /devices/addresses': { expect: everybody },
  'GET /devices/waiting': { expect: [401, 200, 403, 403, 403, 404] },
  'GET /devices/adoption-window': { expect: [401, 200, 403, 403, 403, 404] },
  'PUT /devices/adoption-window': { expect: [401, 200, 403, 403, 403, 404], body: { minutes: 1 } },
  'POST /devices/adopt/{address}': {
    expect: [401, 201, 403, 403, 403, 404],
    params: { address: 'AA:BB:CC:00:11:22' },
    body: { kind: 'trmnl4' },
    prepare: async ({ random }) => ({
      params: { address: `AA:${random.id().slice(-10).toUpperCase().match(/../g)?.join(':')}` },
    }),
  },
  'GET /devices/simulated': { expect: [401, 200, 200, 403, 403, 404] },
  'POST /devices/simulated': { expect: [401, 201, 201, 403, 403, 404], body: { kind: 'epd7', name: 'Kitchen' } },
  'POST /devices/simulated/{deviceId}/button': { expect: ofTheOrganization, prepare: simulatedFrame },
  'POST /devices/plain/{name}': {
    expect: [401, 201, 403, 403, 403, 404],
    params: { name: 'kitchen' },
    body: { kind: 'mono-800x480' },
  },
  'POST /devices/offline/{name}': {
    expect: [401, 201, 403, 403, 403, 404],
    params: { name: 'kitchen' },
    body: { kind: 'offline7' },
  },
  // Whether somebody has the serial is what the call finds out.
  'POST /devices/provision/{serial}': {
    expect: [401, 201, 403, 403, 403, 404],
    params: { serial: 'epd7-b0c1d2e3f405' },
    plain: ['path serial'],
    prepare: async ({ random }) => ({ params: { serial: `epd7-${random.id().slice(-12)}` } }),
  },
  'POST /devices/': { expect: forWriters },
  'GET /devices/{deviceId}': { expect: ofTheOrganization },
  'POST /devices/{deviceId}': {
    expect: ofTheOrganization,
    body: { meta: { name: 'Hall' } },
    // The serial, which nobody sets.
    plain: ['body deviceId'],
  },
  'DELETE /devices/{deviceId}': { expect: ofTheOrganization, ends: 'everything' },
  'POST /devices/registerdevice/{serial}': { expect: forWriters, body: { enable: true } },
  'GET /devices/ping/{deviceId}': { expect: ofTheOrganization, query: { dataResponse: 'false' } },
  'POST /devices/reboot/{deviceId}': { expect: ofTheOrganization },
  'POST /devices/identify/{deviceId}': { expect: ofTheOrganization },
  'POST /devices/reset/{deviceId}': { expect: ofTheOrganization },
  'GET /devices/events/{deviceId}': { expect: ofTheOrganization, query: days },
  'GET /iotdevice/events/{deviceId}': { expect: ofTheOrganization, query: days },
  'GET /devices/why/{deviceId}': { expect: ofTheOrganization },
  'GET /devices/{deviceId}/viewers': { expect: ofTheOrganization },
  'GET /devices/upload-logs/{deviceId}': { expect: ofTheOrganization },
  'POST /devices/{deviceId}/battery-forecast': { expect: ofTheOrganization, body: { sleepTime: 600 } },
  'GET /devices/{deviceId}/credentials': { expect: ofTheOrganization, prepare: withFrame },
  'POST /devices/{deviceId}/credentials': { expect: madeByWriters, prepare: withFrame },
  'POST /devices/{deviceId}/credentials/renew': { expect: madeByWriters, prepare: withFrame },
  'DELETE /devices/{deviceId}/credentials': { expect: ofTheOrganization, prepare: withFrame },
  'GET /devices/{deviceId}/readings': { expect: ofTheOrganization },
  'GET /devices/{deviceId}/uploads': { expect: ofTheOrganization },
  'GET /devices/{deviceId}/sent': { expect: ofTheOrganization, query: { ids: '0'.repeat(24) } },
  // A device without a frame was offered nothing.
  'GET /devices/{deviceId}/uploads/{uploadId}/picture': {
    expect: [401, 404, 404, 404, 404, 404],
    params: { uploadId: '0'.repeat(24) },
  },
  'GET /papers/': { expect: everybody },
  'POST /papers/': { expect: forWriters, body: { kind: 'image' } },
  'GET /papers/{paperId}': { expect: ofTheOrganization },
  'POST /papers/{paperId}': { expect: ofTheOrganization, body: { kind: 'plugin' } },
  'DELETE /papers/{paperId}': {
    expect: ofTheOrganization,
    async prepare({ call, admin }, { organization, device: deviceId }) {
      // The device shows its first paper.
      const { json } = await call('POST', '/papers', { as: admin, json: { organization, deviceId, kind: 'image' } });
      return { ids: { paper: json.id } };
    },
  },
  'GET /papers/calendar/{paperId}': { expect: ofTheOrganization, prepare: calendarPaper },
  'POST /papers/{paperId}/calendar-preview': {
    expect: ofTheOrganization,
    body: { selectedCalendars: {}, dayRange: 1, maxEvents: 1 },
    prepare: calendarPaper,
  },
  'POST /papers/image/{paperId}': { expect: ofTheOrganization },
  // Its signature is the permission.
  'PUT /signed/papers/{paperId}/{accountId}/{after}/{revision}/{expiresAt}': {
    expect: [403, 403, 403, 403, 403, 403],
    params: { after: '-', revision: '0'.repeat(24), expiresAt: '9999999999999' },
    query: { s: 'x' },
    send: () => picture('x'),
  },
  'GET /devices/image/{deviceId}/{uuid}': { expect: ofTheOrganization, params: { uuid: 'x' }, prepare: uploadImage },
  'POST /devices/uploadSingleImage/{deviceId}': { expect: ofTheOrganization, send: pictureForm },
  // The device was offered nothing.
  'POST /devices/{deviceId}/show-again': {
    expect: [401, 404, 404, 404, 404, 404],
    body: { uploadId: '0'.repeat(24) },
  },
  'POST /devices/updateSingleImageMeta/{deviceId}': {
    expect: ofTheOrganization,
    body: { uuid: 'x', meta: {} },
    prepare: uploadImage,
  },
  // A device of no known kind has no panel to render for.
  'POST /devices/updateSingleImageFromWebsite/{deviceId}': {
    expect: [401, 400, 400, 404, 404, 404],
    body: { url: 'https://example.org' },
  },
  'GET /recipes/': { expect: ofMembers },
  'GET /recipes/public': { expect: forWriters, query: { search: 'sky' } },
  'POST /recipes/': { expect: [401, 201, 201, 403, 403, 404], body: recipeTexts },
  // Nothing is at that address, and nothing is asked.
  'POST /recipes/address': { expect: [401, 400, 400, 403, 403, 404], body: { address: 'mailto:somebody' } },
  // The form names no organization: test/recipes/recipe-routes.test.ts sends whole ones.
  'POST /recipes/archive': { expect: [401, 400, 400, 400, 400, 400], send: emptyArchive },
  'GET /recipes/{recipeId}': { expect: ofMembers },
  'PUT /recipes/{recipeId}': { expect: forWriters, body: recipeTexts },
  'DELETE /recipes/{recipeId}': { expect: [401, 204, 204, 403, 403, 404], ends: 'recipe' },
  'GET /papers/{paperId}/recipe-data': { expect: ofTheOrganization, prepare: recipePaper },
  'POST /papers/{paperId}/recipe-data': { expect: ofTheOrganization, prepare: recipePaper },
  'POST /previews/recipe-data': { expect: forWriters, body: { meta: {} } },
  // None of its fields is looked up.
  'POST /previews/recipe-options': {
    expect: [401, 400, 400, 403, 403, 404],
    body: { recipe: 'own-weather', field: 'team', values: {} },
  },
  // Who sends data has the secret of the address, and nobody else.
  'GET /hooks/recipes/{token}': { expect: [404, 404, 404, 404, 404, 404], params: { token: 'x'.repeat(32) } },
  'POST /hooks/recipes/{token}': {
    expect: [404, 404, 404, 404, 404, 404],
    params: { token: 'x'.repeat(32) },
    body: { merge_variables: {} },
  },
  'POST /previews/calendar': { expect: forWriters, body: { calendars: [] } },
  'POST /previews/playlist-week': { expect: forWriters, body: { playlistEntries: [] } },
  'POST /previews/paper': {
    expect: [401, 200, 200, 404, 404, 404],
    body: { kind: 'text', meta: {} },
    // Without a kind it has no panel to draw for.
    async prepare({ db }, { device }) {
      await db('devices').where({ id: device }).update({ kind: 'epd7' });
      return {};
    },
  },
  'POST /previews/': { expect: [401, 200, 200, 403, 403, 200], query: { kind: 'epd7' }, send: smallPicture },
  'POST /papers/uploadSingleImage/{paperId}': { expect: ofTheOrganization, send: pictureForm },
  // The paper has no such upload.
  'DELETE /papers/{paperId}/uploads/{attemptId}': {
    expect: [401, 409, 409, 404, 404, 404],
    params: { attemptId: '0'.repeat(24) },
  },
  // Without an organization lists are of all in which the caller sees deadlines.
  'GET /deadlines/': { expect: everybody },
  'GET /deadlines/due': { expect: everybody },
  // Patients and `onlyself` have no such paper.
  'POST /deadlines/': {
    expect: [401, 201, 201, 404, 404, 404],
    prepare: async ({ clock }, { paper }) => ({ body: { paper, by: isoTime(clock.now() + 3_600_000) } }),
  },
  'GET /deadlines/{deadlineId}': { expect: [401, 200, 200, 403, 403, 404] },
  'PATCH /deadlines/{deadlineId}': { expect: [401, 200, 200, 403, 403, 404], body: { name: 'Menu' } },
  'DELETE /deadlines/{deadlineId}': { expect: [401, 204, 204, 403, 403, 404], ends: 'deadline' },
  'POST /deadlines/{deadlineId}/acknowledge': { expect: [401, 200, 200, 403, 403, 404] },
  'GET /timed-pictures/': { expect: [401, 200, 200, 200, 200, 404] },
  'DELETE /timed-pictures/{timedId}': { expect: ofTheOrganization, ends: 'timed' },
  'GET /papers/{paperId}/next-changes/': { expect: ofTheOrganization },
  'GET /papers/{paperId}/pictures/': { expect: ofTheOrganization, prepare: albumPaper },
  'POST /papers/{paperId}/pictures/': { expect: madeByWriters, prepare: albumPaper, send: smallPicture },
  'POST /papers/{paperId}/pictures/order': {
    expect: [401, 204, 204, 404, 404, 404],
    prepare: albumPaper,
    body: { pictures: [] },
  },
  // An album that was just made has no such picture.
  'GET /papers/{paperId}/pictures/{pictureId}': {
    expect: [401, 404, 404, 404, 404, 404],
    prepare: albumPaper,
    params: { pictureId: '0'.repeat(24) },
  },
  'DELETE /papers/{paperId}/pictures/{pictureId}': {
    expect: [401, 404, 404, 404, 404, 404],
    prepare: albumPaper,
    params: { pictureId: '0'.repeat(24) },
  },
  'GET /papers/{paperId}/guest-links/': { expect: ofTheOrganization, prepare: albumPaper },
  'POST /papers/{paperId}/guest-links/': { expect: madeByWriters, prepare: albumPaper, body: { name: 'Aunt Erna' } },
  'DELETE /papers/{paperId}/guest-links/{linkId}': {
    expect: [401, 404, 404, 404, 404, 404],
    prepare: albumPaper,
    params: { linkId: '0'.repeat(24) },
  },
  'GET /papers/{paperId}/sources/': { expect: ofTheOrganization, prepare: albumPaper },
  'GET /papers/{paperId}/sources/offered': { expect: ofTheOrganization, prepare: albumPaper },
  // A problem is an answer, too.
  'POST /papers/{paperId}/sources/try': {
    expect: ofTheOrganization,
    prepare: albumPaper,
    body: { source: { kind: 'folder', root: 'none' } },
  },
  'POST /papers/{paperId}/sources/cover': {
    expect: ofTheOrganization,
    prepare: albumPaper,
    body: { trial: { source: { kind: 'folder', root: 'none' } }, cover: 'x' },
  },
  // The operator admits no folder of this name.
  'POST /papers/{paperId}/sources/': {
    expect: [401, 400, 400, 404, 404, 404],
    prepare: albumPaper,
    body: { source: { kind: 'folder', root: 'none' } },
  },
  // An album that was just made has no such source.
  'GET /papers/{paperId}/sources/{sourceId}': {
    expect: [401, 404, 404, 404, 404, 404],
    prepare: albumPaper,
    params: { sourceId: '0'.repeat(24) },
  },
  'POST /papers/{paperId}/sources/{sourceId}': {
    expect: [401, 404, 404, 404, 404, 404],
    prepare: albumPaper,
    params: { sourceId: '0'.repeat(24) },
    body: {},
  },
  'POST /papers/{paperId}/sources/{sourceId}/listing': {
    expect: [401, 404, 404, 404, 404, 404],
    prepare: albumPaper,
    params: { sourceId: '0'.repeat(24) },
  },
  'DELETE /papers/{paperId}/sources/{sourceId}': {
    expect: [401, 404, 404, 404, 404, 404],
    prepare: albumPaper,
    params: { sourceId: '0'.repeat(24) },
  },
  'GET /papers/{paperId}/post/': { expect: ofTheOrganization, prepare: albumPaper },
  // The operator set up neither a mailbox nor a bot.
  'POST /papers/{paperId}/post/address': { expect: [401, 409, 409, 404, 404, 404], prepare: albumPaper },
  'DELETE /papers/{paperId}/post/address': { expect: [401, 204, 204, 404, 404, 404], prepare: albumPaper },
  'POST /papers/{paperId}/post/senders/': {
    expect: madeByWriters,
    prepare: albumPaper,
    body: { address: 'grandma@example.org' },
  },
  'DELETE /papers/{paperId}/post/senders/{senderId}': {
    expect: [401, 404, 404, 404, 404, 404],
    prepare: albumPaper,
    params: { senderId: '0'.repeat(24) },
  },
  'POST /papers/{paperId}/post/waiting/{mailId}': {
    expect: [401, 404, 404, 404, 404, 404],
    prepare: albumPaper,
    params: { mailId: '0'.repeat(24) },
    body: { accept: true },
  },
  'POST /papers/{paperId}/post/codes/': { expect: [401, 409, 409, 404, 404, 404], prepare: albumPaper },
  'DELETE /papers/{paperId}/post/chats/{chatId}': {
    expect: [401, 404, 404, 404, 404, 404],
    prepare: albumPaper,
    params: { chatId: '0'.repeat(24) },
  },
  'GET /papers/{paperId}/logins/': { expect: ofTheOrganization, prepare: albumPaper },
  'PUT /papers/{paperId}/logins/': {
    expect: ofTheOrganization,
    prepare: albumPaper,
    body: { address: 'https://nas.example/', bearer: 'token' },
  },
  'DELETE /papers/{paperId}/logins/{loginId}': {
    expect: [401, 404, 404, 404, 404, 404],
    prepare: albumPaper,
    params: { loginId: '0'.repeat(24) },
  },
  // A guest is who has the secret of a link, and nobody else.
  'GET /guest/': { expect: noGuest },
  'GET /guest/pictures/': { expect: noGuest },
  'POST /guest/pictures/': { expect: noGuest, send: smallPicture },
  'POST /previews/readable/': { expect: [401, 200, 200, 403, 403, 200], send: smallPicture },
  'POST /guest/previews/readable/': { expect: noGuest, send: smallPicture },
  'POST /guest/previews/': { expect: noGuest, send: smallPicture },
  'GET /guest/pictures/{pictureId}': { expect: noGuest, params: { pictureId: '0'.repeat(24) } },
  'POST /v1/integration-papers/papers/{paperId}/grants': {
    expect: [401, 201, 201, 403, 403, 403],
    body: { configUrl: manifestUrl, settingsPage: './settings.html' },
  },
  'GET /v1/integration-papers/papers/{paperId}/content': { expect: [401, 200, 200, 403, 403, 403] },
  'POST /v1/papers/{paperId}/plugin-redirect-token': { expect: [401, 200, 200, 403, 403, 403] },
  // A token is of whom it was made for.
  'POST /v1/papers/{paperId}/plugin-redirect-redeem': {
    expect: [401, 200, 400, 403, 403, 403],
    async prepare({ call, admin }, { paper }) {
      const { json } = await call('POST', `/v1/papers/${paper}/plugin-redirect-token`, { as: admin });
      return { body: { tempToken: json.tempToken } };
    },
  },
  // Nobody answers at the address of the furniture.
  'GET /v1/integration-papers/catalogues': { expect: everybody },
  'POST /v1/integration-papers/papers/{paperId}/manifest': {
    expect: [401, 400, 400, 403, 403, 403],
    body: { configUrl: manifestUrl },
  },
  'GET /v1/integration-papers/papers/{paperId}/connections': { expect: [401, 200, 200, 403, 403, 403] },
  'GET /v1/integration-papers/papers/{paperId}/callbacks': { expect: [401, 200, 200, 403, 403, 403] },
  'POST /v1/integration-papers/papers/{paperId}/callbacks/{eventId}/again': {
    expect: [401, 404, 404, 403, 403, 403],
    params: { eventId: '0'.repeat(24) },
  },
  'GET /v1/integration-papers/papers/{paperId}/settings-page': { expect: [401, 200, 200, 403, 403, 403] },
  // Ends what is the caller's own, which may be nothing.
  'DELETE /v1/integration-papers/papers/{paperId}/connection': {
    expect: [401, 204, 204, 204, 204, 204],
    ends: 'connection',
  },
  'POST /v1/integration-papers/exchange': {
    expect: anyone,
    ends: 'connection',
    prepare: async (world, ids) => ({ body: { grant: await grantOf(world, ids) } }),
  },
  'POST /v1/integration-papers/connections/{connectionId}/content': {
    expect: [401, 202, 202, 202, 202, 401],
    body: { messageId: 'm-1', text: 'Hello' },
  },
  'GET /v1/integration-papers/connections/{connectionId}/status': { expect: [401, 200, 200, 200, 200, 401] },
  'GET /v1/integration-papers/connections/{connectionId}/events': { expect: [401, 200, 200, 200, 200, 401] },
  'DELETE /v1/integration-papers/connections/{connectionId}': {
    expect: [401, 204, 204, 204, 204, 401],
    ends: 'connection',
  },
};

/** An organization's furniture, and the token of its connection. */
export interface Furnished {
  readonly ids: Ids;
  readonly bearer: string;
}

/** Furniture that can be made again by itself; a device takes its paper and all that hangs on it along. */
export type Furniture = keyof typeof makers | 'everything';

/** Makes one piece of furniture, among those that are there. */
type Make = (world: HttpWorld, admin: Person, had: Ids) => Promise<Partial<Ids> & { readonly bearer?: string }>;

const made = async (world: HttpWorld, as: Person, path: string, json: object): Promise<Record<string, string>> =>
  (await world.call('POST', path, { as, json })).json;

const makeDevice: Make = async (world, admin, { organization }) => {
  const serial = `epd7-${world.random.id()}`;
  await world.frames.provision(serial);
  const device = await made(world, admin, '/devices', { organization });
  const paper = await made(world, admin, '/papers', {
    organization,
    deviceId: device.id,
    kind: 'plugin',
    meta: { pluginConfigUrl: manifestUrl, pluginManifest: usableManifest },
  });
  return { serial, device: device.id ?? '', paper: paper.id ?? '' };
};

/** Furniture that is used up by itself, in the order in which it is made. */
const makers = {
  user: async (world, admin, { organization }) => {
    const user = await made(world, admin, '/users', { organization, email: `${world.random.id()}@example.org` });
    const { account_id: account } = await world.db('users').where({ id: user.id }).first('account_id');
    return { user: user.id ?? '', account };
  },
  token: async (world, admin) => ({ token: (await made(world, admin, '/tokens', { name: 'furniture' })).id ?? '' }),
  async session(world, { accountId }) {
    const { row } = await startSession(world.db, world, { accountId, way: 'key', browser: undefined });
    return { session: row.id };
  },
  async connection(world, admin, { paper }) {
    const path = `/v1/integration-papers/papers/${paper}/grants`;
    const { grant } = await made(world, admin, path, { configUrl: manifestUrl, settingsPage: './settings.html' });
    const connection = await made(world, admin, '/v1/integration-papers/exchange', { grant });
    return { connection: connection.connectionId ?? '', bearer: `Bearer ${connection.token}` };
  },
  async timed({ call, clock }, admin, { device }) {
    const waiting = pictureForm();
    waiting.append('showFrom', isoTime(clock.now() + 3_600_000));
    const path = `/devices/uploadSingleImage/${device}`;
    return { timed: (await call('POST', path, { as: admin, body: waiting })).json.timed.id };
  },
  channel: async (world, _admin, { organization }) => ({ channel: await alertChannel(world, organization) }),
  async job(world, admin, { organization }) {
    const json = { all: true, paper: null };
    return { job: (await made(world, admin, `/organizations/${organization}/jobs/`, json)).id ?? '' };
  },
  async group(world, admin, { organization }) {
    const json = { name: 'Menus', tag: 'menu' };
    return { group: (await made(world, admin, `/organizations/${organization}/groups/`, json)).id ?? '' };
  },
  async deadline(world, admin, { organization, paper, device }) {
    const by = isoTime(world.clock.now() + 3_600_000);
    const deadline = { organization, paper, devices: [device], by };
    return { deadline: (await made(world, admin, '/deadlines/', deadline)).id ?? '' };
  },
  async recipe(world, admin, { organization }) {
    return { recipe: (await made(world, admin, '/recipes/', { organization, ...recipeTexts })).id ?? '' };
  },
} as const satisfies Record<string, Make>;

/** Furnishes the organization of an admin with one of each. */
export async function furnish(world: HttpWorld, admin: Person): Promise<Furnished> {
  const organization = admin.organizationId;
  let home = { ids: { organization, rollout: await formerRollout(world, organization) } as Ids, bearer: '' };
  for (const make of [makeDevice, ...Object.values(makers)]) home = await withMore(home, make, world, admin);
  for (const [kind, id] of Object.entries(home.ids))
    if (typeof id !== 'string' || id === '') throw new Error(`no ${kind}`);
  return home;
}

/** Furnishes an organization again with what a call has used up. */
export async function refurnish(world: HttpWorld, admin: Person, home: Furnished, lost: Furniture): Promise<Furnished> {
  return lost === 'everything' ? furnish(world, admin) : withMore(home, makers[lost], world, admin);
}

async function withMore(home: Furnished, make: Make, world: HttpWorld, admin: Person): Promise<Furnished> {
  const { bearer = home.bearer, ...ids } = await make(world, admin, home.ids);
  return { ids: { ...home.ids, ...ids }, bearer };
}

/** Ids that nothing has. */
export function unknownIds({ random }: HttpWorld): Ids {
  const names = [
    'organization',
    'user',
    'token',
    'device',
    'paper',
    'connection',
    'session',
    'timed',
    'rollout',
    'channel',
    'recipe',
    'job',
    'group',
    'deadline',
  ] as const;
  const ids = Object.fromEntries(names.map((name) => [name, random.id()]));
  return { ...ids, account: '7f1ab3c0-4444-4444-8444-000000000000', serial: `epd7-${random.id()}` } as unknown as Ids;
}

/**
 * A caller with their credentials: their key, and the token of their organization's connection. An anonymous caller has
 * none.
 */
export interface Caller {
  readonly name: string;
  readonly as: Person | undefined;
  readonly bearer: string | undefined;
}

/** The six: nobody, four roles of one organization, and the admin of another one. */
export function sixCallers(world: HttpWorld, home: Furnished, abroad: Furnished): Caller[] {
  const { admin, user, patient, onlyself, stranger } = world;
  const people: Record<string, Person> = { admin, user, patient, onlyself };
  return [
    { name: 'nobody', as: undefined, bearer: undefined },
    ...Object.entries(people).map(([name, as]) => ({ name, as, bearer: home.bearer })),
    { name: 'stranger', as: stranger, bearer: abroad.bearer },
  ];
}

/** Calls an operation with one's own identifiers, or what was prepared; `given` has the one that stands in `place`. */
export async function callOperation(
  world: HttpWorld,
  called: Called,
  request: {
    readonly caller: Caller;
    readonly ids: Ids;
    readonly place?: Place;
    readonly given?: Ids;
    readonly prepared?: Prepared | undefined;
  },
): Promise<Answer> {
  const row = rows[called.name];
  if (row === undefined) throw new Error(`${called.name} has no row in test/http/matrix.ts`);
  const { caller, place, prepared } = request;
  const ids = { ...request.ids, ...prepared?.ids };
  const { given = ids } = request;
  const idFor = ({ name, in: where }: Place): string => {
    const kind = kinds[name];
    if (kind === undefined) throw new Error(name);
    return place !== undefined && place.in === where && place.name === name ? given[kind] : ids[kind];
  };
  const wanted = (where: Place['in']): Record<string, string> => {
    const own = called.places.filter((one) => one.in === where && (one.required || one === place));
    return Object.fromEntries(own.map((one) => [one.name, idFor(one)]));
  };
  const params: Readonly<Record<string, string>> = { ...row.params, ...prepared?.params, ...wanted('path') };
  const path = called.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  const query = new URLSearchParams({ ...row.query, ...wanted('query') });
  const isConnection = JSON.stringify(called.operation.security).includes('connectionToken');
  const options: CallOptions = {
    ...(caller.as !== undefined && !isConnection && { as: caller.as }),
    ...(caller.bearer !== undefined && isConnection && { headers: { authorization: caller.bearer } }),
    ...(row.send === undefined ? {} : { body: row.send() }),
    ...(called.operation.requestBody !== undefined && row.send === undefined
      ? { json: { ...row.body, ...prepared?.body, ...wanted('body') } }
      : {}),
  };
  return world.call(called.method, `${path}${query.size === 0 ? '' : `?${query}`}`, options);
}
