/** Feeds of pictures in every format, as their programs write them. */

/** A feed of RSS 2.0 with Media RSS, enclosures, markup, and an entry without a picture. */
export const rssFeed = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>Harbour &amp; sea</title><link>https://pictures.example/</link>
<item><title>Ferry</title><guid isPermaLink="false">one</guid><pubDate>Sat, 04 Jan 2025 23:16:08 GMT</pubDate>
 <media:group><media:content url="/small.jpg" type="image/jpeg" width="200" height="100"/>
 <media:content url="https://cdn.example/large.jpg?a=1&amp;b=2" medium="image" width="2000" height="1000"/></media:group>
 <media:credit role="photographer">Anna Berg</media:credit></item>
<item><title><![CDATA[Crane <b>7</b>]]></title><guid>two</guid><enclosure url="crane.png" type="image/png" length="1"/><dc:creator>Ben</dc:creator></item>
<item><title>Gull</title><guid>three</guid><description>&lt;p&gt;&lt;img width="1" src="/pixel.gif"&gt;&lt;img alt="x" src='gull.jpg?x=1&amp;amp;y=2'/&gt;</description></item>
<item><title>Film</title><guid>four</guid><enclosure url="film.mp4" type="video/mp4"/></item>
<item><title>Words</title><guid>five</guid><description>no picture</description></item>
<item><title>Again</title><guid>one</guid><enclosure url="again.jpg" type="image/jpeg"/></item>
</channel></rss>`;

export const atomFeed = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Garden</title><author><name>Cleo</name></author>
<entry><title>Rose</title><id>tag:garden,1</id><updated>2025-01-05T10:00:00Z</updated><author><name>Dora</name></author>
<link rel="alternate" href="https://garden.example/rose"/><link rel="enclosure" type="image/webp" href="rose.webp"/></entry>
<entry><title>Oak</title><id>tag:garden,2</id><content type="html">&lt;img src="oak.jpg"&gt;</content></entry></feed>`;

export const jsonFeed = JSON.stringify({
  version: 'https://jsonfeed.org/version/1.1',
  title: 'Mountains',
  items: [
    {
      id: '1',
      url: 'https://m.example/page',
      title: 'Peak',
      image: 'peak.jpg',
      date_published: '2025-02-01T08:00:00Z',
      authors: [{ name: 'Emil' }],
    },
    { id: 2, attachments: [{ url: 'lake.heic', mime_type: 'image/heic' }] },
    { id: '3', content_html: '<p><img src="hut.jpg"></p>' },
    { id: '4', url: 'https://m.example/only-a-page' },
    7,
  ],
});

export const plainList = JSON.stringify([
  'a.jpg',
  'https://cdn.example/b.jpg',
  { url: '/c.png', title: 'C', credit: 'Fay' },
  'file:///etc/passwd',
  null,
]);
