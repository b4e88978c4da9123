/** The conditions that count as wrong, kind by kind, in the rows of the rooms that know them. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findConditions, jobPausedByPerson } from '../../api/alerts/find-conditions.ts';
import { pausedByPerson } from '../../gateway/firmware/rollouts.ts';
import { reasonOf, storedReasons } from '../../reasons/reason.ts';
import { type AlertWorld, hourMs, withAlerts } from './alert-world.ts';

const test = suite('conditions');
const dayMs = 24 * hourMs;

async function found({ db, clock }: AlertWorld): Promise<string[]> {
  return (await findConditions(db, clock.now())).map(({ kind, name, organizationId }) =>
    [kind, name, organizationId === null ? 'operator' : 'organization'].join(' of '),
  );
}

test('a frame is weak or silent only while somebody has it', () =>
  withAlerts(async (world) => {
    const { db } = world;
    const { serial } = await world.addFrame('Hall');
    await db('frame_watch').where({ serial }).update({ overdue_since: 1, battery_level: 'critical' });
    assert.equal(await found(world), ['frame-silent of Hall of organization', 'battery-low of Hall of organization']);
    await db('frames').where({ serial }).update({ activation: 'released' });
    assert.equal(await found(world), []);
  }));

test('a certificate that ends within two weeks counts, unless there is a later one or a password', () =>
  withAlerts(async (world) => {
    const { db, clock } = world;
    const { serial } = await world.addFrame('Hall');
    const certificate = (fingerprint: string, days: number, revoked: number | null = null) => ({
      fingerprint,
      serial,
      created_at: 1,
      expires_at: clock.now() + days * dayMs,
      revoked_at: revoked,
    });
    await db('frame_certificates').insert([certificate('a', 13), certificate('b', 300, 5)]);
    assert.equal(await found(world), [], 'it has a password');
    await db('frames').where({ serial }).update({ password_hash: null });
    assert.equal(await found(world), ['credentials-ending of Hall of organization']);
    await db('frame_certificates').insert(certificate('c', 15));
    assert.equal(await found(world), []);
  }));

test('a service level counts while a fifth of its budget burned in two days', () =>
  withAlerts(async (world) => {
    const { db, clock, organizationId: organization_id } = world;
    const { name } = await db('organizations').where({ id: organization_id }).first('name');
    const today = Math.floor(clock.now() / dayMs);
    const day = (ago: number, pictures: number, late: number) =>
      db('level_days').insert({ organization_id, day: today - ago, pictures, in_time: pictures - late });
    await day(29, 400, 0);
    await day(1, 40, 1);
    await day(0, 40, 1);
    assert.equal(await found(world), []);
    await db('level_days').where({ day: today }).update({ in_time: 38 });
    assert.equal(await found(world), [`pictures-late of ${name} of organization`]);
    await db('level_targets').insert({ organization_id, target: 950, updated_at: 1 });
    assert.equal(await found(world), []);
  }));

async function addPaper({ db, clock, random, organizationId }: AlertWorld, deviceId: string): Promise<string> {
  const id = random.id();
  const times = { created_at: clock.now(), updated_at: clock.now() };
  const paper = { organization_id: organizationId, device_id: deviceId, kind: 'plugin', meta: '{"title":"News"}' };
  await db('papers').insert({ id, ...paper, author: 'x', sequence: 0, ...times });
  await db('devices').where({ id: deviceId }).update({ paper_id: id });
  return id;
}

test('callbacks that were tried for an hour count once for their paper, until the connection ends', () =>
  withAlerts(async (world) => {
    const { db, clock, random, organizationId } = world;
    const paperId = await addPaper(world, (await world.addFrame('Hall')).deviceId);
    const sealed = { token_hash: 'h', token_sealed: 's', callback_token_sealed: 's' };
    const urls = { config_url: 'u', settings_url: 'u', render_url: 'u', callback_url: 'u' };
    const whose = { paper_id: paperId, user_id: 'u', organization_id: organizationId, generation: 1, name: 'n' };
    await db('connections').insert({ id: 'c', ...whose, ...sealed, ...urls, created_at: 1, updated_at: 1 });
    const event = (attempts: number, ageMs: number) => ({
      id: random.id(),
      connection_id: 'c',
      generation: 1,
      request_id: 'r',
      state: 'available',
      body: '{}',
      attempts,
      due_at: clock.now(),
      created_at: clock.now() - ageMs,
    });
    await db('callback_events').insert([event(3, hourMs / 2), event(0, 2 * hourMs)]);
    assert.equal(await found(world), []);
    await db('callback_events').insert([event(9, 2 * hourMs), event(9, 3 * hourMs)]);
    assert.equal(await found(world), ['callbacks-failing of News of organization']);
    const [{ since } = { since: 0 }] = await findConditions(db, clock.now());
    assert.is(since, clock.now() - 3 * hourMs);
    await db('connections').update({ revoked_at: 1 });
    assert.equal(await found(world), []);
  }));

test('a picture that cannot be made counts for the paper that is shown, and not where it is only to be set up', () =>
  withAlerts(async (world) => {
    const { db, clock } = world;
    const { deviceId, serial } = await world.addFrame('Hall');
    const paperId = await addPaper(world, deviceId);
    const shown = { device_id: deviceId, paper_id: paperId, revision: 'r', attempts: 1, due_at: 0 };
    await db('shown_pictures').insert({
      ...shown,
      updated_at: clock.now(),
      problem: storedReasons(reasonOf('no-integration-named')),
    });
    assert.equal(await found(world), []);
    await db('shown_pictures').update({ problem: 'The page did not load within 5 s.' });
    assert.equal(await found(world), ['picture-failing of News of organization']);
    await db('shown_pictures').update({ problem: null });
    await db('paper_contents').insert({ paper_id: paperId, request_id: 'r', sequence: 1, text: 'x', received_at: 1 });
    const times = { created_at: 1, updated_at: 1 };
    await db('connections').insert({
      id: 'c',
      paper_id: paperId,
      user_id: 'u',
      organization_id: world.organizationId,
      generation: 1,
      name: 'n',
      token_hash: 'h',
      token_sealed: 's',
      callback_token_sealed: 's',
      config_url: 'u',
      settings_url: 'u',
      render_url: 'u',
      callback_url: 'u',
      ...times,
    });
    await db('content_requests').insert({
      id: 'r',
      connection_id: 'c',
      generation: 1,
      paper_id: paperId,
      message_id: 'm',
      content_hash: 'x',
      state: 'active',
      sequence: 1,
      text: 'x',
      ...times,
    });
    await db('deliveries').insert({
      id: 'd',
      request_id: 'r',
      paper_id: paperId,
      device_id: deviceId,
      serial,
      assignment: 1,
      frame_name: 'Hall',
      state: 'failed',
      attempts: 4,
      reason: 'The page did not load within 5 s.',
      ...times,
    });
    assert.equal(await found(world), ['picture-failing of News of organization']);
    await db('paper_contents').update({ request_id: 'newer' });
    assert.equal(await found(world), [], 'newer content has not failed');
  }));

test('a rollout that paused by itself is its owner’s, or the operator’s; one that a person paused is nobody’s', () =>
  withAlerts(async (world) => {
    const { db, organizationId } = world;
    const image = { id: 'i', kind: 'epd7', dialect: 'native', version: '1.5.0', sha256: 'x', bytes: 1, added_at: 1 };
    await db('firmware_images').insert(image);
    const rollout = (id: string, owner: string | null, reason: string) => ({
      id,
      image_id: 'i',
      kind: 'epd7',
      dialect: 'native',
      percent: 100,
      path: `/firmware/${id}`,
      owner,
      reason,
      state: 'paused',
      counted_from: 1,
      created_at: 1,
      changed_at: 1,
    });
    await db('firmware_rollouts').insert([rollout('a', organizationId, 'two frames were lost')]);
    await db('firmware_rollouts').insert([rollout('b', null, 'two frames were lost')]);
    await db('firmware_rollouts').insert([rollout('c', 'somebody', pausedByPerson)]);
    assert.equal((await found(world)).sort(), [
      'rollout-paused of epd7 1.5.0 of operator',
      'rollout-paused of epd7 1.5.0 of organization',
    ]);
  }));

test('a job that paused by itself is a condition, one that a person paused is not', () =>
  withAlerts(async (world) => {
    const { db, organizationId } = world;
    const job = (id: string, name: string, reason: string) => ({
      id,
      organization_id: organizationId,
      name,
      change: '{"kind":"paper","paper":null}',
      account_id: 'a',
      author: 'Ada',
      state: 'paused',
      reason,
      rules: '{}',
      total: 10,
      created_at: 1,
      changed_at: 1,
    });
    await db('jobs').insert([job('a', 'Menus', 'three failed'), job('b', '', 'three failed')]);
    await db('jobs').insert([job('c', 'Plans', jobPausedByPerson)]);
    assert.equal((await found(world)).sort(), [
      'job-paused of Ada of organization',
      'job-paused of Menus of organization',
    ]);
  }));

async function addLive(world: AlertWorld, kind: string, meta: object = {}): Promise<string> {
  const { deviceId } = await world.addFrame('Hall');
  const paperId = await addPaper(world, deviceId);
  await world
    .db('papers')
    .where({ id: paperId })
    .update({ kind, meta: JSON.stringify({ title: 'News', ...meta }) });
  return paperId;
}

/** A row of a recipe whose source has failed for so long. */
const failingFor = ({ clock }: AlertWorld, paperId: string, hours: number) => ({
  paper_id: paperId,
  asked_as: 'x',
  polled_at: clock.now(),
  poll_due_at: clock.now(),
  answers: '[]',
  failing_since: clock.now() - hours * hourMs,
});

