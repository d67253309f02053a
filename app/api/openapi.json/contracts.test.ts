import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { openApi } from '@/lib/http/openapi';
import { messages } from '@/messages/en';
import { allContracts } from './contracts';

/** The operationIds of the HTTP interface's design that this floor carries. */
const PROMISED = `
  health.live health.ready connections.list connections.test overview.get metrics.series metrics.stream families.list
  sessions.list sessions.user sessions.revoke flags.list flags.set flags.history
  flags.create flags.delete flags.describe flags.schedule flags.unschedule flags.request flags.approve flags.decline
  ofrep.evaluate ofrep.evaluateAll
  guard.blacklist.list guard.blacklist.add guard.blacklist.remove
  guard.projects.list guard.projects.block guard.projects.unblock caches.preview caches.invalidate
  jobs.list jobs.get jobs.stream jobs.cancel audit.list audit.export audit.verify audit.undo
  users.list users.create users.update account.changePassword account.signOutEverywhere
  tokens.api.list tokens.api.create tokens.api.revoke`
  .trim()
  .split(/\s+/);

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; schema: unknown }[];
  requestBody?: {
    content: Record<string, { schema: { required: string[]; additionalProperties: boolean } }>;
  };
  responses: Record<string, unknown>;
  security: unknown[];
}

const document = openApi(allContracts, '/keyward') as { paths: Record<string, Record<string, Operation>> };
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Every value under `key`, anywhere. */
const valuesOf = (value: unknown, key: string): unknown[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name === key ? [inner] : []),
    ...valuesOf(inner, key),
  ]);
};

const resolve = (ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);

describe('the description of the interface', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(JSON.stringify(document)));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('names every promised operation, each once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(allContracts.length);
    expect(PROMISED.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('gives paths complete from the origin, with every parameter declared', () => {
    for (const { path, operation } of operations) {
      expect(path.startsWith('/keyward/api/')).toBe(true);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect([path, declared.map((parameter) => parameter.name)]).toEqual([path, inPath]);
      for (const parameter of declared)
        expect(parameter).toMatchObject({ required: true, schema: expect.any(Object) });
    }
  });

  it('leads nowhere that is not in it, and says nothing with a $ref of another document', () => {
    const refs = valuesOf(document, '$ref') as string[];
    expect(refs.length).toBeGreaterThan(0);
    for (const ref of refs) expect([ref, resolve(ref) !== undefined]).toEqual([ref, true]);
    expect(valuesOf(document, '$schema')).toEqual([]);
  });

  it('has one success, the problems, who may, and no body on a GET', () => {
    for (const { path, method, operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect([path, statuses.filter((status) => status.startsWith('2')).length]).toEqual([path, 1]);
      expect(statuses).toContain('400');
      if (method === 'get') expect(operation.requestBody).toBeUndefined();
      if (operation.security.length > 0) expect(statuses).toEqual(expect.arrayContaining(['401', '403']));
      const schema = operation.requestBody?.content['application/json']?.schema;
      if (schema) expect(schema.additionalProperties).toBe(false);
    }
  });
});

it('has a route for every operation, with its method', () => {
  for (const { path, method } of allContracts) {
    const folder = path.replace(/\{(\w+)\}/g, '[$1]').replace(/^\//, '');
    const file = join(process.cwd(), 'app', folder, 'route.ts');
    expect([file, existsSync(file)]).toEqual([file, true]);
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`export const ${method}\\b`));
  }
});

it('has words in the audit log for every operation that can be refused', () => {
  const refusable = allContracts.filter(
    ({ permission }) => permission !== 'public' && permission !== 'signed-in',
  );
  const known = new Set(Object.keys(messages.audit.action).map((id) => id.replaceAll('-', '.')));
  expect(refusable.map(({ id }) => id).filter((id) => !known.has(id))).toEqual([]);
});
