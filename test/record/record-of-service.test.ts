/** The keeping of the record in a running service: in rounds, by the process that does the single tasks. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recordOfService } from '../../api/service/wire/record-of-service.ts';
import { alone } from '../../cluster/alone.ts';
import { type Logger, silentLogger } from '../../runtime/logger.ts';
import { worldKeys } from '../http/world.ts';
import { type RecordWorld, withRecord } from './record-world.ts';

const test = suite('keeping the record');

/** The keeping over the rows of a world, by a process that does the single tasks or does not. */
function keeperOf(
  { db, clock, random, dataFolder, gateway }: RecordWorld,
  isOurs = true,
  logger: Logger = silentLogger,
) {
  const cluster = { ...alone, single: { ...alone.single, isOurs: () => isOurs } };
  const context = {
    db,
    clock,
    random,
    dataFolder,
    cluster,
    keys: { ...worldKeys, invite: worldKeys.seal, nodes: worldKeys.seal },
  };
  return recordOfService({ ...context, syncFailed: () => {}, close: async () => {} }, { logger, core: { gateway } });
}

test('each round writes down what was shown since, signs the days that are over, and counts', () =>
  withRecord(async (world) => {
    const { db, clock, addFrame, submit, intervals } = world;
    const frame = await addFrame();
    await submit('one');
    await frame.wakes();
    const keeper = keeperOf(world);
    keeper.start();
    clock.passes(60_000);
    await keeper.stop();
    assert.is((await intervals()).length, 1);
    assert.is((await db('level_days')).length, 1);
    assert.is((await db('wall_roots')).length, 0, 'the day is not over');
    clock.passes(86_400_000);
    await keeper.look();
    assert.is((await db('wall_roots')).length, 1);
    const before = (await db('wall_receipts')).length;
    clock.passes(600_000);
    await keeper.look();
    assert.is((await db('wall_receipts')).length, before, 'a round in which nothing happened writes nothing');
  }));

test('a process that does not do the single tasks writes nothing', () =>
  withRecord(async (world) => {
    const frame = await world.addFrame();
    await world.submit('one');
    await frame.wakes();
    await keeperOf(world, false).look();
    assert.is((await world.intervals()).length, 0);
  }));

test('a round that fails is logged, and the next one does its work', () =>
  withRecord(async (world) => {
    const frame = await world.addFrame();
    await world.submit('one');
    await frame.wakes();
    const failed: string[] = [];
    const logger = { ...silentLogger, error: (_: unknown, message: string) => void failed.push(message) };
    const { db } = world;
    await db.schema.renameTable('wall_intervals', 'away');
    const keeper = keeperOf(world, true, logger as Logger);
    await keeper.look();
    assert.is(failed.length, 1);
    await db.schema.renameTable('away', 'wall_intervals');
    await keeper.look();
    assert.is((await world.intervals()).length, 1);
  }));

test.run();
