/** The flags that the fielded firmware takes from an activation, writes down, and has forgotten at its next start (W-20, W-27). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bootFlags, type ClassicState } from '../../simulator/dialects/classic/classic-state.ts';
import { losePower } from '../../simulator/dialects/lose-power.ts';
import { classicFrame, frameStory } from './frame-story.ts';

const test = suite('classic frame: flags');

function reporting(changes: Partial<ClassicState> = {}) {
  const story = frameStory(classicFrame({ fileVersion: 100, ...changes }));
  story.wakes();
  story.linkComesUp();
  return story;
}

const activated = { act: 'activated', timeout: 600, t: 100 };
const stranded = { overlay: false, clearscreen: false, sleepDisabled: true };

test('what an activation says is written down; what it does not say, or not as a boolean, is as at every start', () => {
  for (const [said, kept] of [
    [{}, bootFlags],
    [{ overlay: false }, { ...bootFlags, overlay: false }],
    [
      { clearscreen: false, sleepdisabled: false },
      { ...bootFlags, clearscreen: false },
    ],
    [{ overlay: 'false', clearscreen: 0, sleepdisabled: 'true' }, bootFlags],
  ] as const) {
    const story = reporting({ eeprom: stranded });
    assert.equal(story.hears('receive', { ...activated, ...said }), ['sleep 600 timer']);
    assert.equal(story.classic().eeprom, kept, 'also of a frame that another service kept awake');
  }
});

test('W-27: told to stay awake it no longer sleeps, and never connects again after its connection dropped', () => {
  const story = reporting();
  assert.equal(story.hears('receive', { ...activated, sleepdisabled: true }), []);
  assert.is(story.classic().phase.name, 'kept awake');
  assert.is(story.state.asleep, false);
  assert.equal(story.timerRings('failsafe', 180), []);
  assert.equal(story.hears('receive', activated), [], 'being told that it may sleep comes too late for this start');
  assert.equal(story.happens({ kind: 'link lost', why: 'reset' }), []);
  assert.equal(story.timerRings('answer', 5), []);
  assert.is(story.classic().eeprom.sleepDisabled, true);
});

test('W-27: kept awake, it starts over when another picture is announced, and sleeps when it may', () => {
  const story = reporting();
  story.hears('receive', { ...activated, sleepdisabled: true });
  assert.equal(story.hears('receive', { t: 101 }), ['sleep 1 reset']);
  story.wakes('reset', 1);
  story.linkComesUp();
  assert.match(story.hears('receive', { ...activated, sleepdisabled: false }).join(), /^sleep \d+ timer$/);
  assert.is(story.classic().eeprom.sleepDisabled, false);
});

test('a reset to the factory, and a wake that nobody answered, write the flags of a start', () => {
  const wiped = reporting({ eeprom: stranded });
  wiped.hears('receive', { act: 'not_started' });
  wiped.hears('receive', { act: 'reset' });
  assert.equal(wiped.classic().eeprom, bootFlags);
  const alone = reporting({ eeprom: stranded });
  for (let tries = 1; tries <= 7; tries++) alone.timerRings('answer', 5);
  assert.equal(alone.classic().eeprom, bootFlags);
});

test('what is written down outlives a loss of power, and what was sent in that wake does not', () => {
  const story = reporting();
  story.hears('receive', { ...activated, overlay: false, sleepdisabled: true });
  const off = losePower(story.state);
  if (off.dialect !== 'classic') throw new Error('not a classic frame');
  assert.equal([off.eeprom.overlay, off.eeprom.sleepDisabled, off.cycle.flags], [false, true, bootFlags]);
});

test.run();