test('a source that is dead for a day counts as a silent frame does, or earlier where its paper says so', () =>
  withAlerts(async (world) => {
    const { db, clock } = world;
    const paperId = await addLive(world, 'recipe');
    const old = ['data-old of News of organization'];
    await db('recipe_data').insert(failingFor(world, paperId, 24));
    assert.equal(await found(world), []);
    clock.passes(1);
    assert.equal(await found(world), old);
    const [{ since } = { since: 0 }] = await findConditions(db, clock.now());
    assert.is(since, clock.now() - 24 * hourMs - 1);
    const limited = (dataHours: unknown) =>
      db('papers')
        .where({ id: paperId })
        .update({ meta: JSON.stringify({ title: 'News', dataHours }) });
    await limited(48);
    assert.equal(await found(world), []);
    await limited(2);
    await db('recipe_data').update({ failing_since: clock.now() - 2 * hourMs });
    assert.equal(await found(world), []);
    await db('recipe_data').update({ failing_since: clock.now() - 2 * hourMs - 1 });
    assert.equal(await found(world), old);
    await db('recipe_data').update({ failing_since: null });
    assert.equal(await found(world), [], 'it answers again');
  }));

test('the source of a picture at an address counts once for its paper, and none of a paper that no frame shows or that shows something else', () =>
  withAlerts(async (world) => {
    const { db, clock } = world;
    const paperId = await addLive(world, 'remote');
    const failing = (asked: string, hours: number) => ({
      paper_id: paperId,
      asked,
      host: 'a.example',
      asked_at: clock.now(),
      failing_since: clock.now() - hours * hourMs,
    });
    await db('remote_pictures').insert([failing('a', 30), failing('b', 40)]);
    assert.equal(await found(world), ['data-old of News of organization']);
    const [{ since } = { since: 0 }] = await findConditions(db, clock.now());
    assert.is(since, clock.now() - 40 * hourMs);
    await db('papers').where({ id: paperId }).update({ kind: 'text' });
    assert.equal(await found(world), []);
    await db('papers').where({ id: paperId }).update({ kind: 'remote' });
    const board = await addLive(world, 'board', { parts: [paperId] });
    await db('devices').where({ paper_id: paperId }).update({ paper_id: null });
    assert.equal(await found(world), ['data-old of News of organization'], 'a board shows it');
    await db('devices').where({ paper_id: board }).update({ paper_id: null });
    assert.equal(await found(world), []);
  }));

