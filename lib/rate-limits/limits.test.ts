import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Long, ObjectId } from 'mongodb';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startFakeMongo } from '@/scripts/testing/fake-mongodb';
import { folderSource } from './folder';
import { addDocument, type Levels, namesOf, noLevels, resolveLimit } from './levels';
import type { LimitsSource } from './limits-source';
import { listedSource, mongoSource } from './mongodb';

const id = (n: number) => n.toString(16).padStart(24, '0');
const oid = (n: number) => ({ $oid: id(n) });
const NONE = { limit: 0, periodSeconds: 0 };
const [PLAN, EMPTY_PLAN, FREE_PLAN, WORKSPACE, BARE, ORPHAN_WORKSPACE] = [1, 2, 3, 11, 12, 13];

const PLANS = [
  { _id: oid(PLAN), name: 'Basic', rateLimitSettings: { N: 100, T: { $numberInt: '60' } } },
  { _id: oid(EMPTY_PLAN), name: 'Old' },
  { _id: oid(FREE_PLAN), rateLimitSettings: { N: 0, T: 0 } },
];
const WORKSPACES = [
  { _id: oid(WORKSPACE), tariffPlanId: oid(PLAN), rateLimitSettings: { N: { $numberLong: '500' }, T: 0 } },
  { _id: oid(BARE), tariffPlanId: oid(PLAN) },
  { _id: oid(ORPHAN_WORKSPACE), tariffPlanId: oid(99), rateLimitSettings: { N: 7, T: 7 } },
  { _id: oid(14), tariffPlanId: oid(EMPTY_PLAN), rateLimitSettings: { T: { $numberDouble: '30.0' } } },
  { _id: oid(15), tariffPlanId: oid(FREE_PLAN) },
];
const PROJECTS = [
  { _id: oid(101), workspaceId: oid(WORKSPACE), token: 'secret', rateLimitSettings: { N: 9, T: 8 } },
  { _id: oid(102), workspaceId: oid(WORKSPACE), rateLimitSettings: { N: 0, T: 0 } },
  { _id: oid(103), workspaceId: oid(BARE) },
  { _id: oid(104), workspaceId: oid(ORPHAN_WORKSPACE) },
  { _id: oid(105), workspaceId: oid(77) },
  { _id: oid(106), workspaceId: oid(77), rateLimitSettings: { N: 5 } },
  { _id: oid(107), workspaceId: oid(14) },
  { _id: oid(108), workspaceId: oid(15) },
  { _id: oid(109), workspaceId: oid(BARE), rateLimitSettings: { T: 3600 } },
  { _id: oid(110) },
];
const DEFAULT = { limit: 1000, periodSeconds: 10 };

const found = (source: { levels(): Levels }, n: number, defaults = DEFAULT) => {
  const { limit, periodSeconds, limitSource, periodSource } = resolveLimit(source.levels(), id(n), defaults);
  return [limit, periodSeconds, limitSource, periodSource];
};

it('knows what plans, workspaces and projects are called, without secrets', () => {
  const levels = noLevels();
  const token = `sk_live_${'a1B2c3D4'.repeat(4)}`;
  addDocument(levels.plans, 'plans', { _id: oid(1), name: 'Basic' });
  addDocument(levels.workspaces, 'workspaces', { _id: oid(11), tariffPlanId: oid(1), name: 7 });
  for (const [n, name] of [
    [101, 'Shop'],
    [102, token],
    [103, 'x'.repeat(500)],
  ] as const)
    addDocument(levels.projects, 'projects', { _id: oid(n), workspaceId: oid(n === 103 ? 77 : 11), name });
  expect(namesOf(levels, id(101))).toEqual({
    project: 'Shop',
    workspace: { id: id(11), name: null },
    plan: { id: id(1), name: 'Basic' },
  });
  expect(JSON.stringify(namesOf(levels, id(102)))).not.toContain(token.slice(0, 20));
  expect(namesOf(levels, id(103))).toMatchObject({ workspace: null, plan: null });
  expect(namesOf(levels, id(103)).project).toHaveLength(100);
  expect(namesOf(levels, 'nonsense')).toEqual({ project: null, workspace: null, plan: null });
});

