/** The topics on the home's broker: those of Home Assistant's discovery, and the service's own. */
import { frameIdPattern } from '../../firmware-protocol/limits.ts';

const base = 'papergate';

/** Says whether the service is there: `online`, or `offline` by its last will. A frame that sleeps is not offline. */
export const serviceTopic = `${base}/status`;

export const commandFilters = [`${base}/+/set/paper`, `${base}/+/do`] as const;

/** The topics of the service's own device, which reports outages. No frame can have its id. */
export const outageTopics = { state: `${base}/outages`, event: `${base}/outages/event` } as const;

/** The id of the service's own device in Home Assistant. */
export const serviceHassId = 'papergate-service';

/** The topic of the discovery message of the service's own device. */
export const serviceDiscoveryTopic = (prefix: string): string => `${prefix}/device/${serviceHassId}/config`;

/** The topics of one frame, by its serial. */
export function topicsOfFrame(serial: string) {
  const own = `${base}/${serial}`;
  return {
    state: `${own}/state`,
    evidence: `${own}/evidence`,
    glass: `${own}/glass`,
    due: `${own}/due`,
    event: `${own}/event`,
    setPaper: `${own}/set/paper`,
    act: `${own}/do`,
  } as const;
}

/** The topics of a frame whose messages the broker retains, besides its discovery message. */
export function retainedTopics(serial: string): readonly string[] {
  const { state, evidence, glass, due } = topicsOfFrame(serial);
  return [state, evidence, glass, due];
}

/** The id of a frame's device in Home Assistant. */
export const hassId = (serial: string): string => `papergate_${serial}`;

/** The topic of a frame's discovery message. */
export const discoveryTopic = (prefix: string, serial: string): string => `${prefix}/device/${hassId(serial)}/config`;

/** Returns the serial in the topic of one of our discovery messages; undefined for those of others. */
export function serialOfDiscovery(prefix: string, topic: string): string | undefined {
  const [before, after] = [`${prefix}/device/papergate_`, '/config'];
  if (!topic.startsWith(before) || !topic.endsWith(after)) return undefined;
  return asSerial(topic.slice(before.length, -after.length));
}

/** The request of a command's topic. */
export interface CommandTopic {
  readonly serial: string;
  readonly what: 'paper' | 'act';
}

/** Reads the topic of a command; undefined for one that there is not. */
export function readCommandTopic(topic: string): CommandTopic | undefined {
  const [first, serial = '', ...rest] = topic.split('/');
  const what = { 'set/paper': 'paper', do: 'act' }[rest.join('/')];
  if (first !== base || asSerial(serial) === undefined || (what !== 'paper' && what !== 'act')) return undefined;
  return { serial, what };
}

const asSerial = (text: string): string | undefined => (frameIdPattern.test(text) ? text : undefined);