test('a source that fills an album is reported a day after its last list, and not while a list is only doubted', () =>
  withAlerts(async (world) => {
    const { db, clock } = world;
    const paperId = await addLive(world, 'album');
    const { organization_id } = await db('papers').where({ id: paperId }).first();
    const source = { id: 's', number: 1, paper_id: paperId, organization_id, kind: 'immich', sealed: '', place: '' };
    const since = clock.now();
    const fault = { fault_kind: 'away', fault_since: since + hourMs, fault_attempts: 1 };
    const added = { title: 'Family', added_by: 'Ada', created_at: 1, listed_at: since, next_at: since };
    await db('album_sources').insert({ ...source, ...added, ...fault });
    clock.passes(24 * hourMs);
    assert.equal(await found(world), []);
    clock.passes(1);
    assert.equal(await found(world), ['data-old of News of organization']);
    const [condition] = await findConditions(db, clock.now());
    assert.is(condition?.since, since);
    // A fault of another kind begins no new time.
    await db('album_sources').update({ fault_kind: 'unusable', fault_since: clock.now() });
    assert.equal(await found(world), ['data-old of News of organization']);
    await db('album_sources').update({ fault_kind: null, fault_since: null, listed_at: clock.now() });
    assert.equal(await found(world), [], 'it answers again');
    await db('album_sources').update({ listed_at: since, doubt_since: since, doubt_found: 0 });
    assert.equal(await found(world), []);
  }));

test('data that are sent are old only where the paper sets a limit', () =>
  withAlerts(async (world) => {
    const { db, clock } = world;
    const paperId = await addLive(world, 'recipe');
    await db('recipe_hooks').insert({ paper_id: paperId, token_hash: 'h', token_sealed: 's', created_at: 1 });
    const kept = failingFor(world, paperId, 0);
    await db('recipe_data').insert({
      ...kept,
      failing_since: null,
      poll_due_at: null,
      polled_at: clock.now() - 80 * hourMs,
    });
    assert.equal(await found(world), []);
    await db('papers').update({ meta: JSON.stringify({ title: 'News', dataHours: 79 }) });
    assert.equal(await found(world), ['data-old of News of organization']);
    await db('papers').update({ meta: JSON.stringify({ title: 'News', dataHours: 81 }) });
    assert.equal(await found(world), []);
  }));

test.run();
