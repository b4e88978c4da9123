/** Answers in XML as variables. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readAnswer, UnreadableAnswer } from '../../api/recipes/answers/read-answer.ts';

const test = suite('answers in XML');

const read = (text: string): unknown =>
  readAnswer({ bytes: Buffer.from(text), contentType: 'text/xml' }, { now: 0, timeZone: 'UTC' }).variables;

/** The variables as JSON keeps them: it is what templates get. */
const xml = (text: string): unknown => JSON.parse(JSON.stringify(read(text)));

function refusal(text: string): string {
  try {
    read(text);
    return 'read';
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error;
    return `${error.code} ${error.format}`;
  }
}

test('RC-20: one item is an object, two are a list', () => {
  const feed = (items: string): unknown =>
    xml(`<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${items}</channel></rss>`);
  assert.equal(feed('<item><title>One</title></item>'), {
    rss: { version: '2.0', channel: { title: 'News', item: { title: 'One' } } },
  });
  assert.equal(feed('<item><title>One</title></item><item><title>Two</title></item>'), {
    rss: { version: '2.0', channel: { title: 'News', item: [{ title: 'One' }, { title: 'Two' }] } },
  });
});

test('RC-20: prefixes fall, text wins over attributes, and what is empty is its attributes or nothing', () => {
  assert.equal(
    xml('<a xmlns:m="urn:m"><m:encoded>text</m:encoded><m:content url="u" width="2"/><b k="v">t</b><c/><d></d></a>'),
    { a: { encoded: 'text', content: { url: 'u', width: '2' }, b: 't', c: null, d: null } },
  );
  assert.equal(xml('<a><enclosure url="u" length="1" type="audio/mpeg"/></a>'), {
    a: { enclosure: { url: 'u', length: '1', type: 'audio/mpeg' } },
  });
  assert.equal(xml('<a><b-c d-e="f"/></a>'), { a: { b_c: { d_e: 'f' } } });
});

test('RC-20: CDATA is text, entities are their characters, and numbers stay texts but for a type', () => {
  assert.equal(xml('<a><b><![CDATA[<p>x & y</p>]]></b><c>&lt;i&gt; &amp; &#228; &#x20AC; &quot;</c></a>'), {
    a: { b: '<p>x & y</p>', c: '<i> & ä € "' },
  });
  assert.equal(
    xml(
      '<a><n>007</n><i type="integer">42</i><f type="float">1.5</f><t type="boolean">true</t><u type="boolean">false</u></a>',
    ),
    { a: { n: '007', i: 42, f: 1.5, t: true, u: false } },
  );
  assert.equal(xml('<a><l type="array"><e>1</e><e>2</e></l><s type="string"></s><z nil="true"/></a>'), {
    a: { l: ['1', '2'], s: '', z: null },
  });
});

test('RC-20: an Atom feed has entries, and a link for each relation', () => {
  assert.equal(
    xml(
      '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="html">T</title><link rel="self" href="a"/><link rel="alternate" href="b"/></entry></feed>',
    ),
    {
      feed: {
        entry: {
          title: 'T',
          link: [
            { rel: 'self', href: 'a' },
            { rel: 'alternate', href: 'b' },
          ],
        },
      },
    },
  );
});

test('XML that declares entities is refused, however little it says', () => {
  const lines = Array.from({ length: 12 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`);
  const laughs = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "ha">${lines.join('')}]><a>&e12;</a>`;
  const before = process.cpuUsage();
  assert.is(refusal(laughs), 'answer-not-readable xml');
  assert.is(refusal('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>'), 'answer-not-readable xml');
  assert.ok(process.cpuUsage(before).user < 1_000_000);
  assert.is(refusal('<!DOCTYPE rss><rss><channel>x</channel></rss>'), 'read');
});

test('XML that is not well formed is refused', () => {
  for (const text of ['<a><b></a>', '<a', 'plain', '', '<?xml version="1.0"?>']) {
    assert.is(refusal(text), 'answer-not-readable xml', text);
  }
});

test.run();