const EXPECTED: [number, string, unknown[]][] = [
  [101, 'the project sets both', [9, 8, 'project', 'project']],
  [102, 'the workspace sets one, the plan the other', [500, 60, 'workspace', 'plan']],
  [103, 'the plan sets both', [100, 60, 'plan', 'plan']],
  [104, 'the plan is missing: the workspace does not count either', [0, 0, 'none', 'none']],
  [105, 'the workspace is missing', [0, 0, 'none', 'none']],
  [106, 'the workspace is missing, the project sets one', [5, 0, 'project', 'none']],
  [107, 'the plan sets nothing', [1000, 30, 'default', 'workspace']],
  [108, 'the plan says unlimited', [0, 0, 'plan', 'plan']],
  [109, 'the project sets the period only', [100, 3600, 'plan', 'project']],
  [110, 'the project names no workspace', [0, 0, 'none', 'none']],
  [999, 'nobody knows the project', [1000, 10, 'default', 'default']],
];

let folder: string;
const write = (level: string, content: string) => writeFile(join(folder, `${level}.json`), content);
const lines = (documents: readonly object[]) => documents.map((each) => `${JSON.stringify(each)}\n`).join('');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limits-'));
  await write('plans', lines(PLANS));
  await write('workspaces', lines(WORKSPACES));
  await write('projects', lines(PROJECTS));
});
afterEach(() => vi.useRealTimers());
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Refreshes until something holds: a source rests between two reads. */
const until = async (source: LimitsSource, holds: () => boolean) => {
  await vi.waitFor(
    async () => {
      await source.refresh();
      expect(holds()).toBe(true);
    },
    { timeout: 8000, interval: 50 },
  );
};

describe('a limit', () => {
  it.each(EXPECTED)('of %i: %s', async (n, _why, expected) => {
    const source = folderSource(folder);
    await source.refresh();
    expect(found(source, n)).toEqual(expected);
  });

  it('is found for the exact text of an id only', async () => {
    const source = folderSource(folder);
    await write('projects', lines([{ _id: 'abcdef'.repeat(4), workspaceId: oid(BARE) }]));
    await source.refresh();
    const of = (field: string) => resolveLimit(source.levels(), field, NONE).limitSource;
    expect(of('abcdef'.repeat(4))).toBe('plan');
    for (const field of ['ABCDEF'.repeat(4), `${'abcdef'.repeat(4)} `, '', '__proto__', '\xff'])
      expect(of(field)).toBe('none');
  });

  it('is that of the last of two documents with one id', () => {
    const levels = noLevels();
    const count = 50_000;
    for (let n = 0; n < count; n++)
      addDocument(levels.plans, 'plans', { _id: oid(n * 65_536), rateLimitSettings: { N: n, T: 1 } });
    addDocument(levels.plans, 'plans', { _id: oid(65_536), rateLimitSettings: { N: -1, T: 1 } });
    addDocument(levels.workspaces, 'workspaces', { _id: oid(1), tariffPlanId: oid(65_536 * 49_999) });
    addDocument(levels.workspaces, 'workspaces', { _id: oid(2), tariffPlanId: oid(65_536) });
    addDocument(levels.projects, 'projects', { _id: oid(1), workspaceId: oid(1) });
    addDocument(levels.projects, 'projects', { _id: oid(2), workspaceId: oid(2) });
    expect(levels.plans.size).toBe(count);
    expect(found({ levels: () => levels }, 1)[0]).toBe(49_999);
    expect(found({ levels: () => levels }, 2)[0]).toBe(-1);
  });
});

