/** Fields that the contract promises in every answer are required in the description, too, and not only mostly there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiDescription } from '../../api/http/description/describe-api.ts';
import type { Json } from '../../api/http/description/describe-schema.ts';

const test = suite('required fields');

const api: ApiDescription = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8'));

const device = ['id', 'name', 'status', 'createdAt', 'updatedAt'];
const paper = ['id', 'title', 'author', 'createdAt', 'updatedAt'];
const user = ['id', 'name', 'email'];
const organization = ['id', 'name', 'email'];
const page = ['results', 'totalResults', 'totalPages', 'page', 'limit'];
const image = ['deviceMeta', 'deviceUpdate', 'iotUpload'];

/** The fields that the contract requires of each answer, of each row where the answer is a list. */
const required: Readonly<Record<string, readonly string[]>> = {
  'GET /usersnnn/{userId}': ['id', 'name', 'age'],
  'GET /users/': user,
  'GET /users/{userId}': user,
  'POST /users/{userId}': user,
  'PATCH /users/{userId}': user,
  'DELETE /users/{userId}': ['success'],
  'GET /accounts/{accountId}': ['id', 'email', 'organizationId', 'roles', 'isMfaEnabled', 'createdAt', 'updatedAt'],
  'POST /organizations/': organization,
  'GET /organizations/': organization,
  'GET /organizations/{organizationId}': organization,
  'PATCH /organizations/{organizationId}': organization,
  'POST /organizations/{organizationId}': organization,
  'DELETE /organizations/{organizationId}': organization,
  'POST /devices/': device,
  'GET /devices/': device,
  'GET /devices/{deviceId}': device,
  'POST /devices/{deviceId}': device,
  'POST /devices/reset/{deviceId}': ['message', 'success'],
  'GET /devices/events/{deviceId}': ['id', 'deviceId', 'type', 'payload', 'timestamp'],
  'GET /iotdevice/events/{deviceId}': ['eventId', 'deviceId', 'timestamp', 'type'],
  'GET /iotdevice/status/{kind}': ['kind', 'status', 'uptimeSeconds'],
  'GET /devices/image/{deviceId}/{uuid}': ['url'],
  'POST /devices/updateSingleImageMeta/{deviceId}': [...image, 'url'],
  'POST /devices/uploadSingleImage/{deviceId}': [...image, 'url'],
  'POST /devices/updateSingleImageFromWebsite/{deviceId}': image,
  'POST /papers/': paper,
  'GET /papers/': page,
  'GET /papers/{paperId}': paper,
  'POST /papers/{paperId}': paper,
  'POST /papers/uploadSingleImage/{paperId}': paper,
  'POST /v1/integration-papers/papers/{paperId}/grants': ['grant'],
  'POST /v1/integration-papers/exchange': ['connectionId', 'paperId', 'name', 'token', 'callbackToken'],
  'POST /v1/integration-papers/connections/{connectionId}/content': ['requestId', 'paperId', 'messageId', 'state'],
  'GET /v1/integration-papers/connections/{connectionId}/status': ['paperId', 'name', 'state', 'deliveries'],
  'GET /v1/integration-papers/papers/{paperId}/content': ['configUrl', 'renderUrl'],
};

/** The fields of a callback that the contract does not leave to some of them. */
const callback = ['eventId', 'connectionId', 'paperId', 'requestId', 'messageId', 'state', 'occurredAt'];

/** Follows references and lists to the object itself; of several forms, to each. */
function objectsOf(schema: Json): Json[] {
  if (typeof schema.$ref === 'string') {
    return objectsOf(api.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Json);
  }
  const forms = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (forms !== undefined) return forms.flatMap(objectsOf);
  return schema.type === 'array' ? objectsOf(schema.items as Json) : [schema];
}

function lackOf(schema: Json, fields: readonly string[]): string[] {
  const objects = objectsOf(schema);
  return fields.filter((field) => !objects.every((one) => ((one.required ?? []) as string[]).includes(field)));
}

test('every answer of the contract requires what the contract requires', () => {
  const lacks: Record<string, unknown> = {};
  for (const [name, fields] of Object.entries(required)) {
    const [method = '', path = ''] = name.split(' ');
    const responses = api.paths[path]?.[method.toLowerCase()]?.responses as Record<string, Json> | undefined;
    const [, success] =
      Object.entries(responses ?? {}).find(([code, one]) => /^2/.test(code) && 'content' in one) ?? [];
    const content = success?.content as Record<string, { schema: Json }> | undefined;
    const schema = content?.['application/json']?.schema;
    const lack = schema === undefined ? 'has no answer' : lackOf(schema, fields);
    if (lack.length > 0) lacks[name] = lack;
  }
  assert.equal(lacks, {});
});

test('so does every callback', () => {
  const bodies = Object.values(api.webhooks).map(({ post }) => post?.requestBody as { content: Record<string, Json> });
  assert.ok(bodies.length > 0);
  for (const { content } of bodies) {
    assert.equal(lackOf(content['application/json']?.schema as Json, callback), []);
  }
});

test.run();
