import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  discoveryMessage,
  happenedBetween,
  homeDeliveries,
  homeState,
  withRemoved,
} from '../../api/home-assistant/discovery-message.ts';
import { linkTrouble } from '../../api/home-assistant/link-trouble.ts';
import { uniqueNames } from '../../api/home-assistant/paper-names.ts';
import { discoveryTopic, readCommandTopic, serialOfDiscovery } from '../../api/home-assistant/topics.ts';
import type { DeviceOverview } from '../../api/routes/devices/overview-route.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { hassProblems } from './hass-schema.ts';

const test = suite('discovery message');

const serial = 'epd7-b0c1d2e3f405';

const kitchen: DeviceOverview = {
  id: '6b086ad9dac2a342d8213e71',
  name: 'Küche – frame',
  organization: '6b086ac51f3ca19567cbfb6e',
  serial,
  kind: 'epd7',
  patient: null,
  place: null,
  simulated: false,
  status: 'online',
  connected: false,
  awake: false,
  awakeUntil: null,
  panel: null,
  paper: { id: '6b086afaaf18e46388af104c', title: 'Family', kind: 'text' },
  glass: {
    uploadId: '6b086afef4369a0972e4c951',
    fileVersion: 7,
    since: '2026-11-26T17:23:35.229Z',
    level: 'reported shown',
    grade: 'named',
    doubt: null,
  },
  due: null,
  battery: { percent: 80, millivolts: 5900, daysLeft: null, at: null },
  signal: -59,
  firmware: '1.2.3',
  lastSeenAt: '2026-11-26T17:23:35.529Z',
  nextWakeAt: '2026-11-26T18:23:35.529Z',
  nextChange: null,
  trouble: null,
  why: null,
};
const facts = {
  paperNames: ['Family', 'Calendar'],
  nameOfPaper: new Map([['6b086afaaf18e46388af104c', 'Family']]),
  publicUrl: 'http://192.168.1.20:3000',
  version: '0.1.0',
};
const frame = { serial, shown: kitchen, knowsCommands: true };

test('the message of a frame fits the schemas of Home Assistant, with and without battery, papers and commands', () => {
  const whole = discoveryMessage(frame, facts);
  assert.equal(hassProblems(whole), []);
  assert.equal(Object.keys(whole.components).length, 14);
  const bare = discoveryMessage(
    { serial: 'a', shown: { ...kitchen, name: '', battery: null, firmware: null, kind: null }, knowsCommands: false },
    { ...facts, paperNames: [], publicUrl: '' },
  );
  assert.equal(hassProblems(bare), []);
  for (const key of ['battery', 'voltage', 'paper', 'reboot', 'identify']) assert.not(key in bare.components, key);
  assert.not('connections' in bare.device);
  assert.equal(whole.device.connections, [['mac', 'b0:c1:d2:e3:f4:05']]);
  assert.is(whole.device.configuration_url, `http://192.168.1.20:3000/console/frames/${kitchen.id}`);
  assert.is(whole.components.battery?.default_entity_id, 'sensor.kuche_frame_battery');
  for (const component of Object.values(whole.components)) assert.not('expire_after' in component);
});

test('a wrong key, class, option or unit is found by the schemas', () => {
  const whole = JSON.parse(JSON.stringify(discoveryMessage(frame, facts)));
  const wrong = (change: (message: typeof whole) => void): string[] => {
    const copy = structuredClone(whole);
    change(copy);
    return hassProblems(copy);
  };
  assert.equal(
    wrong((m) => (m.components.rssi.unit_of_measure = 'dBm')),
    ['components.rssi.unit_of_measure is unknown'],
  );
  assert.equal(
    wrong((m) => (m.components.rssi.device_class = 'rssi')),
    ['components.rssi.device_class is wrong: "rssi"'],
  );
  assert.equal(
    wrong((m) => delete m.components.delivery.options),
    ['components.delivery.options are missing'],
  );
  assert.equal(
    wrong((m) => delete m.components.happened.event_types),
    ['components.happened.event_types is missing'],
  );
  assert.equal(wrong((m) => (m.components.paper.options = ['a', 'a'])).length, 1);
  assert.equal(wrong((m) => (m.components.glass.url_topic = 'x')).length, 2);
  assert.equal(wrong((m) => delete m.origin).length, 2);
  assert.equal(wrong((m) => (m.components.glass.unique_id = m.components.due.unique_id)).length, 1);
});

test('a component that is no longer there stays with its platform alone, so that its entity goes', () => {
  const before = discoveryMessage(frame, facts).components;
  const after = withRemoved(discoveryMessage({ ...frame, knowsCommands: false }, facts), before);
  assert.equal(after.components.reboot, { platform: 'button' });
  assert.equal(hassProblems(after), []);
  assert.not('glassy' in after.components);
});

