/** The OpenAPI 3.1 document of a list of routes: it states exactly what the routes check. */
import { z } from 'zod';
import { type AnyRoute, route } from '../route.ts';
import { WrittenAnswer } from '../written-answer.ts';
import { describeRefusals, errorSchema } from './describe-refusals.ts';
import { type Components, describeSchema, type Json, type Operation } from './describe-schema.ts';
import { describeWebhook, type Webhook } from './describe-webhook.ts';

/** The document. */
export interface ApiDescription extends Json {
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<'schemas' | 'responses' | 'securitySchemes', Json>>;
}

interface Tag {
  readonly name: string;
  readonly description: string;
  /** Paths of its operations. None for a tag that the contract declares without any. */
  readonly paths?: RegExp;
}

const tags: readonly Tag[] = [
  { name: 'Users', description: 'Members of organizations, and invitations.', paths: /^\/users/ },
  { name: 'Accounts', description: 'The persons behind the users.', paths: /^\/accounts/ },
  { name: 'Organizations', description: 'What users, devices and papers belong to.', paths: /^\/organizations/ },
  { name: 'API keys', description: 'Keys that act as their owner.', paths: /^\/tokens/ },
  {
    name: 'Sessions',
    description: 'Signing in to the console, and who the caller is.',
    paths: /^\/(?:sessions|passkeys)/,
  },
  { name: 'Devices', description: 'Frames, and what is asked of them.', paths: /^\/devices|^\/iotdevice\/events/ },
  {
    name: 'Papers',
    description: 'What frames show.',
    paths: /^\/papers|^\/signed\/papers|^\/previews|^\/timed-pictures/,
  },
  {
    name: 'Deadlines',
    description: 'What is to be proven on which frames by when, how it stands, and who takes care of it.',
    paths: /^\/deadlines/,
  },
  {
    name: 'Recipes',
    description: 'What papers can show without an integration: markup and where its data come from.',
    paths: /^\/recipes|^\/hooks\/recipes/,
  },
  { name: 'Guests', description: 'What somebody without an account does with a guest link.', paths: /^\/guest/ },
  {
    name: 'Integration content',
    description: 'Grants, connections, pushed content and its delivery. Answers are never to be stored.',
    paths: /^\/v1\/(integration-papers|papers)/,
  },
  {
    name: 'Status',
    description: 'How the service is.',
    paths: /^\/iotdevice\/status|^\/service|^\/changes|^\/metrics|^\/openapi/,
  },
  { name: 'Render', description: 'Image rendering; it has no operation of its own.' },
];

const description = `A self-hosted paper display service. Every path works with and without a trailing slash. Ids are 24 lowercase
hexadecimal characters; what belongs to another organization is answered like what does not exist. Bodies are JSON unless said,
and hold no fields but those named here. At most 300 requests a minute for a key or an address.`;

const securitySchemes = {
  bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  'x-api-key': { type: 'apiKey', in: 'header', name: 'x-api-key' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'papergate_session',
    description:
      'The console’s session. It counts only together with the header x-papergate-console: 1, from the same origin.',
  },
  guestLink: {
    type: 'apiKey',
    in: 'header',
    name: 'x-guest-link',
    description: 'The secret of a guest link: what stands behind the # of its address',
  },
  connectionToken: { type: 'http', scheme: 'bearer', description: 'The content token of a connection' },
};

const security = {
  anyone: [],
  person: [{ bearerAuth: [] }, { 'x-api-key': [] }, { session: [] }],
  connection: [{ connectionToken: [] }],
  guest: [{ guestLink: [] }],
} satisfies Record<AnyRoute['access'], unknown>;

/** The routes, and one more that answers the description of them and of the calls that the service makes itself. */
export function withDescription(routes: readonly AnyRoute[], webhooks: readonly Webhook[] = []): AnyRoute[] {
  // A stranger may ask for it as often as they like: it is written once (T-113).
  let parts: readonly [before: string, after: string] | undefined;
  let written: { readonly prefix: string; readonly answer: WrittenAnswer } | undefined;
  const all: AnyRoute[] = [
    ...routes,
    route('GET /openapi.json', {
      summary: 'This description',
      access: 'anyone',
      output: z.record(z.string(), z.unknown()),
      refuses: [],
      async handle({ caller }) {
        const { prefix } = caller.origin();
        if (written?.prefix !== prefix) {
          parts ??= aroundServers(describeApi(all, webhooks));
          const [before, after] = parts;
          // Behind a proxy the paths stand below its prefix.
          const servers = JSON.stringify([{ url: prefix || '/' }]);
          written = { prefix, answer: new WrittenAnswer(Buffer.from(`${before}"servers":${servers},${after}`)) };
        }
        return written.answer;
      },
    }),
  ];
  return all;
}

