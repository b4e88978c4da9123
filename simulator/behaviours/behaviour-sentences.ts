/**
 * The named behaviours of simulated frames in words. It imports nothing, so that a command can show its help without
 * loading the simulator.
 */

/** The effect of each behaviour, in a sentence. */
export const behaviourSentences = {
  liar: 'reports the picture as shown, but downloads nothing and shows nothing',
  'half-download': 'breaks every download off in the middle',
  'torn-download': 'loses the link in the middle of every first download; a second one arrives',
  replayer: 'sends its reports of earlier wakes again after each greeting',
  silent: 'disappears after its first work, and never wakes again',
  bricked: 'accepts a new firmware, and never starts again with it',
  stuck: 'has a panel that shows for ever what it shows, and does not know it',
  'stuck-refresh':
    'hangs in the refresh of every third wake, until its failsafe puts it to sleep; one that polls has none, and somebody resets it an hour later',
  turned: 'is hung the other way in the middle of the refresh of every second wake',
  'weak-wifi': 'finds its Wi-Fi at every second wake only',
  'lost-wifi': 'finds no Wi-Fi for twelve wakes after every twelve with it',
  'fast-clock': 'wakes a twentieth too early, because its clock is fast',
  'slow-clock': 'wakes a twentieth too late, because its clock is slow',
  'clock-1970': 'has the time of 1970 in each wake that is a start, and so takes certificates for not valid yet',
  'clock-2099': 'has the time of 2099, and so takes all certificates for expired',
  pressed: 'has its button pressed in the middle of every third sleep',
  moved: 'is moved in the middle of every fourth sleep, and wakes',
  resets: 'resets by itself in the middle of every fifth sleep',
  'power-loss': 'loses its power in every third wake, each time one step later, and starts again after half a minute',
  'weak-battery': 'has a nearly empty battery, which gives in under the refresh of every fourth wake',
  drained: 'loses as much battery in a wake as others in a week, until it is empty and the frame no longer wakes',
  'failed-update': 'accepts a new firmware that does not start, and goes on with the old one',
  updated: 'is flashed by its owner with another version after every sixth wake, and starts by a reset',
  'old-firmware': 'comes with firmware of years ago, and without what later firmware learned',
  cloned: 'is two devices with one identity',
  'pressed-twice': 'has its button pressed twice in the middle of every fourth sleep',
  'bluetooth-picture':
    'is sent a picture over Bluetooth in every eighth wake, and is silent until its owner presses its button and enters its address again',
  'factory-reset': 'is reset to the factory in its tenth wake, and asks no more',
} as const;

export type BehaviourName = keyof typeof behaviourSentences;

/**
 * The behaviours that only some dialects have. Frames that poll report nothing, so they cannot lie; they get their
 * firmware from their owner and not by offers, check no certificate, and sense neither movement nor orientation.
 */
export const onlyFor: Readonly<
  Partial<Record<BehaviourName, readonly ('native' | 'classic' | 'trmnl' | 'offline')[]>>
> = {
  liar: ['native', 'classic'],
  replayer: ['native', 'classic'],
  bricked: ['native', 'classic'],
  'failed-update': ['native', 'classic'],
  'clock-1970': ['native', 'classic'],
  'clock-2099': ['native', 'classic'],
  moved: ['native', 'classic'],
  turned: ['native', 'classic'],
  updated: ['trmnl'],
  'old-firmware': ['native', 'classic', 'trmnl'],
  'pressed-twice': ['offline'],
  'bluetooth-picture': ['offline'],
  'factory-reset': ['offline'],
};
