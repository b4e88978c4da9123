/** C-18: searching goes without regard to case, whatever the letters and however they are composed; on both databases. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withHttp } from './world.ts';

const test = suite('search letters');

test('C-18: characters beyond ASCII are found in either case and composed either way, and patterns mean nothing', () =>
  withHttp(async ({ call, admin, join, db }) => {
    const { organizationId: organization } = admin;
    const { id } = (await call('POST', '/devices', { as: admin, json: { organization } })).json;
    const rename = (meta: object) => call('POST', `/devices/${id}`, { as: admin, json: { meta } });
    const member = await join(organization, 'user', 'Jorg');
    await db('users').where({ id: member.userId }).update({ name: 'Jörg Özil' });
    const write = { deviceId: id, organization, kind: 'image', meta: { title: 'Ärzte & Ωmega ΣΑΣ' } };
    const paper = (await call('POST', '/papers', { as: admin, json: write })).json;
    const found = async (path: string, query: Record<string, string>): Promise<string[]> => {
      const asked = `${path}?${new URLSearchParams({ organization, ...query })}`;
      const { json } = await call('GET', asked, { as: admin });
      return (json.results ?? json).map((row: { id: string }) => row.id);
    };
    for (const name of ['Päd 100%_x', 'Pa\u0308d 100%_x']) {
      await rename({ name });
      for (const text of ['päd', 'PÄD', 'pÄd 100%_X', 'Pa\u0308D', 'äD 100%', 'D 100%_']) {
        assert.equal(await found('/devices', { search: text }), [id], `${text} in ${name}`);
        assert.equal(await found('/devices', { name: text }), [id], `${text} in ${name}`);
      }
      for (const text of ['pöd', 'ä%x', 'pä_', 'päd 100\\']) {
        assert.equal(await found('/devices', { search: text }), [], text);
      }
    }
    for (const text of ['jÖrg', 'JÖRG ÖZIL', 'özil', 'jo\u0308rg']) {
      assert.equal(await found('/users', { search: text }), [member.userId], text);
      assert.equal(await found('/users', { name: text }), [member.userId], text);
    }
    for (const text of ['ärzte', 'ÄRZTE', 'ωMEGA', 'σας']) {
      assert.equal(await found('/papers', { search: text }), [paper.id], text);
      assert.equal(await found('/papers', { name: text }), [paper.id], text);
    }
  }));

test.run();
