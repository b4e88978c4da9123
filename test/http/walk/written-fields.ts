/** Fields that can be written can be read: every field of every body, walked by the description of the service. */
import * as assert from 'uvu/assert';
import type { Operation } from '../../../api/http/description/describe-schema.ts';
import { type Furnished, furnish } from '../matrix.ts';
import type { HttpWorld } from '../world.ts';
import type { Observe } from './walk.ts';

/** Operations whose bodies ask for a deed, or say what to show: nothing in them is kept under its name. */
const deeds: Readonly<Record<string, string>> = {
  'POST /users/join': 'a code is redeemed',
  'POST /users/invitation': 'a code is read',
  'POST /users/{userId}/links': 'links are made or ended, and its answer and GET show all of them',
  'POST /sessions/': 'credentials are read, and a session begins',
  'POST /devices/provision/{serial}': 'credentials are made, and shown once',
  'POST /devices/{deviceId}/credentials': 'credentials are made, and shown once',
  'POST /devices/{deviceId}/credentials/renew': 'credentials are made, and shown once',
  'POST /devices/{deviceId}/battery-forecast': 'a forecast, of which nothing is kept',
  'POST /previews/calendar': 'a preview, of which nothing is kept',
  'POST /previews/playlist-week': 'a preview, of which nothing is kept',
  'POST /previews/paper': 'a preview, of which nothing is kept',
  'POST /papers/calendar-preview': 'a preview, of which nothing is kept',
  'POST /devices/registerdevice/{serial}':
    'a frame is activated; what it says of the device is what POST /devices/ says',
  'POST /papers/{paperId}/calendar-preview': 'a preview, of which nothing is kept',
  'POST /papers/{paperId}/pictures/order': 'pictures are put in order, which their list shows',
  'POST /sessions/passkey': 'a device proves who signs in, and a session begins',
  'POST /sessions/link': 'a link is used up, and a session begins',
  'POST /sessions/link/look': 'a link is looked up, and nothing is kept',
  'POST /sessions/mail': 'a letter is sent, or none',
  'POST /sessions/pairing': 'a pairing is used up, and a session begins',
  'POST /sessions/pairing/scan': 'a code is used up',
  'POST /sessions/pairings/{pairingId}/confirm': 'a number is compared',
  'PATCH /sessions/current': 'a session is kept for longer: test/http/sessions.test.ts reads it',
  'POST /passkeys/': 'a device makes a passkey: test/http/passkeys.test.ts reads it',
  'PATCH /passkeys/{passkeyId}': 'a passkey is named: test/http/passkeys.test.ts reads it',
  'POST /sessions/invitation': 'a code is looked up, and nothing is kept',
  'POST /devices/simulated': 'a frame is made, and its answer says what it became',
  'POST /devices/plain/{name}': 'a frame is made, and its key is shown once',
  'POST /devices/offline/{name}': 'a frame is made, and its password is shown once',
  'POST /devices/adopt/{address}': 'a frame that asks is taken, and its answer says what it became',
  'PUT /devices/adoption-window': 'a window is opened, and its answer and GET show until when',
  'PUT /papers/{paperId}/logins/': 'a login is set, and its answer and list show that it is',
  'POST /papers/{paperId}/sources/': 'a source is added: test/filled-albums/source-routes.test.ts reads it',
  'POST /papers/{paperId}/sources/{sourceId}': 'a source is changed: test/filled-albums/source-routes.test.ts reads it',
  'POST /papers/{paperId}/sources/try': 'a source is tried, and nothing is kept',
  'POST /papers/{paperId}/sources/cover': 'a picture of a choice is fetched, and nothing is kept',
  'POST /papers/{paperId}/post/senders/': 'a sender is invited: test/picture-post/post-routes.test.ts reads it',
  'POST /papers/{paperId}/post/waiting/{mailId}': 'a decision, after which the email no longer waits',
  'POST /previews/recipe-data': 'data are read, and nothing is kept',
  'POST /previews/recipe-options': 'choices are looked up, and nothing is kept',
  'POST /recipes/': 'a recipe is made, and its answer and list show it',
  'PUT /recipes/{recipeId}': 'a recipe is changed, and its answer shows it',
  'POST /recipes/address': 'a recipe is fetched: test/recipes/imports.test.ts reads it',
  'POST /hooks/recipes/{token}': 'data are sent, and GET shows them',
  'POST /papers/{paperId}/guest-links/': 'a link is made, and its answer and list show it',
  'POST /organizations/{organizationId}/firmware/rollouts/': 'a rollout is started, and its answer and list show it',
  'POST /organizations/{organizationId}/jobs/': 'a job is started: test/jobs/jobs.test.ts reads what becomes of it',
  'POST /organizations/{organizationId}/jobs/pictures':
    'a job is started: test/jobs/jobs.test.ts reads what becomes of it',
  'POST /organizations/{organizationId}/groups/': 'a group is made: test/jobs/groups.test.ts reads it',
  'PATCH /organizations/{organizationId}/groups/{groupId}': 'a group is changed: test/jobs/groups.test.ts reads it',
  'PATCH /organizations/{organizationId}/record':
    'two decisions, one of them read below `level`: test/record/record-routes.test.ts reads both',
  'POST /organizations/{organizationId}/alerts/channels/':
    'a channel is made: test/alerts/alert-routes.test.ts reads all of it',
  'PATCH /organizations/{organizationId}/alerts/channels/{channelId}':
    'a channel is changed: test/alerts/alert-routes.test.ts reads all of it',
  'POST /deadlines/': 'a deadline is made: test/deadlines/deadline-routes.test.ts reads all of it',
  'PATCH /deadlines/{deadlineId}': 'a deadline is changed: test/deadlines/deadline-routes.test.ts reads all of it',
  'POST /deadlines/{deadlineId}/acknowledge':
    'somebody takes care of it: test/deadlines/deadline-routes.test.ts reads it',
  'POST /devices/{deviceId}/show-again': 'what was shown before is shown again',
  'GET /papers/{paperId}': 'which image to show',
  'POST /papers/image/{paperId}': 'which image to show',
  'POST /devices/updateSingleImageMeta/{deviceId}': 'the meta of one image, answered as deviceMeta',
  'POST /devices/updateSingleImageFromWebsite/{deviceId}': 'a picture is taken',
  'POST /v1/papers/{paperId}/plugin-redirect-redeem': 'a token is used up',
  'POST /v1/integration-papers/papers/{paperId}/manifest': 'a manifest is read, and nothing is kept',
  'POST /v1/integration-papers/papers/{paperId}/grants': 'compared with what is saved',
  'POST /v1/integration-papers/exchange': 'a grant is used up',
  'POST /v1/integration-papers/connections/{connectionId}/content': 'read as integrationContent',
};

