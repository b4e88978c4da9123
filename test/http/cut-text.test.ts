/** One long text of JSON, taken out before the parser sees it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cutText } from '../../api/http/cut-text.ts';

const test = suite('cut text');
const long = 'A'.repeat(300_000);
const cut = (json: string) => {
  const found = cutText(Buffer.from(json), 'image');
  return found && { rest: found.rest.toString(), text: found.text.toString() };
};

test('T-61: a long text is cut out, wherever it stands and however it is laid out', () => {
  const cases: [json: string, rest: string][] = [
    [`{"image":"${long}"}`, '{"image":"#"}'],
    [`{ "a": 1, "image" :\r\n\t"${long}", "b": "ä" }`, '{ "a": 1, "image" :\r\n\t"#", "b": "ä" }'],
    [`{"text":"\\"image\\":\\"x","image":"${long}"}`, '{"text":"\\"image\\":\\"x","image":"#"}'],
    [`{"a":["image"],"x":"image","image":"${long}"}`, '{"a":["image"],"x":"image","image":"#"}'],
    [`{"image":"short","image":"${long}"}`, '{"image":"short","image":"#"}'],
  ];
  for (const [json, rest] of cases) assert.equal(cut(json), { rest, text: long }, rest);
});

test('what is short, has escapes, has another name or has no end stays for the parser', () => {
  for (const json of [
    '{"image":"AAAA"}',
    '{"image":null}',
    `{"image":"\\u0041${long}"}`,
    `{"image":"${long}\\"${long}"}`,
    `{"picture":"${long}"}`,
    `{"im\\u0061ge":"${long}"}`,
    `{"image":"${long}`,
    '{"image"',
    '{"image":',
    '',
  ]) {
    assert.is(cut(json), undefined, json.slice(0, 40));
  }
});

test.run();
