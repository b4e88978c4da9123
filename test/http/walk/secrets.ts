/** The settings of a paper: readers who may not write it are answered none of them, on either surface. */
import * as assert from 'uvu/assert';
import { usableManifest } from '../../integration/integration-world.ts';
import { callOperation, furnish, type Ids, rows } from '../matrix.ts';
import type { HttpWorld, Person } from '../world.ts';
import type { Observe } from './walk.ts';

const secret = (place: string): string => `secret-of-${place}`;

const meta = {
  title: 'Hall',
  orientation: 'landscape',
  language: { deep: secret('language') },
  apiKey: secret('key'),
  pluginConfigUrl: 'https://notes.example/notes/config.json',
  pluginManifest: usableManifest,
  pluginSettings: { token: secret('settings') },
  url: `https://pages.example/?key=${secret('page')}`,
  calendars: [{ key: 'a', url: `webcal://calendars.example/${secret('calendar')}.ics` }],
};

/** Furnishes the organization again, with a paper of secrets on a device that is linked to a person. */
async function furnishSecret(world: HttpWorld, kind: string, patient: string): Promise<Ids> {
  const { call, admin } = world;
  const { ids } = await furnish(world, admin);
  const made = { deviceId: ids.device, organization: ids.organization };
  const { id: paper } = (await call('POST', '/papers', { as: admin, json: { ...made, kind, meta } })).json;
  const read = (await call('GET', `/papers/${paper}`, { as: admin })).json.meta;
  // Of a secret of an integration they see that it is set (T-118).
  const { token } = read.pluginSettings;
  assert.match(token, /^papergate-secret:[0-9a-f]{24}$/);
  assert.equal(read, { ...meta, pluginSettings: { token } }, 'whole for those who may');
  const linked = await call('POST', `/devices/${ids.device}`, { as: admin, json: { patient, paper } });
  assert.is(linked.status, 200, linked.text);
  return { ...ids, paper };
}

/** Calls all but what ends something as readers to whom the device is linked, and as a stranger, for papers of these kinds. */
export const secretsKept =
  (kinds: readonly string[]): Observe =>
  async (world) => {
    const { patient, onlyself, stranger, call } = world;
    const read: { kind: string; reader: Person; ids: Ids }[] = [];
    for (const kind of kinds) {
      const ids = await furnishSecret(world, kind, patient.userId);
      read.push({ kind, reader: patient, ids }, { kind, reader: stranger, ids });
      read.push({ kind, reader: onlyself, ids: await furnishSecret(world, kind, onlyself.userId) });
    }
    return {
      async visit(called) {
        if (rows[called.name]?.ends !== undefined) return;
        for (const { kind, reader: as, ids } of read) {
          const caller = { name: 'reader', as, bearer: undefined };
          for (const path of [called.path, `/v1${called.path}`]) {
            const answer = await callOperation(world, { ...called, path }, { caller, ids });
            assert.not.match(answer.text, /secret-of-/, `${called.method} ${path} of a ${kind}: ${answer.text}`);
          }
        }
      },
      async end() {
        for (const { reader, ids } of read.filter((one) => one.reader === patient)) {
          const shown = (await call('GET', `/papers/${ids.paper}`, { as: reader })).json;
          assert.equal([shown.title, shown.meta], ['Hall', { title: 'Hall', orientation: 'landscape' }]);
        }
      },
    };
  };
