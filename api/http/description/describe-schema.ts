/** The parts that the OpenAPI document is made of, schemas above all. */
import { z } from 'zod';

/** JSON of the document, or of a part. */
export type Json = { readonly [name: string]: unknown };

/** One operation, as far as our own readers look into it. */
export interface Operation extends Json {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Json;
  }[];
}

/** The parts that several operations share: filled while they are described. */
export interface Components {
  readonly schemas: Record<string, unknown>;
  readonly responses: Record<string, unknown>;
  readonly securitySchemes: Record<string, unknown>;
}

/** A schema as JSON Schema; those with an id move into the components. */
export function describeSchema(schema: z.ZodType, io: 'input' | 'output', components: Components): Json {
  const {
    $schema: _,
    $defs,
    ...described
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      // Answers may grow: a client that refuses a field it does not know would break.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      delete jsonSchema.propertyNames;
      // The format expresses the same in one word.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  Object.assign(components.schemas, $defs);
  return JSON.parse(JSON.stringify(described).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
