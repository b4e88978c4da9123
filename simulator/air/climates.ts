/**
 * The network between a frame and its service, as a plain record and by named climates. It imports nothing, so that a
 * command can show its help without loading the simulator. `air.ts` applies a climate to live connections,
 * `offline/climate-faults.ts` turns it into fault rates.
 */

/** The network's effects on the connections of a frame. Ratios are in [0, 1]. */
export interface Climate {
  /** The one-way latency, in milliseconds. */
  readonly latencyMs: number;
  /** The most that chance adds to the latency, in milliseconds. */
  readonly jitterMs: number;
  /**
   * How often a packet is lost. TCP sends it again after 200 ms, then after twice as long each time, and what follows waits
   * for it: the connection stalls, and breaks at the eighth loss of one packet.
   */
  readonly loss: number;
  /** How often a connection is cut with a reset, at a byte of its first 256 KiB; early bytes are as likely as late ones. */
  readonly cuts: number;
  /**
   * How often it falls silent at such a byte: everything sent is swallowed, nothing arrives, and neither side is
   * notified.
   */
  readonly halfOpen: number;
  /** The bytes per second of a connection, each way; 0 means no limit. */
  readonly bytesPerSecond: number;
}

/** The time after which TCP first retransmits a lost packet. */
export const resendMs = 200;

/** A network that does nothing. */
const still: Climate = { latencyMs: 0, jitterMs: 0, loss: 0, cuts: 0, halfOpen: 0, bytesPerSecond: 0 };

/** The named climates. The figures are round numbers chosen to fit the sentences; nobody measured them. */
export const climates = {
  calm: still,
  cellar: { latencyMs: 60, jitterMs: 240, loss: 0.08, cuts: 0.08, halfOpen: 0.03, bytesPerSecond: 30_000 },
  'far-away': { latencyMs: 300, jitterMs: 60, loss: 0.005, cuts: 0.005, halfOpen: 0, bytesPerSecond: 100_000 },
  crowded: { latencyMs: 40, jitterMs: 600, loss: 0.03, cuts: 0.02, halfOpen: 0.01, bytesPerSecond: 20_000 },
  'flaky-mesh': { latencyMs: 15, jitterMs: 100, loss: 0.02, cuts: 0.25, halfOpen: 0.12, bytesPerSecond: 250_000 },
} as const satisfies Readonly<Record<string, Climate>>;

export type ClimateName = keyof typeof climates;
/** A climate by its name, or as a record whose missing fields are calm. */
export type ClimateChoice = ClimateName | Partial<Climate>;
export const climateNames = Object.keys(climates) as ClimateName[];

/** The character of each climate, in a sentence. */
export const climateSentences: Readonly<Record<ClimateName, string>> = {
  calm: 'a wire: nothing is late, lost or cut',
  cellar: 'a weak signal behind concrete: slow, with stalls, and one connection in nine breaks or falls silent',
  'far-away': 'a service on another continent, over a satellite: late, but steady',
  crowded: 'an access point that a trade fair shares: very uneven, and slow',
  'flaky-mesh': 'repeaters that restart and hand over: fast, and every third connection breaks or falls silent',
};

/** The largest value of each number of a climate. */
const most: Readonly<Record<keyof Climate, number>> = {
  latencyMs: 60_000,
  jitterMs: 60_000,
  loss: 1,
  cuts: 1,
  halfOpen: 1,
  bytesPerSecond: 1_000_000_000,
};

const isField = (name: string): name is keyof Climate => Object.hasOwn(most, name);

/**
 * Returns a climate by its name, or from a record, as JSON or an object, whose missing fields are calm.
 * @throws Error with a sentence that says what is wrong
 */
export function climateOf(given: unknown): Climate {
  const named = typeof given === 'string' ? climateNames.find((name) => name === given.trim()) : undefined;
  if (named !== undefined) return climates[named];
  const record = typeof given === 'string' ? parsed(given) : given;
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw new Error(`no climate ${String(given)}; there are ${climateNames.join(', ')}, or a record as JSON`);
  }
  for (const [name, value] of Object.entries(record)) {
    if (!isField(name)) throw new Error(`a climate has no ${name}; it has ${Object.keys(most).join(', ')}`);
    if (typeof value !== 'number' || !(value >= 0 && value <= most[name])) {
      throw new Error(`${name} of a climate is a number from 0 to ${most[name]}, not ${JSON.stringify(value)}`);
    }
  }
  return { ...still, ...record };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
