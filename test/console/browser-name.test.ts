import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readUserAgent } from '../../console/parts/browser-name.ts';

const test = suite('names of browsers');

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test('a user agent is read as people call the browser and the system', () => {
  for (const [agent, browser, system] of [
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/126.0.0.0 Safari/537.36`, 'Chrome', 'Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/126.0 Safari/537.36 Edg/126.0`, 'Edge', 'Windows'],
    [`Mozilla/5.0 (Linux; Android 14) ${webkit} Chrome/126.0 Mobile Safari/537.36`, 'Chrome', 'Android'],
    ['Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox', 'Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1',
      'Safari',
      'iPhone',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.5 Safari/605.1.15',
      'Safari',
      'macOS',
    ],
  ] as const) {
    assert.equal(readUserAgent(agent), { browser, system }, agent);
  }
});

test('what a user agent does not name is left out', () => {
  assert.equal(readUserAgent('Browser 1'), {});
  assert.equal(readUserAgent('curl/8.5.0'), {});
  assert.equal(readUserAgent('App/2 (Windows)'), { system: 'Windows' });
});

test.run();
