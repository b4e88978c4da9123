/** Draws the description at `/openapi.json`. Every part of it becomes text. */

/** Makes an element with text or children. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Returns the schema that a reference names. */
function resolve(api, schema) {
  const name = schema?.$ref?.split('/').at(-1);
  return name === undefined ? (schema ?? {}) : (api.components.schemas[name] ?? {});
}

/** Describes a schema in a few words: `string`, `array of Device`, `one of a, b`. */
function typeOf(schema = {}) {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1);
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts !== undefined) return [...new Set(parts.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `array of ${typeOf(schema.items)}`;
  if (schema.contentMediaType !== undefined) return 'file';
  const type = [schema.type ?? 'any'].flat().join(' or ');
  const limits = [
    ...(schema.minimum === undefined || schema.minimum < -1e9 ? [] : [`from ${schema.minimum}`]),
    ...(schema.maximum === undefined || schema.maximum > 1e9 ? [] : [`to ${schema.maximum}`]),
    ...(schema.maxLength === undefined ? [] : [`at most ${schema.maxLength} characters`]),
    ...(schema.pattern === '^[0-9a-f]{24}$' ? ['id'] : []),
    ...(schema.format === undefined ? [] : [schema.format]),
  ];
  return limits.length === 0 ? type : `${type}, ${limits.join(' ')}`;
}

/** Makes the rows of a schema's fields; fields of inner objects are named with dots. */
function fieldsOf(api, schema, before = '', depth = 0) {
  const known = resolve(api, schema);
  const inner = known.type === 'array' ? resolve(api, known.items) : known;
  return Object.entries(inner.properties ?? {}).flatMap(([name, field]) => {
    const row = {
      name: before + name,
      type: typeOf(field),
      required: (inner.required ?? []).includes(name),
      description: field.description ?? '',
    };
    const isList = field.type === 'array' && resolve(api, field.items).properties !== undefined;
    const nested = depth < 3 ? fieldsOf(api, field, `${before}${name}${isList ? '[]' : ''}.`, depth + 1) : [];
    return [row, ...nested];
  });
}

function drawTable(title, rows) {
  if (rows.length === 0) return [];
  const lines = rows.map(({ name, type, required, description }) =>
    make(
      'tr',
      {},
      make('td', {}, make('code', {}, name)),
      make('td', {}, type),
      make('td', {}, [required ? 'required' : '', description].filter((word) => word !== '').join('; ')),
    ),
  );
  return [make('h3', {}, title), make('table', {}, ...lines)];
}

/** Describes the credential that a call needs. */
function accessOf(security) {
  const names = security.map((scheme) => Object.keys(scheme)[0]);
  if (names.length === 0) return 'Needs no credential.';
  if (names.includes('callbackToken')) return 'Sent with the callback token of the connection as bearer token.';
  return names.includes('connectionToken')
    ? 'Needs the content token of the connection as bearer token.'
    : 'Needs x-api-key, or a bearer token.';
}

function drawAnswers(api, responses) {
  const rows = Object.entries(responses).flatMap(([status, response]) => {
    const answer = response.$ref === undefined ? response : api.components.responses[response.$ref.split('/').at(-1)];
    const content = answer.content?.['application/json'];
    const examples = Object.values(content?.examples ?? {});
    if (examples.length === 0) {
      return [
        { name: status, type: content === undefined ? '' : typeOf(content.schema), description: answer.description },
      ];
    }
    return examples.map(({ value }) => ({ name: status, type: value.code, description: value.message }));
  });
  return drawTable('Answers', rows);
}

/** The fields of a body; where it has one of several forms, those of each. */
function drawBody(api, mediaType, schema = {}) {
  const forms = schema.anyOf ?? [schema];
  return forms.flatMap((form) => {
    const title = forms.length === 1 ? `Body, ${mediaType}` : `Body, ${mediaType}, ${typeOf(form)}`;
    return drawTable(title, fieldsOf(api, form));
  });
}

function drawOperation(api, method, path, operation) {
  const [mediaType, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const [success] = Object.values(operation.responses);
  const answer = success.content?.['application/json']?.schema;
  const parameters = operation.parameters.map(({ name, schema, required, description }) => ({
    name,
    required,
    type: typeOf(schema),
    description: description ?? '',
  }));
  const about = (operation.description ?? '').split('\n\n').filter((paragraph) => paragraph !== '');
  const inside = [
    ...about.map((paragraph) => make('p', {}, paragraph)),
    make('p', { class: 'note' }, accessOf(operation.security)),
    ...drawTable('Parameters', parameters),
    ...(body === undefined ? [] : drawBody(api, mediaType, body.schema)),
    ...(answer === undefined ? [] : drawTable(`Answer, ${typeOf(answer)}`, fieldsOf(api, answer))),
    ...drawAnswers(api, operation.responses),
  ];
  const line = make(
    'summary',
    {},
    make('span', { class: `method ${method}` }, method),
    make('code', {}, path),
    make('span', { class: 'says' }, operation.summary),
  );
  const drawn = make('details', { class: 'operation', id: operation.operationId }, line);
  drawn.append(make('div', { class: 'inside' }, ...inside));
  return drawn;
}

/** Draws sections by tag, in the order of the description; tags without operations are left out. */
function drawAll(api) {
  const calls = [
    ...Object.entries(api.paths),
    ...Object.entries(api.webhooks).map(([name, methods]) => [`the integration's ${name}`, methods]),
  ];
  const operations = calls.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return api.tags.flatMap(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    if (own.length === 0) return [];
    const drawn = own.map(({ method, path, operation }) => drawOperation(api, method, path, operation));
    return [make('section', {}, make('h2', {}, name), make('p', { class: 'note' }, description), ...drawn)];
  });
}

/** Hides the operations that lack one of the words. */
function search(text) {
  const words = text.toLowerCase().split(/\s+/);
  let found = 0;
  for (const section of document.querySelectorAll('section')) {
    let inSection = 0;
    for (const operation of section.querySelectorAll('.operation')) {
      const says = operation.textContent.toLowerCase();
      operation.hidden = !words.every((word) => says.includes(word));
      if (!operation.hidden) inSection++;
    }
    section.hidden = inSection === 0;
    found += inSection;
  }
  document.getElementById('found').textContent = `${found} operations`;
}

const box = document.getElementById('search');
const answer = await fetch(
  new URL('openapi.json', import.meta.url.slice(0, import.meta.url.lastIndexOf('/console/') + 1)),
);
if (answer.ok) {
  const api = await answer.json();
  document.getElementById('about').textContent = api.info.description;
  document.getElementById('operations').append(...drawAll(api));
  box.addEventListener('input', () => search(box.value));
  search(box.value);
  const named = location.hash === '' ? null : document.getElementById(location.hash.slice(1));
  if (named !== null) {
    named.open = true;
    named.scrollIntoView();
  }
} else {
  document.getElementById('found').textContent = `The description cannot be read: status ${answer.status}`;
}
