import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { actionWords } from '@/components/patterns/action-words';
import { FEATURES } from '@/lib/command/features';
import { type Contract, MAX_BODY_BYTES } from '@/lib/contract';
import { allContracts, allRoutes, registerDomains } from '@/lib/domains/all';
import { openApi } from '@/lib/http/openapi';
import { undoableCommand } from '@/lib/undo/registry';
import { messages } from '@/messages/en';
import { changesWith } from '@/scripts/drills/changes';
import { NOT_READ, READS } from '@/scripts/drills/truth-reads';
import { minimalInput } from '@/scripts/testing/minimal-input';
import { COLUMNS, ROWS, ROWS_OF_SOMETHING } from './access-table';

/** Others rely on these operations: an id in this list is never renamed or dropped. New ones may be added. */
const PROMISED = [
  'health.live health.ready connections.list connections.test overview.get history.series history.stream history.export',
  'families.list families.ttl hitRates.get hitRates.sample hitRates.sampling.get hitRates.sampling.set',
  'families.preview families.invalidate families.setTtl families.recovery',
  'flags.list flags.set flags.history flags.create flags.delete flags.describe',
  'flags.schedule flags.unschedule flags.request flags.approve flags.decline flags.withdraw',
  'ofrep.evaluate ofrep.evaluateAll',
  'env.list env.reveal env.set env.create env.rename env.delete env.history env.import env.export',
  'env.backup env.backups.list env.restore',
  'sessions.list sessions.search sessions.stats sessions.user sessions.revoke sessions.repair',
  'tokens.oauth.list tokens.oauth.revoke tokens.verification.list tokens.verification.revoke',
  'tokens.oauthStates.list tokens.oauthStates.revoke',
  'guard.blacklist.list guard.blacklist.add guard.blacklist.annotate guard.blacklist.remove',
  'guard.ips.top guard.history guard.projects.list guard.projects.block guard.projects.unblock',
  'guard.rateLimits.list guard.rateLimits.whatIf guard.rateLimits.refused guard.rateLimits.reset',
  'guard.rateLimits.repair',
  'jobs.list jobs.get jobs.stream jobs.cancel jobs.setPace audit.list audit.export audit.verify audit.status audit.undo',
  'users.list users.create users.update account.changePassword account.signOutEverywhere',
  'users.resetSecondFactor account.secondFactor account.beginApp account.confirmApp account.beginPasskey',
  'account.addPasskey account.removeSecondFactor account.createRecoveryCodes account.beginStepUp account.stepUp',
  'users.invite users.createLink users.withdrawInvitation account.invitation account.acceptInvitation',
  'tokens.api.list tokens.api.create tokens.api.revoke',
]
  .join(' ')
  .split(' ');

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; schema: unknown }[];
  requestBody?: {
    content: Record<string, { schema: { required: string[]; additionalProperties: boolean } }>;
  };
  responses: Record<string, unknown>;
  security: unknown[];
}

interface Answer {
  content: Record<string, { schema: { properties?: Record<string, unknown> } }>;
}

const document = openApi(allContracts, '/keyward') as { paths: Record<string, Record<string, Operation>> };
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** What a success holds, by name. */
const answerOf = ({ responses }: Operation): Record<string, unknown> | undefined => {
  const answer = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  return (answer as Answer | undefined)?.content['application/json']?.schema.properties;
};

