/** The console says up to when the service is archived, and why that waits. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ArchiveReport } from '../../api/status/archive-report.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';

const test = suite('the archive in the console');

const until = Date.parse('2026-01-10T08:00:00Z');
const since = Date.parse('2026-01-10T08:01:00Z');
const fault = { message: 'the place is full', hint: 'make room on it', trouble: 'full', since } as const;

longTest(test)('admins see up to when the service is archived, and since when and why that waits', () =>
  withConsole(async ({ context, openPage }) => {
    const { archive } = context as { archive: ArchiveReport };
    const console = await openPage();
    await console.goTo('service');
    await console.sees('There is no backup yet.');
    assert.not.match(await console.text(), /rchiv/);
    archive.state = { until: undefined, fault: undefined };
    await console.page.reload();
    await console.sees('The first copy for the archive is being written');
    archive.state = { until, fault: undefined };
    await console.page.reload();
    await console.sees(/Archived until .*10.* 2026/);
    assert.not.match(await console.text(), /waiting since/);
    archive.state = { until, fault };
    await console.page.reload();
    await console.sees(/Archiving has been waiting since .*2026.*Its place is full: make room there\./);
    await console.isAccessible({ everyLook: true });
  }),
);

test.run();