describe('a folder', () => {
  it.each([
    ['an array on many lines', JSON.stringify(PROJECTS, null, 2)],
    ['an array as mongoexport writes it', `[${PROJECTS.map((each) => JSON.stringify(each)).join(',\n')}]\n`],
    ['an array on one line', JSON.stringify(PROJECTS)],
    ['lines of Windows, with a mark', `\ufeff${lines(PROJECTS).replaceAll('\n', '\r\n')}`],
    ['lines without a last end', lines(PROJECTS).trimEnd()],
    ['lines between empty ones', `\n\n${lines(PROJECTS).replaceAll('\n', '\n\n')}`],
  ])('is read as %s', async (_what, content) => {
    await write('projects', content);
    const source = folderSource(folder);
    await source.refresh();
    expect(source.status()).toMatchObject({ status: 'ok', stale: false, problems: [] });
    for (const [n, , expected] of EXPECTED) expect(found(source, n)).toEqual(expected);
  });

  it('reports unusable documents, and uses the others', async () => {
    const strange = [
      '{"_id":',
      '[]',
      '{}',
      'null',
      JSON.stringify({ _id: 7, rateLimitSettings: { N: 1 } }),
      JSON.stringify({ _id: oid(201), workspaceId: oid(BARE), rateLimitSettings: { N: 1.5, T: 5 } }),
      JSON.stringify({
        _id: oid(202),
        workspaceId: oid(BARE),
        rateLimitSettings: { N: { $numberLong: 'x' } },
      }),
      JSON.stringify({ _id: oid(203), workspaceId: oid(BARE), rateLimitSettings: 'many' }),
    ];
    await write(
      'projects',
      `${lines(PROJECTS)}${strange.join('\n')}\n${lines([{ _id: oid(204), workspaceId: oid(BARE) }])}`,
    );
    const source = folderSource(folder);
    await source.refresh();
    expect(source.status().status).toBe('partial');
    expect(source.status().problems).toEqual([
      'projects.json: 8 of 19 documents cannot be used as they are; the first one, in line 11, is not JSON.',
    ]);
    expect(found(source, 101)[2]).toBe('project');
    expect(found(source, 201)).toEqual([100, 5, 'plan', 'project']);
    expect(found(source, 203)).toEqual([100, 60, 'plan', 'plan']);
    expect(found(source, 204)).toEqual([100, 60, 'plan', 'plan']);
  });

  it.each([
    ['cut inside a document', (text: string) => text.slice(0, -30)],
    ['cut between two', (text: string) => text.slice(0, text.lastIndexOf(',{') + 1)],
  ])('names an array that is %s', async (_what, cut) => {
    await write('projects', cut(JSON.stringify(PROJECTS)));
    const source = folderSource(folder);
    await source.refresh();
    expect(source.status().problems[0]).toMatch(
      /^projects\.json: [12] of \d+ documents .*(not JSON|inside the list)/,
    );
    expect(found(source, 109)[2]).toBe('plan');
  });

  it('is read again only when a file changes', { tags: ['long'] }, async () => {
    const source = folderSource(folder);
    await source.refresh();
    const version = source.version();
    await source.refresh();
    expect(source.version()).toBe(version);
    await write('plans', lines([{ _id: oid(PLAN), rateLimitSettings: { N: 55, T: 5 } }]));
    await until(source, () => source.version() > version);
    expect(found(source, 103)).toEqual([55, 5, 'plan', 'plan']);
  });

  it('keeps the last known limits, and says so, while a file is missing, broken or empty', {
    tags: 'long',
  }, async () => {
    const source = folderSource(folder);
    await source.refresh();
    const before = source.status().at!;
    await rm(join(folder, 'plans.json'));
    await until(source, () => source.status().stale);
    expect(source.status()).toMatchObject({
      status: 'partial',
      problems: ['plans.json is missing: its last known limits apply.'],
    });
    expect(source.status().at).toBeGreaterThanOrEqual(before);
    expect(found(source, 103)).toEqual([100, 60, 'plan', 'plan']);

    await write('workspaces', 'nothing of it\n');
    await write('projects', '');
    await until(source, () => source.status().problems.length === 3);
    expect(source.status()).toMatchObject({ status: 'unavailable', stale: true });
    expect(source.status().problems.slice(1)).toEqual([
      'workspaces.json has no readable document: its last known limits apply.',
      'projects.json is empty: its last known limits apply.',
    ]);
    for (const [n, , expected] of EXPECTED) expect(found(source, n)).toEqual(expected);

    await rename(folder, `${folder}-away`);
    await until(
      source,
      () => source.status().problems[2] === 'projects.json is missing: its last known limits apply.',
    );
    for (const [n, , expected] of EXPECTED) expect(found(source, n)).toEqual(expected);
    const { at } = source.status();
    await source.refresh();
    expect(source.status().at).toBe(at);

    await mkdir(folder);
    await write('plans', lines(PLANS));
    await write('workspaces', lines(WORKSPACES));
    await write('projects', lines(PROJECTS));
    await until(source, () => source.status().status === 'ok');
    expect(source.status()).toMatchObject({ stale: false, problems: [] });
  });

  it.each([
    ['lines', (text: string) => text],
    ['an array', (text: string) => `[${text.trimEnd().replaceAll('\n', ',\n')}]`],
  ])(
    'keeps the last known limits while a file of %s is being written',
    { tags: 'long' },
    async (_what, form) => {
      const source = folderSource(folder);
      await source.refresh();
      const version = source.version();
      const next = form(lines([...PROJECTS, { _id: oid(300), workspaceId: oid(BARE) }]));
      await write('projects', next.slice(0, next.length / 2));
      await until(source, () => source.status().stale);
      expect(source.status().problems).toEqual([
        'projects.json ends inside a document: its last known limits apply.',
      ]);
      for (const [n, , expected] of EXPECTED) expect(found(source, n)).toEqual(expected);
      await write('projects', next);
      await until(source, () => source.version() > version);
      expect(source.status()).toMatchObject({ status: 'ok', stale: false });
      expect(found(source, 300)[2]).toBe('plan');
    },
  );

  it('that lacks a file from the beginning uses the default for unknown levels', async () => {
    await rm(join(folder, 'projects.json'));
    await mkdir(join(folder, 'projects.json'));
    const source = folderSource(folder);
    expect(source.status().status).toBe('loading');
    await source.refresh();
    expect(source.status()).toMatchObject({ status: 'partial', stale: false });
    expect(source.status().problems).toEqual(['projects.json is a folder.']);
    expect(found(source, 101)).toEqual([1000, 10, 'default', 'default']);
  });

  it('never shows a path', async () => {
    await rm(folder, { recursive: true });
    const source = folderSource(folder);
    await source.refresh();
    expect(source.status()).toMatchObject({ status: 'unavailable', at: null });
    expect(JSON.stringify(source.status())).not.toContain('limits-');
  });

  it('does not block other work while it reads a large file', { tags: ['long'] }, async () => {
    const many = Array.from({ length: 60_000 }, (_, n) => ({ _id: oid(1000 + n), workspaceId: oid(BARE) }));
    await write('projects', lines(many));
    const source = folderSource(folder);
    const reading = source.refresh();
    let turns = 0;
    let over = false;
    void reading.then(() => {
      over = true;
    });
    while (!over) {
      await new Promise(setImmediate);
      turns += 1;
    }
    expect(source.levels().projects.size).toBe(60_000);
    expect(turns).toBeGreaterThan(20);
  });
});

