/** The page that tells what happened in a scenario. */
import type { PlayedScenario } from '../../simulator/scenario/play-scenario.ts';
import { reportPage } from '../report/page.ts';
export const scenarioPage = (played: PlayedScenario, _tookMs: number): string =>
  reportPage({
    title: played.scenario.name,
    verdict: { tone: played.isGood ? 'good' : 'bad', word: '', sentence: '' },
    opening: '',
    sections: [],
  });
