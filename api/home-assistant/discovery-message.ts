/**
 * One frame as Home Assistant reads it: the discovery message of its device, and the state that goes with it. The keys are
 * those of Home Assistant's schemas for MQTT (homeassistant/components/mqtt).
 */
import { dueStates } from '../explanations/picture-due.ts';
import type { DeviceOverview } from '../routes/devices/overview-route.ts';
import { hassId, serviceTopic, topicsOfFrame } from './topics.ts';

/** A frame with everything that is published about it. */
export interface HomeFrame {
  readonly serial: string;
  readonly shown: DeviceOverview;
  /** The frame carries commands out. */
  readonly knowsCommands: boolean;
}

/** The common parts of all frames. */
export interface HomeFacts {
  /** The names of the papers that may be chosen; each stands there once. */
  readonly paperNames: readonly string[];
  /** The name of each paper among them, by its id. */
  readonly nameOfPaper: ReadonlyMap<string, string>;
  /** Where people reach the service. */
  readonly publicUrl: string;
  readonly version: string;
}

/** How far the newest picture is. */
export const homeDeliveries = ['none', ...dueStates, 'shown', 'proven'] as const;

/** The report of the event entity. */
export const homeEvents = ['synced', 'failed', 'missed_wake', 'battery_low'] as const;
export type HomeEvent = (typeof homeEvents)[number];

/** The requests of the buttons. */
export const homeActs = ['reboot', 'identify'] as const;

type Component = { readonly platform: string } & Readonly<Record<string, unknown>>;

export interface DiscoveryMessage {
  readonly device: Readonly<Record<string, unknown>>;
  readonly origin: Readonly<Record<string, string>>;
  readonly availability: readonly { readonly topic: string }[];
  readonly state_topic: string;
  readonly qos: 1;
  readonly components: Readonly<Record<string, Component>>;
}

/** Puts the discovery message of a frame together. */
export function discoveryMessage(frame: HomeFrame, facts: HomeFacts): DiscoveryMessage {
  const { serial, shown } = frame;
  const mac = macIn(serial);
  return {
    device: {
      identifiers: [hassId(serial)],
      ...(mac !== undefined && { connections: [['mac', mac]] }),
      name: shown.name.trim() || serial,
      manufacturer: 'Papergate',
      model: shown.kind ?? 'frame',
      serial_number: serial,
      ...(shown.firmware !== null && { sw_version: shown.firmware }),
      ...(/^https?:/.test(facts.publicUrl) && {
        configuration_url: `${facts.publicUrl}/console/frames/${shown.id}`,
      }),
    },
    origin: { name: 'Papergate', sw_version: facts.version },
    availability: [{ topic: serviceTopic }],
    state_topic: topicsOfFrame(serial).state,
    qos: 1,
    components: withIds(frame, componentsOf(frame, facts)),
  };
}

/** Adds to each component the id under which Home Assistant keeps it, and the one that people see at first. */
function withIds({ serial, shown }: HomeFrame, components: Readonly<Record<string, Component>>) {
  const name = slug(shown.name) || slug(serial);
  return Object.fromEntries(
    Object.entries(components).map(([key, component]) => [
      key,
      {
        ...component,
        unique_id: `${hassId(serial)}_${key}`,
        default_entity_id: `${component.platform}.${name}_${key}`,
      },
    ]),
  );
}

function componentsOf(frame: HomeFrame, { paperNames }: HomeFacts): Record<string, Component> {
  const topics = topicsOfFrame(frame.serial);
  const picture = { platform: 'image', content_type: 'image/png' } as const;
  return {
    ...(frame.shown.battery !== null && batteryComponents),
    rssi: measured('Signal', 'rssi', 'signal_strength', 'dBm'),
    last_seen: { ...time('Last seen', 'last_seen'), entity_category: 'diagnostic' },
    next_wake: time('Next wake', 'next_wake'),
    delivery: {
      platform: 'sensor',
      name: 'Delivery',
      device_class: 'enum',
      options: homeDeliveries,
      value_template: '{{ value_json.delivery }}',
      json_attributes_topic: topics.evidence,
    },
    proven: { ...yesNo('Newest picture on the glass', 'proven') },
    problem: { ...yesNo('Problem', 'problem'), device_class: 'problem', entity_category: 'diagnostic' },
    glass: { ...picture, name: 'On the glass', image_topic: topics.glass },
    due: { ...picture, name: 'Newest picture', image_topic: topics.due },
    ...(paperNames.length > 0 && {
      paper: {
        platform: 'select',
        name: 'Paper',
        options: paperNames,
        value_template: '{{ value_json.paper }}',
        command_topic: topics.setPaper,
      },
    }),
    ...(frame.knowsCommands && {
      reboot: { ...button('Restart', 'reboot', topics.act), device_class: 'restart' },
      identify: { ...button('Identify', 'identify', topics.act), device_class: 'identify' },
    }),
    happened: { platform: 'event', name: 'Happened', state_topic: topics.event, event_types: homeEvents },
  };
}

