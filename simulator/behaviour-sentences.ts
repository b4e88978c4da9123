/** The named behaviours of simulated frames in words. It stands alone, so that the help of a command loads no simulator. */

/** What each behaviour does, in a sentence. */
export const behaviourSentences = {
  liar: 'reports the picture as shown, but downloads nothing and shows nothing',
  'half-download': 'breaks every download off in the middle',
  'torn-download': 'loses the link in the middle of every first download; a second one arrives',
  replayer: 'sends its reports of earlier wakes again after each greeting',
  silent: 'disappears after its first work, and never wakes again',
  bricked: 'accepts a new firmware, and never starts again with it',
  stuck: 'has a panel that shows for ever what it shows, and does not know it',
  'weak-wifi': 'polls, and finds its Wi-Fi at every second wake only',
} as const;
