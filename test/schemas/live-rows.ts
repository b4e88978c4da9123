/** Rows of recipes, of pictures at addresses and of events that pages show, for fixtures of schemas. */

/** Returns the rows of a paper. */
export const liveRows = (organization: string, paper: string, at: number) => ({
  recipes: [
    {
      id: 'recipe-1',
      organization_id: organization,
      name: 'Board',
      settings: '{"strategy":"static"}',
      views: '{"full":"x"}',
      transform: 'function run(input) { return input; }',
      source_kind: 'written',
      source: '',
      licence: 'MIT',
      created_at: at,
      updated_at: at,
    },
  ],
  recipe_data: [
    {
      paper_id: paper,
      asked_as: 'x',
      polled_at: at,
      poll_due_at: at + 60_000,
      answers: '[]',
      data: '{"a":1}',
      changed_at: at,
      failing_since: at,
      failed: 'it failed',
      hosts: '["a.example"]',
    },
  ],
  recipe_hooks: [{ paper_id: paper, token_hash: 'hash', token_sealed: 'sealed', created_at: at, received_at: at }],
  event_times: [{ paper_id: paper, events: `[[${at},${at + 60_000}]]`, read_at: at }],
  plans_due: [{ place: paper, due_at: at, marks: 1 }],
  remote_pictures: [
    {
      paper_id: paper,
      asked: 'x',
      host: 'a.example',
      picture_key: null,
      etag: '"1"',
      last_modified: 'Sun, 29 Nov 2026 10:00:00 GMT',
      asked_at: at,
      answered_at: at,
      failing_since: at,
      problem: '["address-gives-page"]',
    },
  ],
});