function measured(name: string, key: string, deviceClass: string, unit: string): Component {
  return {
    platform: 'sensor',
    name,
    device_class: deviceClass,
    state_class: 'measurement',
    unit_of_measurement: unit,
    entity_category: 'diagnostic',
    value_template: `{{ value_json.${key} }}`,
  };
}

const batteryComponents = {
  battery: measured('Battery', 'battery', 'battery', '%'),
  voltage: measured('Battery voltage', 'voltage', 'voltage', 'V'),
};

const time = (name: string, key: string): Component => ({
  platform: 'sensor',
  name,
  device_class: 'timestamp',
  value_template: `{{ value_json.${key} }}`,
});

const yesNo = (name: string, key: string): Component => ({
  platform: 'binary_sensor',
  name,
  value_template: `{{ 'ON' if value_json.${key} else 'OFF' }}`,
});

const button = (name: string, act: (typeof homeActs)[number], topic: string): Component => ({
  platform: 'button',
  name,
  entity_category: 'config',
  command_topic: topic,
  payload_press: act,
});

/**
 * Keeps a place for the components that a message before had and this one has not: Home Assistant removes an entity when
 * its component has nothing but its platform.
 */
export function withRemoved(
  message: DiscoveryMessage,
  before: Readonly<Record<string, { readonly platform: string }>>,
): DiscoveryMessage {
  const gone = Object.entries(before).flatMap(([key, { platform }]) =>
    key in message.components ? [] : [[key, { platform }] as const],
  );
  return gone.length === 0
    ? message
    : { ...message, components: { ...message.components, ...Object.fromEntries(gone) } };
}

/** The state of a frame: one retained message for all of its sensors. */
export function homeState({ shown }: HomeFrame, { nameOfPaper }: HomeFacts) {
  const { battery, trouble, paper } = shown;
  return {
    battery: battery?.percent ?? null,
    voltage: battery === null ? null : battery.millivolts / 1000,
    rssi: shown.signal,
    last_seen: shown.lastSeenAt,
    next_wake: shown.nextWakeAt,
    delivery: deliveryOf(shown),
    proven: provesNewest(shown),
    problem: trouble?.level === 'alarm',
    paper: paper === null ? null : (nameOfPaper.get(paper.id) ?? null),
  };
}

/** Returns the facts that the state of the delivery rests on, as attributes. */
export function homeEvidence({ shown: { glass, due, trouble, why, paper } }: HomeFrame) {
  return { glass, due, trouble, why, paper_id: paper?.id ?? null };
}

/**
 * True when nothing newer is due, and the frame proved the picture that hangs there: it is synced, or it is not a paper's and
 * was confirmed at a later wake.
 */
export function provesNewest({ glass, due, why }: DeviceOverview): boolean {
  if (due !== null || glass === null || glass.doubt !== null) return false;
  return why === null || glass.level === 'confirmed';
}

function deliveryOf(shown: DeviceOverview): (typeof homeDeliveries)[number] {
  if (shown.due !== null) return shown.due.state;
  if (shown.glass === null) return 'none';
  return provesNewest(shown) ? 'proven' : 'shown';
}

/** Reports what happened between two looks at a frame. */
export function happenedBetween(before: DeviceOverview, after: DeviceOverview): HomeEvent[] {
  const happened: HomeEvent[] = [];
  const newGlass = before.glass?.uploadId !== after.glass?.uploadId;
  if (provesNewest(after) && (newGlass || !provesNewest(before))) happened.push('synced');
  const failed = (one: DeviceOverview) => one.due?.state === 'failed' || one.due?.state === 'not-made';
  if (failed(after) && !(failed(before) && before.due?.uploadId === after.due?.uploadId)) happened.push('failed');
  const became = (codes: readonly string[]) =>
    codes.includes(after.trouble?.code ?? '') && !codes.includes(before.trouble?.code ?? '');
  if (became(['silent'])) happened.push('missed_wake');
  if (became(['battery-low', 'battery-empty'])) happened.push('battery_low');
  return happened;
}

/** The MAC address that a serial ends with, as Home Assistant writes them. */
function macIn(serial: string): string | undefined {
  const digits = /(?:^|[-_])([0-9a-f]{12})$/i.exec(serial)?.[1];
  return digits?.toLowerCase().replaceAll(/(..)(?=.)/g, '$1:');
}

function slug(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^_/, '')
    .replace(/_$/, '')
    .slice(0, 60);
}