test('the state says how far the newest picture is, in the words that the message lists', () => {
  const of = (change: Partial<DeviceOverview>) => homeState({ ...frame, shown: { ...kitchen, ...change } }, facts);
  assert.equal(of({}), {
    battery: 80,
    voltage: 5.9,
    rssi: -59,
    last_seen: kitchen.lastSeenAt,
    next_wake: kitchen.nextWakeAt,
    delivery: 'proven',
    proven: true,
    problem: false,
    paper: 'Family',
  });
  const due = { uploadId: null, fileVersion: null, state: 'making', since: null } as const;
  assert.is(of({ due }).delivery, 'making');
  assert.is(of({ due }).proven, false, 'INV-26: something newer is due');
  assert.is(of({ glass: null, why: { code: 'no-content' } }).delivery, 'none');
  assert.is(of({ why: { code: 'not-in-step' } }).delivery, 'shown');
  const doubted = { ...kitchen.glass, doubt: 'identity' } as DeviceOverview['glass'];
  assert.is(of({ glass: doubted }).proven, false);
  assert.ok(homeDeliveries.includes(of({ glass: doubted }).delivery));
  assert.is(of({ paper: null }).paper, null);
});

test('an event is published once', () => {
  const due = { uploadId: 'a', fileVersion: 8, state: 'failed', since: null } as const;
  const silent = { ...kitchen, trouble: { code: 'silent', level: 'alarm', since: null } } as DeviceOverview;
  const low = { ...kitchen, trouble: { code: 'battery-low', level: 'warning', since: null } } as DeviceOverview;
  assert.equal(happenedBetween(kitchen, kitchen), []);
  assert.equal(happenedBetween({ ...kitchen, glass: null }, kitchen), ['synced']);
  assert.equal(happenedBetween(kitchen, { ...kitchen, due }), ['failed']);
  assert.equal(happenedBetween({ ...kitchen, due }, { ...kitchen, due }), []);
  assert.equal(happenedBetween(kitchen, silent), ['missed_wake']);
  assert.equal(happenedBetween(silent, silent), []);
  assert.equal(happenedBetween(kitchen, low), ['battery_low']);
});

test('each name stands for one paper, and none for no choice', () => {
  const titles = ['Family', 'Family', ' ', 'None', 'family', 'a\nb'];
  const names = uniqueNames(titles.map((title, at) => ({ id: String(at), title })));
  assert.equal([...names.values()], ['Family', 'Family (2)', 'Paper', 'None (2)', 'family (3)', 'a b']);
});

test('topics are read as strictly as they are written', () => {
  assert.equal(readCommandTopic(`papergate/${serial}/set/paper`), { serial, what: 'paper' });
  assert.equal(readCommandTopic(`papergate/${serial}/do`), { serial, what: 'act' });
  for (const topic of [
    'papergate/a/constructor',
    'papergate/a b/do',
    'papergate//do',
    'papergate/a/do/x',
    'other/a/do',
    'papergate/a',
  ]) {
    assert.is(readCommandTopic(topic), undefined, topic);
  }
  assert.is(serialOfDiscovery('ha', discoveryTopic('ha', serial)), serial);
  assert.is(serialOfDiscovery('ha', 'ha/device/somebody_elses/config'), undefined);
});

test('every failure of the broker is a sentence with what to do, and quotes nothing of the address', () => {
  const told = (code: unknown, words = 'mqtt://me:secret@x failed') =>
    linkTrouble(Object.assign(new Error(words), { code }));
  assert.is(told('ECONNREFUSED').message, 'nothing listens there');
  assert.match(told(5).message, /refuses this user/);
  assert.match(told('DEPTH_ZERO_SELF_SIGNED_CERT').hint, /NODE_EXTRA_CA_CERTS/);
  assert.is(told(undefined, 'connack timeout').message, 'it does not answer');
  for (const code of ['ECONNREFUSED', 5, 99, undefined, 'EPROTO', 'secret words']) {
    assert.not.match(JSON.stringify(told(code)), /secret/);
  }
});

test('the address of the broker is checked at the start, and a mistake does not quote it', () => {
  const url = 'mqtts://me:p%40ss@[fd00::1]:8883';
  assert.is(readSettings({ PAPERGATE_HASS_MQTT_URL: url }).PAPERGATE_HASS_MQTT_URL, url);
  for (const wrong of [
    'http://me:secret@x',
    'mqtt://me:secret@x/path',
    'mqtt://me:secret%@x',
    'secret',
    'mqtt://me:secret/x@y',
  ]) {
    try {
      readSettings({ PAPERGATE_HASS_MQTT_URL: wrong });
      assert.unreachable(wrong);
    } catch (error) {
      assert.match(String(error), /PAPERGATE_HASS_MQTT_URL/, wrong);
      assert.not.match(String(error), /secret/);
    }
  }
});

test.run();
