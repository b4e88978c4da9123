/** Why a source of an album gives no pictures. */
export const sourceSentences = {
  'album-source-away': 'the server does not answer as usual: {because}',
  'album-source-status': 'the server answered with status {#status}',
  'album-source-busy': 'the server asks to wait',
  'album-source-denied': 'the server refuses the login (status {#status}): enter it again',
  'album-source-gone': 'the album or its link was removed (status {#status})',
  'album-source-unreadable': 'the server answers, but not as expected',
  'album-source-listing-cut': 'the server lists {#listed} of {#count} pictures: the listing ended early',
  'album-source-listing-repeats': 'the server lists the same page again and again',
  'album-source-too-large': 'more than {#most} pictures: choose an album or a folder',
  'album-source-picture-gone': 'the server no longer has the picture',
} as const;
