/** Why a picture changes at a time that is known beforehand. */
export const changeSentences = {
  'change-entry': '{from} changes to {to}',
  'change-entry-first': 'the playlist begins with {to}',
  'change-day': 'a new day begins',
  'change-event-begins': 'an event begins',
  'change-event-ends': 'an event ends',
  'change-picture-begins': 'a picture begins that waited for its time',
  'change-picture-ends': 'the time of the picture ends',
  'change-album': 'the album goes on to its next picture',
  'change-schedule': 'it is drawn again by its schedule',
  'change-asked': 'its sources are asked again',
} as const;