describe('MongoDB', () => {
  const documents = {
    plans: [
      { _id: new ObjectId(id(PLAN)), rateLimitSettings: { N: 100, T: Long.fromString('9007199254740993') } },
    ],
    workspaces: [{ _id: new ObjectId(id(BARE)), tariffPlanId: new ObjectId(id(PLAN)) }],
    projects: [
      { _id: new ObjectId(id(103)), workspaceId: new ObjectId(id(BARE)) },
      { _id: new ObjectId(id(104)), workspaceId: 5, rateLimitSettings: { N: 'many' } },
    ],
  };

  it('is read through the driver; while it fails the last known limits stay, with their age', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    let down = false;
    const source = listedSource(async function* (level) {
      if (down)
        throw Object.assign(new Error('mongodb://user:hunter2@host refused'), { name: 'MongoNetworkError' });
      yield* documents[level];
    });
    expect(source.status().status).toBe('loading');
    await source.refresh();
    expect(found(source, 103)).toEqual([100, 9_007_199_254_740_992, 'plan', 'plan']);
    expect(source.status()).toEqual({
      status: 'partial',
      stale: false,
      at: 1_000_000,
      problems: [
        'MongoDB: of plans, 1 cannot be used as they are; the first one has a limit beyond 2^53, which is rounded.',
        'MongoDB: of projects, 1 cannot be used as they are; the first one has an N that is not a whole number.',
      ],
    });
    down = true;
    vi.setSystemTime(1_050_000);
    await source.refresh();
    expect(source.status().stale).toBe(false);
    vi.setSystemTime(1_060_000);
    await source.refresh();
    expect(source.status()).toMatchObject({ status: 'unavailable', stale: true, at: 1_000_000 });
    expect(source.status().problems[0]).toBe(
      'MongoDB is unavailable: it is unreachable. The last known limits apply.',
    );
    expect(found(source, 103)[0]).toBe(100);
    down = false;
    vi.setSystemTime(1_066_000);
    await source.refresh();
    expect(source.status()).toMatchObject({ stale: false, at: 1_066_000 });
  });

  it('without any document is not believed: it may be the wrong database or a restore', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    let there: Partial<typeof documents> = {};
    const source = listedSource(async function* (level) {
      yield* there[level] ?? [];
    });
    await source.refresh();
    expect(source.status()).toMatchObject({ status: 'unavailable', stale: false, at: null });
    there = documents;
    vi.setSystemTime(1_010_000);
    await source.refresh();
    there = {};
    vi.setSystemTime(1_080_000);
    await source.refresh();
    expect(source.status()).toMatchObject({ status: 'unavailable', stale: true, at: 1_010_000 });
    expect(source.status().problems[0]).toContain('no plans, workspaces or projects');
    expect(found(source, 103)[0]).toBe(100);
  });

  it('is read with the needed fields only, and again after it was unreachable', {
    tags: 'long',
  }, async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    const first = await startFakeMongo(documents);
    const { port } = first;
    const source = mongoSource(`mongodb://127.0.0.1:${port}/hawk`);
    await source.refresh();
    expect(source.status()).toMatchObject({ stale: false, at: 1_000_000 });
    expect(found(source, 103)).toEqual([100, 9_007_199_254_740_992, 'plan', 'plan']);
    const finds = first.commands.filter((command) => 'find' in command);
    const limits = { name: 1, 'rateLimitSettings.N': 1, 'rateLimitSettings.T': 1 };
    expect(finds.map(({ find, $db, projection }) => [find, $db, projection])).toEqual([
      ['plans', 'hawk', limits],
      ['workspaces', 'hawk', { ...limits, tariffPlanId: 1 }],
      ['projects', 'hawk', { ...limits, workspaceId: 1 }],
    ]);
    await first.close();
    for (const now of [1_060_000, 1_070_000]) {
      vi.setSystemTime(now);
      await source.refresh();
      expect(source.status()).toMatchObject({ status: 'unavailable', stale: true, at: 1_000_000 });
      expect(source.status().problems[0]).toMatch(/it is unreachable\. The last known/);
      expect(found(source, 103)[0]).toBe(100);
    }
    const again = await startFakeMongo({ ...documents, plans: [] }, port);
    vi.setSystemTime(1_080_000);
    await source.refresh();
    expect(source.status()).toMatchObject({ stale: false, at: 1_080_000 });
    expect(found(source, 103)[2]).toBe('none');
    await source.close();
    await again.close();
    expect(again.commands.every((command) => 'find' in command || 'endSessions' in command)).toBe(true);
  });

  it.each([
    ['nobody listens there', 'mongodb://user:hunter2@127.0.0.1:1/hawk', 'it is unreachable'],
    [
      'the address is none',
      'mongodb://user:hunter2@127.0.0.1:99999/hawk',
      'the address in HAWK_MONGODB_URI is not valid',
    ],
  ])(
    'that is unavailable because %s is reported without its password',
    { tags: 'long' },
    async (_why, uri, reason) => {
      const source = mongoSource(uri);
      await source.refresh();
      expect(source.status()).toEqual({
        status: 'unavailable',
        stale: false,
        at: null,
        problems: [`MongoDB is unavailable: ${reason}.`],
      });
      await source.close();
    },
  );

  it('that accepts the connection and never answers times out', { tags: 'long' }, async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const source = mongoSource(`mongodb://127.0.0.1:${port}/hawk`);
    await source.refresh();
    expect(source.status().problems).toEqual(['MongoDB is unavailable: it is unreachable.']);
    await source.close();
    silent.close();
  });
});