/** The text of the document before and after its servers. */
function aroundServers(document: ApiDescription): readonly [before: string, after: string] {
  const text = JSON.stringify(document);
  const servers = `"servers":${JSON.stringify(document.servers)},`;
  const at = text.indexOf(servers);
  return [text.slice(0, at), text.slice(at + servers.length)];
}

/** The document. Fails for a route whose path belongs to no tag. */
export function describeApi(routes: readonly AnyRoute[], webhooks: readonly Webhook[] = []): ApiDescription {
  const components: Components = {
    schemas: { Error: errorSchema },
    responses: {},
    securitySchemes: { ...securitySchemes },
  };
  const paths: Record<string, Record<string, Operation>> = {};
  for (const one of routes) {
    const path = one.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][one.method.toLowerCase()] = describeRoute(one, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Papergate',
      version: '1.0.0',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tags.map(({ name, description }) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(webhooks.map((one) => [one.name, { post: describeWebhook(one, components) }])),
    components,
  };
}

function describeRoute(route: AnyRoute, components: Components): Operation {
  const tag = tags.find(({ paths }) => paths?.test(route.path));
  if (tag === undefined) throw new Error(`no tag has the path ${route.path}`);
  const words = route.path.split(/[/:.-]/).filter((word) => word !== '');
  return {
    operationId: route.method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join(''),
    summary: route.summary,
    tags: [tag.name],
    security: security[route.access],
    parameters: [
      ...describeParameters('path', route.params, components),
      ...(route.query === undefined ? [] : describeParameters('query', route.query, components)),
    ],
    ...(route.body === undefined ? {} : { requestBody: describeBody(route, route.body, components) }),
    responses: { ...describeSuccess(route, components), ...describeRefusals(route, components.responses) },
  };
}

function describeParameters(
  place: 'path' | 'query',
  schema: z.ZodType,
  components: Components,
): Operation['parameters'] {
  const { properties = {}, required = [] } = describeSchema(schema, 'input', components) as {
    properties?: Readonly<Record<string, Json>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...shape }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: shape,
  }));
}

function describeBody(route: AnyRoute, body: z.ZodType, components: Components): Json {
  if (route.bodyType === 'bytes') return { required: true, content: { 'application/octet-stream': {} } };
  const schema = describeSchema(body, 'input', components);
  const required = !body.safeParse({}).success;
  if (route.bodyType !== 'multipart') return { required, content: { 'application/json': { schema } } };
  const properties: Record<string, unknown> = {};
  for (const [name, { description, most = 1 }] of Object.entries(route.files ?? {})) {
    const file = { type: 'string', contentMediaType: 'application/octet-stream' };
    properties[name] =
      most === 1 ? { ...file, description } : { type: 'array', items: file, maxItems: most, description };
  }
  const form = { ...schema, properties: { ...properties, ...(schema.properties as Json | undefined) } };
  return { required: true, content: { 'multipart/form-data': { schema: form } } };
}

function describeSuccess(route: AnyRoute, components: Components): Json {
  const cookie = route.setsCookie && { 'Set-Cookie': { description: route.setsCookie, schema: { type: 'string' } } };
  if (route.status === 302) {
    const location = { Location: { description: 'Where the browser goes on', schema: { type: 'string' } } };
    return { 302: { description: 'Leads the browser on', headers: { ...location, ...cookie } } };
  }
  const headers = cookie && { headers: cookie };
  const nothing = { 204: { description: 'Done, or nothing to see', ...headers } };
  if (route.status === 204) return nothing;
  if (route.fileType !== undefined) {
    const schema = { type: 'string', contentMediaType: route.fileType };
    const name = { description: 'attachment, with a name for the file', schema: { type: 'string' } };
    const content = { [route.fileType]: { schema } };
    return { [route.status]: { description: 'The file', headers: { 'Content-Disposition': name }, content } };
  }
  const schema = describeSchema(route.output, 'output', components);
  const type = route.isEventStream === true ? 'text/event-stream' : 'application/json';
  const answer = { [route.status]: { description: 'Success', ...headers, content: { [type]: { schema } } } };
  return route.output.safeParse(undefined).success ? { ...answer, ...nothing } : answer;
}
