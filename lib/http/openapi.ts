import 'server-only';
import { z } from 'zod';
import { type Contract, pathParameters } from '@/lib/contract';
import { PROBLEMS } from '@/lib/errors';

type Json = Record<string, unknown>;

const problem: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(PROBLEMS) },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

/** Lists the properties of a record with enumerated keys: zod puts them in `required` only. */
const nameProperties = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
  const { propertyNames, additionalProperties } = jsonSchema;
  if (typeof propertyNames !== 'object' || !propertyNames.enum || additionalProperties === undefined) return;
  jsonSchema.properties = Object.fromEntries(
    propertyNames.enum.map((name) => [String(name), additionalProperties as z.core.JSONSchema._JSONSchema]),
  );
  jsonSchema.additionalProperties = false;
  delete jsonSchema.propertyNames;
};

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override: nameProperties,
  });
  return json as Json;
};

const problemResponses = (contract: Contract, takesCursor: boolean): Json => {
  const statuses = contract.permission === 'public' ? [400, 429, 503] : [400, 401, 403, 404, 429, 503];
  if (contract.method !== 'GET') statuses.push(409, 412, 413, 423);
  if (takesCursor) statuses.push(410);
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: '#/components/responses/Problem' }]),
  );
};

const parameter = (name: string, where: 'path' | 'query', schema: unknown, required: boolean): Json => ({
  name,
  in: where,
  required,
  schema: schema ?? { type: 'string' },
});

const operationOf = (contract: Contract): Json => {
  const input = schemaOf(contract.input, 'input');
  const properties = (input.properties ?? {}) as Record<string, unknown>;
  const required = (input.required ?? []) as string[];
  const inPath = pathParameters(contract.path);
  const parameters = [...contract.path.matchAll(/\{(\w+)\}/g)].map((m) =>
    parameter(m[1]!, 'path', properties[m[1]!], true),
  );
  const rest = Object.entries(properties).filter(([name]) => !inPath.includes(name));
  const operation: Json = {
    operationId: contract.id,
    summary: contract.summary,
    'x-permission': contract.permission,
    security: contract.permission === 'public' ? [] : [{ bearer: [] }, { cookie: [] }],
  };
  if (contract.method === 'GET')
    parameters.push(
      ...rest.map(([name, schema]) => parameter(name, 'query', schema, required.includes(name))),
    );
  else if (rest.length > 0)
    operation.requestBody = {
      required: required.some((name) => !inPath.includes(name)),
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: Object.fromEntries(rest),
            required: required.filter((name) => !inPath.includes(name)),
            additionalProperties: false,
          },
        },
      },
    };
  operation.parameters = parameters;
  operation.responses = {
    // 200, or 202 when it continues as a job: the result's schema covers both.
    [contract.mayQueue ? '2XX' : String(contract.status ?? 200)]: {
      description: contract.summary,
      content: contentOf(contract),
    },
    ...problemResponses(contract, 'cursor' in properties),
  };
  return operation;
};

const contentOf = (contract: Contract): Json => {
  const schema = schemaOf(contract.result, 'output');
  if (contract.stream) return { 'text/event-stream': { schema: { type: 'string' }, 'x-event-data': schema } };
  if (schema.type === 'string') {
    const types = contract.contentType?.split(';').slice(0, 1) ?? ['text/csv', 'application/jsonl'];
    return Object.fromEntries(types.map((type) => [type, { schema }]));
  }
  return { 'application/json': { schema } };
};

/** OpenAPI 3.1 from the contracts; paths are complete from the origin. */
export const openApi = (contracts: readonly Contract[], basePath: string): Json => {
  const paths: Record<string, Json> = {};
  for (const contract of contracts) {
    const path = basePath + contract.path;
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operationOf(contract) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Keyward',
      version: '1',
      description: 'The operations console for what applications keep in Redis.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'Where this document is from.' }],
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API token.' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'next-auth.session-token' },
      },
      schemas: { Problem: problem },
      responses: {
        Problem: {
          description: 'A problem document (RFC 9457).',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  };
};