/** A record: how it is made again, where it is read, and a value for each field that can be written. */
interface Kept {
  readonly make: (world: HttpWorld, home: Furnished) => Promise<string>;
  readonly read: (id: string) => string;
  readonly values: (world: HttpWorld, home: Furnished) => Promise<Readonly<Record<string, unknown>>>;
  /** Fields that are shown to be what somebody else decides, with the reason. */
  readonly apart?: Readonly<Record<string, string>>;
}

const meta = { note: 'kept', none: null };

async function secondOrganization({ call, admin }: HttpWorld): Promise<string> {
  return (await call('POST', '/organizations', { as: admin, json: { kind: 'second' } })).json.id;
}

const records: Readonly<Record<string, Kept>> = {
  organizations: {
    make: async (_world, { ids }) => ids.organization,
    read: (id) => `/organizations/${id}`,
    values: async () => ({ name: 'Ward Nine', kind: 'practice', email: 'nine@example.org', meta }),
    apart: { organization: 'names the record itself' },
  },
  users: {
    make: async ({ join, admin }) => (await join(admin.organizationId, 'user', 'Nora')).userId,
    read: (id) => `/users/${id}`,
    values: async (world) => ({
      name: 'Nina',
      timezone: 'Europe/Berlin',
      avatar: 'https://example.org/a.png',
      meta,
      category: 'nurse',
      email: `${world.random.id()}@example.net`,
      role: 'patient',
      inviteCode: 'come-and-join-us',
      organization: await secondOrganization(world),
    }),
    apart: { devices: 'read among their links', papers: 'read among their links' },
  },
  accounts: {
    make: async () => 'current',
    read: (id) => `/accounts/${id}`,
    values: async () => ({ firstName: 'Ada', lastName: 'Byron', meta }),
  },
  tokens: {
    make: async (_world, { ids }) => ids.token,
    read: (id) => `/tokens/${id}`,
    values: async () => ({ name: 'Home Assistant' }),
  },
  devices: {
    make: async ({ call, admin }, { ids }) =>
      (await call('POST', '/devices', { as: admin, json: { organization: ids.organization } })).json.id,
    read: (id) => `/devices/${id}`,
    values: async ({ patient }, { ids }) => ({
      intake: { morning: 1 },
      meta,
      patient: patient.userId,
      paper: ids.paper,
      kind: 'epd7',
      organization: ids.organization,
      alarmEnable: 1,
      takeOffsetTime: 5,
      iotDevice: { batch: 7 },
      payment: { paid: true },
    }),
    apart: { deviceId: 'the serial, which nobody sets' },
  },
  papers: {
    make: async ({ call, admin }, { ids }) => {
      const json = { organization: ids.organization, deviceId: ids.device, kind: 'image' };
      return (await call('POST', '/papers', { as: admin, json })).json.id;
    },
    read: (id) => `/papers/${id}`,
    apart: {
      unchangedSince: 'says what was read before, and is not kept',
      show: 'says what the device shows, which its answer tells',
    },
    values: async (_world, { ids }) => ({
      deviceId: ids.device,
      organization: ids.organization,
      kind: 'website',
      devicePaperId: 'paper-7',
      meta,
      name: 'Fridge',
      draft: true,
    }),
  },
};

