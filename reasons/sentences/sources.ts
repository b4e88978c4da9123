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
  'album-source-listing-more': 'the server lists {#listed} pictures where it states {#count}',
  'album-source-right-missing':
    'the API key lacks the right {right}: add it in the settings of the server, to this key',
  'album-source-search-refused': 'the server refuses the search: its version is not supported',
  'album-source-no-smart-search': 'smart search is switched off on the server',
  'album-source-not-immich': 'no Immich server answers at this address',
  'album-source-link-cut': 'the link is incomplete: copy the whole link',
  'album-source-link-ended': 'the shared link has expired or was removed: ask for another one',
  'album-source-link-password': 'the shared link needs its password (status {#status})',
  'album-source-not-icloud': 'this is not the public link of an iCloud shared album',
  'album-source-icloud-private': 'the album is not public: switch its public website on, in its settings in Photos',
  'album-source-icloud-host': 'the answer leads to a host that does not belong to iCloud',
} as const;
