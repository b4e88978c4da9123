/**
 * Home Assistant's schemas for a device's discovery message, written down from homeassistant/components/mqtt (schemas.py,
 * config.py and the file of each platform). Home Assistant drops keys that it does not know without a word; here they are
 * problems, because a key that is dropped is one that was misspelt.
 */

type Check = (value: unknown) => boolean;
type Keys = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string' && value !== '';
const among =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(String(value));
const texts: Check = (value) => Array.isArray(value) && value.length > 0 && value.every(text);
const uniqueTexts: Check = (value) => texts(value) && new Set(value as string[]).size === (value as string[]).length;
const template: Check = (value) => typeof value === 'string' && /\{\{.+\}\}/.test(value);
/** A topic without wildcards. */
const topic: Check = (value) => typeof value === 'string' && value.length > 0 && !/[+#\0]/.test(value);
const url: Check = (value) => typeof value === 'string' && /^(https?|homeassistant):\/\/.+/.test(value);
const pairs: Check = (value) =>
  Array.isArray(value) && value.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(text));

const deviceKeys: Keys = {
  identifiers: texts,
  connections: pairs,
  manufacturer: text,
  model: text,
  model_id: text,
  name: text,
  hw_version: text,
  serial_number: text,
  sw_version: text,
  via_device: text,
  suggested_area: text,
  configuration_url: url,
};
const originKeys: Keys = { name: text, sw_version: text, support_url: url };
const availabilityKeys: Keys = {
  topic,
  payload_available: text,
  payload_not_available: text,
  value_template: template,
};

/** Of every entity. */
const entityKeys: Keys = {
  platform: text,
  unique_id: text,
  default_entity_id: (value) => typeof value === 'string' && /^[a-z_]+\.[a-z0-9_]+$/.test(value),
  name: text,
  icon: text,
  enabled_by_default: (value) => typeof value === 'boolean',
  entity_category: among('config', 'diagnostic'),
  json_attributes_topic: topic,
  json_attributes_template: template,
  qos: (value) => [0, 1, 2].includes(Number(value)),
  encoding: text,
};

interface Platform {
  readonly keys: Keys;
  readonly required: readonly string[];
  /** Required, and given for all entities by the device's own key. */
  readonly shared?: readonly string[];
}

const platforms: Readonly<Record<string, Platform>> = {
  sensor: {
    keys: {
      state_topic: topic,
      value_template: template,
      device_class: among('battery', 'voltage', 'signal_strength', 'timestamp', 'enum'),
      state_class: among('measurement', 'total', 'total_increasing'),
      unit_of_measurement: text,
      options: uniqueTexts,
      expire_after: Number.isInteger,
      force_update: (value) => typeof value === 'boolean',
      suggested_display_precision: Number.isInteger,
    },
    required: [],
    shared: ['state_topic'],
  },
  binary_sensor: {
    keys: {
      state_topic: topic,
      value_template: template,
      device_class: among('problem', 'battery', 'connectivity', 'update'),
      payload_on: text,
      payload_off: text,
      off_delay: Number.isInteger,
      expire_after: Number.isInteger,
    },
    required: [],
    shared: ['state_topic'],
  },
  image: {
    keys: {
      image_topic: topic,
      url_topic: topic,
      content_type: text,
      image_encoding: among('b64'),
      url_template: template,
    },
    required: [],
  },
  select: {
    keys: {
      state_topic: topic,
      command_topic: topic,
      command_template: template,
      options: uniqueTexts,
      value_template: template,
    },
    required: ['options', 'command_topic'],
  },
  button: {
    keys: {
      command_topic: topic,
      command_template: template,
      device_class: among('identify', 'restart', 'update'),
      payload_press: text,
    },
    required: ['command_topic'],
  },
  event: {
    keys: {
      state_topic: topic,
      value_template: template,
      device_class: among('button', 'doorbell', 'motion'),
      event_types: uniqueTexts,
    },
    required: ['event_types', 'state_topic'],
  },
};

