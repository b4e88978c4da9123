/** Every limit of the wire. Sizes are in bytes, times as named. */
export const limits = {
  /**
   * The Remaining Length of a packet to the gateway; the largest packet that a frame needs takes a third of it (FACT-05).
   */
  packetBytes: 4 * 1024,
  /** The size of a native JSON message. */
  nativeMessageBytes: 1024,
  /**
   * The size of a whole MQTT packet to a classic frame: its buffer holds no more, and it drops the connection (W-05).
   */
  classicPacketBytes: 512,
  /** The length of download prefix and path together; the classic frame does not check its 50-byte buffer (W-04). */
  classicUrlCharacters: 49,
  /** The length of a frame's identity, which is also its MQTT client id and its certificate's name (FACT-04). */
  frameIdCharacters: 64,
  /** The number of filters in one SUBSCRIBE, and in all of one client's (B-19). */
  subscriptionsPerFrame: 4,
  /** The number of refused filters after which a connection is ended (B-19). */
  refusedFilters: 64,
  /**
   * The messages of one frame in a minute, over all its connections; further ones are acknowledged and dropped (T-44).
   */
  messagesPerMinute: 120,
  /**
   * The packets of one frame in a minute, over all its connections, each 256 bytes counting as one more. Further
   * packets are accepted slowly, and after as many again the frame is disconnected and kept out (T-64).
   */
  packetsPerMinute: 1000,
  /** The length of a native log line, in characters. */
  logCharacters: 300,
  /** The log lines that are kept of one wake; further ones are acknowledged and dropped. */
  logsPerWake: 10,
  /**
   * The shortest keepalive; a shorter one is raised to it, because frames in the field are silent while they download
   * (B-10).
   */
  keepaliveSeconds: 30,
  /**
   * The room for a TLS session that a frame keeps over its sleep, as its TLS library writes it: a ticket, keys, and the
   * gateway's certificate. A session that needs more is not kept.
   */
  sessionBytes: 2048,
  /** The sleep that a frame is sent (W-28). */
  sleepSeconds: { shortest: 60, longest: 86_400 },
  /** The largest picture version: the classic frame compares signed 32-bit numbers. */
  fileVersion: 2_147_483_647,
} as const;

/** The ranges of the values that a frame may report, in either dialect. */
export const reportRanges = {
  batteryMv: { lowest: 0, highest: 20_000 },
  rssi: { lowest: -150, highest: 0 },
  orientation: { lowest: -1, highest: 3 },
  sleepSeconds: { lowest: 0, highest: 604_800 },
} as const;

/** The pattern of a frame's identity. Its spelling is kept; comparisons ignore case (W-35). */
export const frameIdPattern = /^[A-Za-z0-9_-]{1,64}$/;
