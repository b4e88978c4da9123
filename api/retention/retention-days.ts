/** The days for which rows are kept, each counted from the event in its name. The current content of a paper stays. */
export const retentionDays = {
  /** Pushed content that is known as a request. */
  requests: 30,
  /** Callbacks, which are sent for seven days and listed for as long as their request is known. */
  callbacks: 30,
  frameEvents: 90,
  commands: 90,
  /** The pictures that were on a glass, with their times. */
  uploads: 90,
  battery: 90,
  /** Outages that are over, with the messages that reported them. */
  outages: 90,
  /** Days of deadlines, with their events and notices. */
  deadlines: 90,
  audit: 90,
  /** A session of a browser, at the longest. */
  sessions: 30,
  /** Numbers of the service, in memory. */
  history: 1,
} as const;