/** Names of the fields of an operation's JSON body, and those that it cannot do without. */
function fieldsOf(operation: Operation): { all: string[]; required: string[] } | undefined {
  const body = operation.requestBody as { content: Record<string, { schema: unknown }> } | undefined;
  const schema = body?.content['application/json']?.schema as
    | { properties?: Record<string, unknown>; required?: string[] }
    | undefined;
  return schema && { all: Object.keys(schema.properties ?? {}), required: schema.required ?? [] };
}

const withoutAbsent = (shown: unknown): unknown => JSON.parse(JSON.stringify(shown));

/** Writes each field of each body by itself, and reads it under its name, alike below /v1. */
export const fieldsRead: Observe = async (world) => {
  const { call, admin } = world;
  const home = await furnish(world, admin);
  let written = 0;
  return {
    async visit({ name, method, path, operation }) {
      const fields = fieldsOf(operation);
      if (fields === undefined || Object.hasOwn(deeds, name)) return;
      const kept = records[path.split('/')[1] ?? ''];
      assert.ok(kept, `${name}: tell test/http/walk/written-fields.ts where its fields are read`);
      for (const field of fields.all) {
        if (kept?.apart !== undefined && Object.hasOwn(kept.apart, field)) continue;
        const values = await kept.values(world, home);
        assert.ok(Object.hasOwn(values, field), `${name}: what may ${field} be?`);
        const id = await kept.make(world, home);
        const said: Readonly<Record<string, unknown>> = { organization: home.ids.organization, ...values };
        const target = path.replace(/\{\w+\}/, id);
        // A call that makes a record gets all fields at once: with only a few it would be refused.
        const named = target === path ? fields.all : [...fields.required, field];
        const needed = Object.fromEntries(named.map((one) => [one, said[one]]));
        const answer = await call(method, target, { as: admin, json: needed });
        assert.is(answer.status, 200, `${name} ${field}: ${answer.text}`);
        const where = kept.read(target === path ? answer.json.id : id);
        const plain = (await call('GET', where, { as: admin })).json;
        const one = Array.isArray(plain) ? plain[0] : plain;
        assert.equal(withoutAbsent(one[field]), values[field], `${name}: ${field} at GET ${where}`);
        const fielded = (await call('GET', `/v1${where}`, { as: admin })).json;
        assert.equal(withoutAbsent(fielded[field]), values[field], `${name}: ${field} at GET /v1${where}`);
        written++;
      }
    },
    end: () => assert.ok(written >= 50, `${written} fields`),
  };
};
