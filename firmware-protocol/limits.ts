/** Every limit of the wire, once. Sizes in bytes, times as named. */
export const limits = {
  /** Remaining Length accepted before the login is through (F5). */
  packetBytesBeforeConnect: 4 * 1024,
  /** Remaining Length accepted afterwards (F5). */
  packetBytes: 64 * 1024,
  /** One native JSON message. */
  nativeMessageBytes: 1024,
  /** A whole MQTT packet to a classic frame: its buffer holds no more and it drops the connection (W-05). */
  classicPacketBytes: 512,
  /** Download prefix and path together; the classic frame does not check its 50-byte buffer (W-04). */
  classicUrlCharacters: 49,
  /** A frame's identity, which is also its MQTT client id and its certificate's name (F4). */
  frameIdCharacters: 64,
  /** Filters in one SUBSCRIBE, and in all of one client's (B-19). */
  subscriptionsPerFrame: 4,
  /** Filters refused on one connection before it is ended (B-19). */
  refusedFilters: 64,
  /** Messages of one frame in a minute, over all its connections; more are acknowledged and dropped (T-44). */
  messagesPerMinute: 120,
  /** Characters of a native log line. */
  logCharacters: 300,
  /** Log lines kept of one wake; more are acknowledged and dropped. */
  logsPerWake: 10,
  /** A keepalive below this is raised to it: fielded frames go silent while they download (B-10). */
  keepaliveSeconds: 30,
  /** Sleep times a frame is given (W-28). */
  sleepSeconds: { shortest: 60, longest: 86_400 },
  /** The largest picture version: the classic frame compares signed 32-bit numbers. */
  fileVersion: 2_147_483_647,
} as const;

/** What a frame may say of itself, in either dialect. */
export const saidRanges = {
  batteryMv: { lowest: 0, highest: 20_000 },
  rssi: { lowest: -150, highest: 0 },
  orientation: { lowest: -1, highest: 3 },
  sleepSeconds: { lowest: 0, highest: 604_800 },
} as const;

/** A frame's identity as it may appear on the wire. Its spelling is kept, its comparison ignores case (W-35). */
export const frameIdPattern = /^[A-Za-z0-9_-]{1,64}$/;
