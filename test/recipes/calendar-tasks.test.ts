/** Tasks of calendars, as templates get them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readAnswer } from '../../api/recipes/answers/read-answer.ts';

const test = suite('tasks of calendars');

const place = { now: Date.parse('2026-06-04T12:05:00Z'), timeZone: 'Europe/Berlin' };
const todosOf = (lines: readonly string[]): unknown => {
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
  return readAnswer({ bytes: Buffer.from(text), contentType: 'text/calendar; charset=utf-8' }, place).variables.todos;
};
const task = (...lines: string[]): readonly string[] => ['BEGIN:VTODO', ...lines, 'END:VTODO'];

test('a task has its text, state, priority and date, and nothing of its alarms', () => {
  const lines = task(
    'UID:1',
    'SUMMARY:Milk\\, eggs',
    'PRIORITY:1',
    'DUE;VALUE=DATE:20260605',
    'BEGIN:VALARM',
    'SUMMARY:Alarm',
    'END:VALARM',
  );
  assert.equal(todosOf(lines), [{ SUMMARY: 'Milk, eggs', STATUS: 'NEEDS-ACTION', PRIORITY: 1, DUE: '2026-06-05' }]);
});

test('times stand with the offset of the place of the frame, whatever zone they were written in', () => {
  const dueOf = (due: string): unknown => (todosOf(task('SUMMARY:x', due)) as { DUE: string }[])[0]?.DUE;
  assert.is(dueOf('DUE:20260604T220000Z'), '2026-06-05T00:00:00+02:00');
  assert.is(dueOf('DUE;TZID=America/New_York:20260604T120000'), '2026-06-04T18:00:00+02:00');
  assert.is(dueOf('DUE:20260604T090000'), '2026-06-04T09:00:00+02:00');
  assert.is(dueOf('DUE:tomorrow'), '');
});

test('a task with a time of completion is done, one without a text is left out', () => {
  const lines = [
    ...task('SUMMARY:Done', 'COMPLETED:20260601T080000Z'),
    ...task('PRIORITY:12'),
    ...task('SUMMARY:y', 'PRIORITY:12'),
  ];
  assert.equal(todosOf(lines), [
    { SUMMARY: 'Done', STATUS: 'COMPLETED', PRIORITY: 0, DUE: '' },
    { SUMMARY: 'y', STATUS: 'NEEDS-ACTION', PRIORITY: 0, DUE: '' },
  ]);
});

test.run();
