/** Why a source of an album gives no pictures. */
export const sourceSentences = {
  'source-away': 'the server does not answer as usual: {because}',
  'source-status': 'the server answered with status {#status}',
  'source-busy': 'the server asks to wait',
  'source-denied': 'the server refuses the login (status {#status}): enter it again',
  'source-gone': 'the album or its link was removed (status {#status})',
  'source-unreadable': 'the server answers, but not as expected',
  'source-listing-cut': 'the server lists {#listed} of {#count} pictures: the listing ended early',
  'source-listing-repeats': 'the server lists the same page again and again',
  'source-too-large': 'more than {#most} pictures: choose an album or a folder',
} as const;
