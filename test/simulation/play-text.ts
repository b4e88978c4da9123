/** Plays scenarios under virtual time, as their files say. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { openOfflineStage } from '../../testbed/offline/offline-stage.ts';
import { type PlayedScenario, playScenario } from '../../testbed/scenario/play-scenario.ts';
import { readScenario } from '../../testbed/scenario/read-scenario.ts';

/** Plays the text of a file, with another seed where one is given. */
export function playText(text: string, seed?: string): Promise<PlayedScenario> {
  const scenario = readScenario(text);
  return playScenario(seed === undefined ? scenario : { ...scenario, seed }, (of, listener) =>
    openOfflineStage(of, listener),
  );
}

const folder = join(import.meta.dirname, '../../testbed/scenario/examples');

/** The files of the scenarios that come with Papergate. */
export const exampleFiles = (): readonly string[] => readdirSync(folder);

/** Plays an example. Fails unless it goes as it expects. */
export async function playsAsExpected(file: string): Promise<void> {
  const played = await playText(readFileSync(join(folder, file), 'utf8'));
  assert.is(played.brokenPromise, undefined);
  assert.equal(
    played.expectations.filter(({ isMet }) => !isMet),
    [],
  );
}