const units: Readonly<Record<string, readonly string[]>> = {
  battery: ['%'],
  voltage: ['V', 'mV'],
  signal_strength: ['dB', 'dBm'],
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function judge(at: string, value: unknown, keys: Keys, required: readonly string[]): string[] {
  if (!isObject(value)) return [`${at} is no object`];
  return [
    ...required.filter((key) => !(key in value)).map((key) => `${at}.${key} is missing`),
    ...Object.entries(value).flatMap(([key, one]) => {
      const check = Object.hasOwn(keys, key) ? keys[key] : undefined;
      if (check === undefined) return [`${at}.${key} is unknown`];
      return check(one) ? [] : [`${at}.${key} is wrong: ${JSON.stringify(one)}`];
    }),
  ];
}

function judgeComponent(at: string, component: unknown, message: Record<string, unknown>): string[] {
  if (!isObject(component)) return [`${at} is no object`];
  const name = String(component.platform);
  const platform = Object.hasOwn(platforms, name) ? platforms[name] : undefined;
  if (platform === undefined) return [`${at}.platform is unknown: ${name}`];
  // With its platform alone it is taken away.
  if (Object.keys(component).length === 1) return [];
  const given = { ...Object.fromEntries((platform.shared ?? []).map((key) => [key, message[key]])), ...component };
  const required = ['unique_id', ...platform.required, ...(platform.shared ?? [])];
  return [
    ...judge(at, given, { ...entityKeys, ...platform.keys }, required),
    ...judgeClass(at, component),
    ...(String(component.default_entity_id).startsWith(`${name}.`)
      ? []
      : [`${at}.default_entity_id is of another platform`]),
  ];
}

/** The rules between keys: image.py, and validate_sensor_state_and_device_class_config of sensor.py. */
function judgeClass(at: string, component: Record<string, unknown>): string[] {
  const problems: string[] = [];
  const {
    platform,
    device_class: deviceClass,
    state_class: stateClass,
    unit_of_measurement: unit,
    options,
  } = component;
  if (platform === 'image') {
    if ('image_topic' in component === 'url_topic' in component) problems.push(`${at} needs image_topic or url_topic`);
    if ('url_topic' in component && 'content_type' in component) problems.push(`${at}.content_type excludes url_topic`);
  }
  if (platform !== 'sensor') return problems;
  if (options !== undefined && (stateClass !== undefined || unit !== undefined))
    problems.push(`${at}.options exclude a unit`);
  if (options !== undefined && deviceClass !== 'enum') problems.push(`${at}.options are for the class enum`);
  if (deviceClass === 'enum' && options === undefined) problems.push(`${at}.options are missing`);
  if (deviceClass === 'timestamp' && (stateClass !== undefined || unit !== undefined))
    problems.push(`${at} has a unit`);
  const allowed = units[String(deviceClass)];
  if (allowed !== undefined && !allowed.includes(String(unit))) problems.push(`${at}.unit_of_measurement is wrong`);
  return problems;
}

/** Lists everything that Home Assistant would refuse or drop in a discovery message; empty when all is well. */
export function hassProblems(message: unknown): string[] {
  if (!isObject(message)) return ['the message is not an object'];
  const { device, origin, components, availability } = message;
  const top: Keys = {
    device: isObject,
    origin: isObject,
    components: isObject,
    availability: Array.isArray,
    availability_mode: among('all', 'any', 'latest'),
    state_topic: topic,
    command_topic: topic,
    qos: (value) => [0, 1, 2].includes(Number(value)),
    encoding: text,
  };
  const parts = isObject(components) ? Object.entries(components) : [];
  const ids = parts.flatMap(([, one]) => (isObject(one) && one.unique_id !== undefined ? [one.unique_id] : []));
  return [
    ...judge('message', message, top, ['device', 'origin', 'components']),
    ...judge('device', device, deviceKeys, []),
    ...(isObject(device) && ('identifiers' in device || 'connections' in device) ? [] : ['device has no identifier']),
    ...judge('origin', origin, originKeys, ['name']),
    ...(Array.isArray(availability) ? availability : []).flatMap((one, at) =>
      judge(`availability.${at}`, one, availabilityKeys, ['topic']),
    ),
    ...parts.flatMap(([key, one]) => judgeComponent(`components.${key}`, one, message)),
    ...(new Set(ids).size === ids.length ? [] : ['two components have one unique_id']),
  ];
}