/** A read that continues by a cursor is a list, whatever its items are called. */
const isList = (operation: Operation): boolean => {
  const answer = answerOf(operation) ?? {};
  return 'items' in answer || 'nextCursor' in answer;
};

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

  it('has the word of an operation first in its path', () => {
    // Pages of one server's own figures and users' accounts have one place each; `{name}` is a variable.
    const PLACES: Record<string, RegExp> = {
      slowlog: /^server/,
      latency: /^server/,
      commandstats: /^server/,
      clients: /^server/,
      connections: /^(test|capabilities)/,
      env: /^env/,
      alerts: /^alert/,
      walks: /^walk/,
      commandLine: /^command-line/,
      hitRates: /^hit-rates/,
      savedViews: /^saved-views/,
    };
    const elsewhere = allContracts.filter(({ id, path }) => {
      const [word = ''] = id.split('.');
      const [, place] = /^\/api\/v1\/connections\/\{connection\}\/(.*)/.exec(path) ?? [];
      return place !== undefined && !(PLACES[word] ?? new RegExp(`^${word}(/|$)`)).test(place);
    });
    expect(elsewhere.map(({ id, path }) => `${id} ${path}`)).toEqual([]);
  });

  it('says of a change which operations answer otherwise after it, by ids that exist', () => {
    const ids = allContracts.map(({ id }) => id);
    const known = (touched: string) => ids.some((id) => id === touched || id.startsWith(`${touched}.`));
    for (const { id, method, touches = [] } of allContracts) {
      expect([id, touches.filter((touched) => !known(touched))]).toEqual([id, []]);
      if (touches.length > 0) expect([id, method]).not.toEqual([id, 'GET']);
    }
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

  it('takes `limit` and `cursor`, and answers `nextCursor`, wherever it lists', () => {
    const lists = operations.filter(({ method, operation }) => method === 'get' && isList(operation));
    expect(lists.length).toBeGreaterThanOrEqual(19);
    for (const { operation } of lists) {
      const taken = operation.parameters.filter(({ name }) => name === 'limit' || name === 'cursor');
      expect([operation.operationId, taken.map(({ name }) => name).sort()]).toEqual([
        operation.operationId,
        ['cursor', 'limit'],
      ]);
      expect(Object.keys(answerOf(operation) ?? {})).toContain('nextCursor');
      const limit = taken.find(({ name }) => name === 'limit')!.schema;
      expect(limit).toMatchObject({ minimum: 1, maximum: 1000 });
    }
  });
});

interface Bounds {
  type?: string;
  maxLength?: number;
  pattern?: string;
  maxItems?: number;
  items?: Bounds;
  properties?: Record<string, Bounds>;
  anyOf?: Bounds[];
}

/** Roughly how many bytes of UTF-8 the schema allows a value; unbounded text counts as short. */
const mayHave = ({ type, maxLength, pattern, maxItems = 1, items, properties, anyOf }: Bounds): number => {
  if (anyOf) return Math.max(...anyOf.map(mayHave));
  if (type === 'array') return maxItems * mayHave(items ?? {});
  const fields = Object.entries(properties ?? {});
  if (fields.length > 0)
    return fields.reduce((sum, [name, schema]) => sum + name.length + mayHave(schema), 2);
  const digits = [...(pattern ?? '').matchAll(/,(\d+)\}/g)].map(([, most]) => Number(most));
  return 3 + (maxLength === undefined ? Math.max(30, ...digits) : 3 * maxLength);
};

describe('the limits of bodies', () => {
  it('are declared by whatever may be larger than the limit of all', () => {
    const bodies = allContracts.filter(({ method }) => method !== 'GET');
    const tooSmall = bodies.filter(({ input, path, maxBodyBytes }) => {
      const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Bounds;
      const body = Object.entries(properties).filter(([name]) => !path.includes(`{${name}}`));
      return maxBodyBytes === undefined && mayHave({ properties: Object.fromEntries(body) }) > MAX_BODY_BYTES;
    });
    expect(tooSmall.map(({ id }) => id)).toEqual([]);
  });
});

const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' && value !== null && 'permission' in value && 'path' in value;

/** Every contract that a schema file exports, by itself or in a group. */
const schemas = import.meta.glob<Record<string, unknown>>('/lib/**/schema.ts', { eager: true });
const declared = Object.values(schemas)
  .flatMap((exported) => Object.values(exported))
  .flatMap((value) => [value, ...Object.values((value ?? {}) as object)])
  .filter(isContract);
/** Changes of Keyward's own data; those of keys run later, or check what they need themselves (the command line). */
const OF_CONSOLE =
  /^(alerts|annotations|approvals|commandLine|metrics|overview|savedViews)\.|^analysis\.schedule|^channels\.reveal|^conventions\.(un)?waive|^entities\.check|^env\.backups|^flags\.(describe|schedule|unschedule|request|decline|withdraw)$|^guard\.blacklist\.annotate|^hitRates\.sampling/;
const commands = allRoutes.flatMap(({ command }) => command ?? []);

