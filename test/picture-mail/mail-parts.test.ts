/** The parts of a message that are fetched, and the words that go with it (ML-4, ML-5). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { captionOf, hasCaption, textOfHtml } from '../../api/picture-mail/mail-caption.ts';
import { type MailPart, planParts } from '../../api/picture-mail/mail-parts.ts';
import { sortOfBytes } from '../../api/picture-mail/picture-bytes.ts';

const test = suite('parts and captions of mail to albums');

const photo = (part: string, more: Partial<MailPart> = {}): MailPart => ({
  part,
  type: 'image/jpeg',
  encoding: 'base64',
  size: 400_000,
  disposition: 'attachment',
  dispositionParameters: { filename: `${part}.jpg` },
  ...more,
});
const mixed = (...childNodes: MailPart[]): MailPart => ({ type: 'multipart/mixed', childNodes });
const plainText: MailPart = { part: '1', type: 'text/plain', size: 100 };

/** Returns names of pictures, and what is left out. */
function planned(structure: MailPart) {
  const { pictures, leftOut } = planParts(structure);
  const code = (one: string): string => one.replace('album-source-left-out-', '');
  return [
    pictures.map(({ name }) => name).join(),
    leftOut.map(({ name, reason }) => `${name} ${code(reason.code)}`).join(),
  ];
}

test('pictures are attachments, inline ones of some size, and files that may be pictures by their bytes', () => {
  const inline = { disposition: 'inline', id: '<logo>' };
  assert.equal(planned(mixed(plainText, photo('2'), photo('3', { type: 'image/heic' }))), ['2.jpg,3.jpg', '']);
  assert.equal(planned(mixed(photo('1', { ...inline, size: 12_000 }), photo('2', inline))), ['2.jpg', '']);
  assert.equal(planned(mixed(photo('1', { size: 900 }))), ['1.jpg', '']);
  assert.equal(planned(mixed(photo('1', { type: 'application/octet-stream' }))), ['1.jpg', '']);
  assert.equal(planned(mixed(photo('1', { type: 'application/x-unknown' }))), ['1.jpg', '']);
  assert.equal(planned(photo('1')), ['1.jpg', '']);
  assert.equal(planned({ type: 'image/png' }), ['', '']);
  assert.is(planParts(mixed(photo('1', inline))).pictures[0]?.isInline, true);
});

test('everything else is left out by name, and what belongs to the message itself in silence', () => {
  const of = (type: string, filename = 'f.bin', disposition = 'attachment') =>
    planned(mixed(photo('1', { type, disposition, dispositionParameters: { filename } })))[1];
  assert.is(of('video/quicktime', 'IMG_1.mov'), 'IMG_1.mov video');
  assert.is(of('application/ms-tnef'), 'f.bin winmail');
  assert.is(of('application/octet-stream', 'WINMAIL.DAT'), 'WINMAIL.DAT winmail');
  assert.is(of('application/pdf', 'a.pdf'), 'a.pdf type');
  assert.is(of('image/svg+xml', 'a.svg'), 'a.svg type');
  assert.is(of('text/plain', 'picture.jpg'), 'picture.jpg type');
  assert.is(of('application/pgp-signature'), '');
  assert.is(of('application/pkcs7-signature'), '');
  assert.is(of('text/calendar', '', 'inline'), '');
  assert.is(of('application/pdf', '../../etc/\u202Efdp.gpj'), 'fdp.gpj type');
});

test('a forwarded message is looked into, one within it is not', () => {
  const forwarded = (part: string, ...childNodes: MailPart[]): MailPart => ({
    part,
    type: 'message/rfc822',
    childNodes: [{ type: 'multipart/mixed', childNodes }],
  });
  const inner = forwarded('2.2', photo('2.2.1'));
  assert.equal(planned(mixed(plainText, forwarded('2', photo('2.1'), inner))), ['2.1.jpg', ' count']);
});

test('20 pictures and 25 MB are taken, and the surplus of 60 attachments is named', () => {
  const sixty = Array.from({ length: 60 }, (_, index) => photo(`${index + 1}`));
  const { pictures, leftOut } = planParts(mixed(...sixty));
  assert.is(pictures.length, 20);
  assert.equal(leftOut, [
    { name: '', reason: { code: 'album-source-left-out-count', params: { count: 40, most: 20 } } },
  ]);
  const large = [photo('1', { size: 20_000_000 }), photo('2', { size: 20_000_000 }), photo('3')];
  assert.equal(planned(mixed(...large)), ['1.jpg,3.jpg', '2.jpg mail-bytes']);
  const films = Array.from({ length: 60 }, (_, index) => photo(`${index + 1}`, { type: 'video/mp4' }));
  const named = planParts(mixed(...films)).leftOut;
  assert.is(named.length, 21);
  assert.equal(named.at(-1)?.reason.params, { count: 40, most: 20 });
});

