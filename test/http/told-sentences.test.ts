/** Sentences in answers: each stands as it did, with its code and its parameters for programs beside it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freshMs } from '../../api/status/health.ts';
import { said, saidTogether } from '../../runtime/said-sentence.ts';
import { withHttp } from './world.ts';

const test = suite('told sentences');

test('a part of the service in trouble tells each reason with its code; one that is well tells none', () =>
  withHttp(async ({ call, findings, passes }) => {
    const reasons = [said('callback-late'), said('callbacks-many')];
    findings.set('callbacks', { status: 'degraded', reason: saidTogether(reasons) });
    findings.set('rendering', { status: 'ok', note: said('browser-network-own') });
    passes(freshMs);
    const { json } = await call('GET', '/iotdevice/status/callbacks');
    assert.is(json.reason, 'a callback could not be delivered for an hour; callbacks pile up');
    assert.equal(json.reasons, [
      { code: 'callback-late', sentence: reasons[0] },
      { code: 'callbacks-many', sentence: reasons[1] },
    ]);
    const well = await call('GET', '/iotdevice/status/rendering');
    assert.equal([well.json.notes?.[0]?.code, 'reasons' in well.json], ['browser-network-own', false]);
  }));

test('a refusal tells what its message and its hint say beyond its code', () =>
  withHttp(async ({ call, admin }) => {
    const invited = { organization: admin.organizationId, email: 'ida@example.org', role: 'user' };
    assert.is((await call('POST', '/users', { as: admin, json: invited })).status, 200);
    const twice = (await call('POST', '/users', { as: admin, json: invited })).json;
    const sentence = 'Somebody with this address is in the organization already';
    assert.equal(twice, {
      code: 'conflict',
      message: sentence,
      reasons: [{ code: 'address-in-organization', sentence }],
    });
    const unknown = (await call('GET', `/devices/${'0'.repeat(24)}`, { as: admin })).json;
    assert.equal([unknown.code, unknown.reasons], ['not-found', undefined], 'its code says it all');
  }));

test('what is wrong with a field is told with the field and the bound, in the words of the reader of bodies', () =>
  withHttp(async ({ call, admin }) => {
    const { organizationId: organization } = admin;
    const wrong: readonly (readonly [object, string, object])[] = [
      [{ email: 'ida@example.org' }, 'field-missing', { field: 'organization' }],
      [{ organization, role: 'user', email: 'none' }, 'field-not-email', { field: 'email' }],
      [{ organization, role: 'user', name: 'x'.repeat(100_001) }, 'field-too-long', { field: 'name' }],
      [{ organization, role: 'user', name: 7 }, 'field-other-type', { field: 'name', expected: 'string' }],
      [{ organization, role: 'user', name: 'Ida', shoe: 41 }, 'field-unknown', { field: 'shoe' }],
    ];
    for (const [json, code, parameters] of wrong) {
      const answer = (await call('POST', '/users', { as: admin, json })).json;
      const found = answer.reasons?.find((one: { code: string }) => one.code === code);
      assert.ok(found, `${code}: ${JSON.stringify(answer)}`);
      for (const [name, value] of Object.entries(parameters)) assert.is(found.parameters[name], value, code);
    }
  }));

test('clients in the field read errors as they always did', () =>
  withHttp(async ({ call, admin }) => {
    const { json } = await call('POST', '/v1/users', { as: admin, json: { email: 7 } });
    assert.equal(Object.keys(json).sort(), ['code', 'message', 'raw']);
  }));

test.run();