describe('contracts, routes and what wiring registers', () => {
  it('have a route for every contract that is declared', () => {
    const forgotten = declared.filter((contract) => !allContracts.includes(contract));
    expect(forgotten.map(({ id }) => `${id}: add its route in lib/domains`)).toEqual([]);
  });

  it('have a line in the table of who may, and none for another', () => {
    const [ids, rows] = [allContracts.map(({ id }) => id), ROWS.map(({ operation }) => operation)];
    const missing = ids
      .filter((id) => !rows.includes(id))
      .map((id) => `add ${id} to app/api/access-table.ts`);
    expect([...missing, ...rows.filter((id) => !ids.includes(id))]).toEqual([]);
    for (const { operation, access } of [...ROWS, ...ROWS_OF_SOMETHING])
      expect([operation, Object.values(access)]).toEqual([
        operation,
        COLUMNS.map(() => expect.stringMatching(/^(yes|user|hidden|no)$/)),
      ]);
  });

  it('have an input for tests that each operation takes', () => {
    const refused = allContracts.filter(
      (contract) => !contract.input.safeParse(minimalInput(contract)).success,
    );
    expect(refused.map(({ id }) => id)).toEqual([]);
  });

  it('are of folders that ARCHITECTURE.md names', () => {
    const root = join(import.meta.dirname, '../..');
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const folders = Object.keys(schemas).map((path) => path.split('/')[2]!);
    const missing = folders.filter((folder) => !text.includes(`\`${folder}\``));
    expect(missing.map((folder) => `${folder}: add it to the words of ARCHITECTURE.md`)).toEqual([]);
  });

  it('are compared by the drill of clusters, which must know the input that a read needs', () => {
    const reads = allContracts.filter(
      ({ id, method, path }) =>
        method === 'GET' && path.includes('{connection}') && !(id in READS) && !(id in NOT_READ),
    );
    const unnamed = reads.filter(({ input }) => !input.safeParse({}).success);
    expect(unnamed.map(({ id }) => `${id}: add its input to scripts/drills/truth-reads.ts`)).toEqual([]);
  });

  it('are made by the drill of limited users, where they change something of a connection', () => {
    const made = changesWith();
    const changes = allContracts.filter(
      ({ method, path }) => method !== 'GET' && path.includes('{connection}'),
    );
    const missing = changes.filter(({ id }) => !made.some((change) => change.id === id));
    expect(missing.map(({ id }) => `${id}: add it to scripts/drills/changes.ts`)).toEqual([]);
    const stale = made.filter(({ id }) => !changes.some((contract) => contract.id === id));
    expect(stale.map(({ id }) => id)).toEqual([]);
  });

  it('register every command that has an undo', () => {
    registerDomains();
    const forgotten = commands.filter(({ undo, contract }) => undo && !undoableCommand(contract.id));
    expect(forgotten.map(({ contract }) => contract.id)).toEqual([]);
  });

  it('whose change can be undone ask for the permission of a change, not of a view, to undo it', () => {
    registerDomains();
    const open = commands.filter(
      ({ undo, undoPermission, contract }) =>
        undo && /view|signed-in|public/.test(undoPermission ?? contract.permission),
    );
    expect(open.map(({ contract }) => contract.id)).toEqual([]);
  });

  it('say what a change needs of Redis, or change only what Keyward stores', () => {
    const named = new Set(FEATURES.flatMap((feature) => feature.operations));
    const unnamed = commands.flatMap(({ contract: { id, path } }) =>
      path.includes('{connection}') && !named.has(id) && !OF_CONSOLE.test(id) ? id : [],
    );
    expect(unnamed.map((id) => `${id}: add it to a feature in lib/command/features.ts`)).toEqual([]);
  });

  it('are what features stand for', () => {
    const ids = allContracts.map(({ id }) => id);
    expect(FEATURES.flatMap(({ operations }) => operations).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('have words for the audit log for every operation that can be refused, in its domain’s texts', () => {
    const refusable = allContracts.filter(
      ({ permission }) => permission !== 'public' && permission !== 'signed-in',
    );
    const words = actionWords(messages);
    const missing = refusable.map(({ id }) => id).filter((id) => !words.has(id));
    expect(missing.map((id) => `${id}: add actions.${id.replaceAll('.', '-')} to its texts`)).toEqual([]);
  });
});