test('a structure of any depth and width is bounded', () => {
  let deep: MailPart = photo('1');
  for (let depth = 0; depth < 1_000; depth++) deep = mixed(deep);
  assert.equal(planned(deep), ['', ' count']);
  const { leftOut } = planParts(mixed(...Array.from({ length: 5_000 }, () => plainText)));
  assert.equal(leftOut[0]?.reason.params, { count: 4_501, most: 20 });
});

test('the first words are of plain text before HTML, and of the message before a forwarded one', () => {
  const html: MailPart = { part: '2', type: 'text/html' };
  const textOf = (structure: MailPart) => planParts(structure).text;
  assert.equal(textOf(mixed(html, plainText)), { part: '1', isHtml: false });
  assert.equal(textOf(html), { part: '2', isHtml: true });
  const forwarded: MailPart = { part: '1', type: 'message/rfc822', childNodes: [{ ...plainText, part: '1.1' }] };
  assert.equal(textOf(mixed(forwarded, html)), { part: '2', isHtml: true });
  assert.is(textOf(mixed({ ...plainText, disposition: 'attachment' }))?.part, undefined);
});

test('a caption is the subject without its prefixes', () => {
  const captions: readonly (readonly [subject: string, caption: string])[] = [
    ['At the lake', 'At the lake'],
    ['Fwd: Re: AW: WG[2]: At the lake', 'At the lake'],
    ['RE:RE:fw: x', 'x'],
    ['Reise nach Rom', 'Reise nach Rom'],
    ['  a\r\n\tb \u202Eevil\u0007 ', 'a b evil'],
    ['👩‍👩‍👧 at home', '👩‍👩‍👧 at home'],
    ['<b>bold</b>', '<b>bold</b>'],
    ['x'.repeat(300), `${'x'.repeat(199)}…`],
    ['👵'.repeat(300), `${'👵'.repeat(199)}…`],
  ];
  for (const [subject, caption] of captions) assert.is(captionOf(subject, 'first words'), caption);
  for (const subject of ['', 'Fwd:', '(no subject)', 'IMG_2041.jpg', 'Re: Kein Betreff', 'image', 'IMG 4']) {
    assert.is(captionOf(subject, 'first words'), 'first words', subject);
    assert.not(hasCaption(subject));
  }
});

test('without a subject it is the first paragraph, before signatures, quoted words and programs', () => {
  const first = (...lines: string[]) => captionOf('', lines.join('\r\n'));
  assert.is(first('', 'Anna at', 'the lake', '', 'Best wishes'), 'Anna at the lake');
  assert.is(first('Anna', '-- ', 'Grandma'), 'Anna');
  assert.is(first('Sent from my iPhone'), '');
  assert.is(first('Von meinem iPad gesendet'), '');
  assert.is(first('> quoted', 'Anna'), 'Anna');
  assert.is(first('On Mon, Anna wrote:', '> x'), '');
  assert.is(first('-------- Forwarded Message --------', 'From: x'), '');
  assert.is(first('Anna', 'From: x@y.example'), 'Anna');
  assert.is(captionOf('', 'a '.repeat(5_000_000)).length, 200);
});

test('HTML becomes plain text, without its scripts', async () => {
  const html =
    '<style>p{}</style><script>alert(1)</script><p>Anna &amp; Ben</p><img src="https://track.example/x.gif">';
  assert.is(captionOf('', await textOfHtml(html)), 'Anna & Ben');
  assert.ok((await textOfHtml('<div>'.repeat(20_000))).length < 100_000);
});

test('files are recognized by their first bytes', () => {
  const sort = (text: string) => sortOfBytes(Buffer.from(text, 'latin1'));
  const pictures = [
    '\xff\xd8\xff\xe0',
    '\x89PNG\r\n\x1a\n',
    'GIF89a',
    'RIFF\0\0\0\0WEBP',
    'II*\0',
    '\0\0\0\x18ftypheic\0\0\0\0heicmif1',
  ];
  for (const text of pictures) assert.is(sort(text), 'picture', text);
  assert.is(sort('\x78\x9f\x3e\x22\x01'), 'winmail');
  for (const text of ['', 'MZ', '%PDF-1.7', '<svg', 'RIFF\0\0\0\0AVI ', '\0\0\0\x18ftypisom\0\0\0\0isom']) {
    assert.is(sort(text), 'other', text);
  }
});

test.run();
