/** Rows of an album to which pictures come by mail and message, for fixtures of schemas and tests of removals. */

/** Returns the rows by their tables, each after those that it refers to. `picture` is one that was sent to the album. */
export function postRows(organization: string, paper: string, picture: string, at: number) {
  const album = { paper_id: paper, organization_id: organization };
  return {
    post_addresses: [{ ...album, secret: '0123456789ab', created_at: at }],
    invited_senders: [
      { ...album, id: 'sender-1', address: 'grandma@example.org', name: 'Grandma', created_at: at, last_at: at },
    ],
    waiting_mails: [
      {
        ...album,
        id: 'mail-1',
        key: '<m1@example.org>',
        sender: 'aunt@example.org',
        subject: 'At the lake',
        reason: '[{"code":"album-source-mail-sender-unknown"}]',
        files: 2,
        arrived_at: at,
        held_at: at,
        decision: 'yes',
      },
    ],
    done_mails: [{ key: '<m0@example.org>', at }],
    mailbox_places: [{ mailbox: 'digest', uid_validity: '7', last_uid: 3, old_until: 1, trusted: 'mx.example.org' }],
    bot_offsets: [{ bot: '123456', next_update: 700_000_001 }],
    chat_codes: [{ ...album, hash: 'b2'.repeat(32), until: at }],
    admitted_chats: [
      {
        ...album,
        id: 'chat-1',
        bot: '123456',
        chat: '-1001234567890123',
        title: 'Family',
        is_group: 1,
        members: '["77"]',
        created_at: at,
        last_at: at,
        pictures: 3,
      },
    ],
    post_receipts: [
      {
        ...album,
        id: 'receipt-1',
        way: 'telegram',
        gathering: '123456/-1001234567890123/message 7',
        chat: '-1001234567890123',
        message: 8,
        answer: '{}',
        created_at: at,
        next_at: at,
        accepted_at: at,
        hung_at: at,
      },
    ],
    receipt_pictures: [{ receipt_id: 'receipt-1', picture_id: picture }],
    post_states: [{ way: 'telegram', state: 'away', name: 'family_frame_bot', reason: '[]', since: at }],
  };
}
