import { type ChildProcess, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seed } from './demo-traffic/seed';
import { findRedis, freePort, startRedis } from './redis-server.mjs';
import { type Ended, environmentOf, runCommandLine } from './testing/run-script';

const ROOT = join(import.meta.dirname, '..');
const BLOCK = /^ *```\w*\n(.*?)^ *```$/gms;
const COMMAND = /^(?:[A-Z_]+=\S+ )*(?:npm|npx|node|next|curl|redis-cli|openssl|docker|git) /;

/** The commands of a document: the lines of its blocks, and the text in backticks of its sentences. */
const commandsIn = (markdown: string): string[] => {
  const lines = [...markdown.matchAll(BLOCK)].flatMap(([, block]) =>
    block!.replaceAll(/\\\n\s*/g, '').split('\n'),
  );
  // A backtick without its partner ends with its paragraph.
  const paragraphs = markdown.replaceAll(BLOCK, '').split(/\n(?=\s*\n|[|-])/);
  const inline = paragraphs.flatMap((paragraph) =>
    [...paragraph.matchAll(/`([^`]+)`/g)].map(([, text]) => text!),
  );
  return [...lines, ...inline]
    .flatMap((text) =>
      text
        .replace(/^\s*- /, '')
        .replace(/\s+# .*$/, '')
        .replaceAll(/\s+/g, ' ')
        .split(' && '),
    )
    .map((text) => text.trim())
    .filter((text) => COMMAND.test(`${text} `));
};

interface Run {
  /** What is run instead, if the command has a placeholder or does the same for minutes. */
  as?: string;
  /** Variables and files that the sentence beside it requires. */
  env?: Record<string, string>;
  files?: Record<string, string>;
  status?: number | 'any';
  says: RegExp;
}

const CATALOG = readFileSync(join(ROOT, 'scripts/testing/catalogs/shop.yaml'), 'utf8');
const POLICY = 'rules: { ttl-required: warning }\n';

/** REDIS_URL and the store's variables are those of the test; `sh` replaces them. */
const RUNS: Record<string, Run> = {
  'npm run catalog -- check catalog.yaml': {
    files: { 'catalog.yaml': CATALOG },
    says: /3 families, 3 roles/,
  },
  'npm run conventions': { env: { REDIS_URL: 'redis://…' }, status: 1, says: /ttl-required/ },
  'npm run audit:verify -- --head 1234:…': {
    as: `npm run audit:verify -- --head 1234:${'A'.repeat(43)}`,
    env: { KEYWARD_STORE_URL: 'redis://…/1' },
    status: 1,
    says: /BROKEN/,
  },
  'npm run accounts:seal': {
    env: { KEYWARD_STORE_URL: 'redis://…/1', REDIS_URL: 'redis://…' },
    says: /there is nothing to seal/,
  },
  'npm run doctor': {
    env: { KEYWARD_STORE_URL: 'redis://…/1', REDIS_URL: 'redis://…' },
    says: /^ok +connection main: .* every feature works$/m,
  },
  'npm run user -- add ann@example.org --role admin': {
    env: { KEYWARD_STORE_URL: 'redis://…/1' },
    says: /Created ann@example\.org \(admin\)/,
  },
  'npm run user -- reset ann@example.org': {
    env: { KEYWARD_STORE_URL: 'redis://…/1' },
    says: /ann@example\.org \(admin\) can set a new password; all sessions ended/,
  },
  'npm run backup -- keyward.backup': {
    env: { KEYWARD_STORE_URL: 'redis://…/1' },
    says: /Wrote \d+ keys to/,
  },
  'npm run restore -- keyward.backup': {
    env: { KEYWARD_STORE_URL: 'redis://…/1' },
    files: { 'keyward.backup': '{}' },
    status: 1,
    says: /This file is no backup of a store/,
  },
  'openssl rand -base64 32 > secrets/secret-key': {
    files: { 'secrets/secret-key': '' },
    says: /^$/,
  },
  'openssl rand -base64 32 > secrets/nextauth-secret': {
    files: { 'secrets/nextauth-secret': '' },
    says: /^$/,
  },
  'openssl rand -hex 24 > secrets/store-password': {
    files: { 'secrets/store-password': '' },
    says: /^$/,
  },
  'npm start': { status: 1, says: /REDIS_URL: found nothing/ },
  'node scripts/vocabulary.mjs lib/audit messages': { says: /^/ },
  'npm run drills': {
    as: 'npm run drills none',
    status: 1,
    says: /No drill matches "none"\. Drills: .*failover/,
  },
};

/** The same scripts with other arguments: the second tier. */
const FURTHER_RUNS: Record<string, Run> = {
  'npm run catalog -- check catalog.yaml --url redis://…': {
    files: { 'catalog.yaml': CATALOG },
    says: /\d % of [\d,]+ keys are classified/,
  },
  'npm run --silent catalog -- infer --url redis://… --app shop --out catalog.yaml': {
    says: /1 family for [\d.]+ % of \d+ keys without a family/,
  },
  'npm run --silent conventions -- --url redis://… --policy policy.yaml --fail-on error': {
    files: { 'policy.yaml': POLICY },
    status: 1,
    says: /error/,
  },
  'npm run --silent conventions -- --format sarif --out conventions.sarif': {
    env: { REDIS_URL: 'redis://…' },
    status: 1,
    says: /^$/,
  },
  "npm run --prefix keyward conventions -- --catalog shop/redis.yaml --policy shop/policy.yaml --apps '' --format junit --out conventions.xml":
    {
      env: { REDIS_URL: 'redis://…' },
      files: { 'shop/redis.yaml': CATALOG, 'shop/policy.yaml': POLICY },
      status: 1,
      says: /^/,
    },
  'npm run bench [filter]': { as: 'npm run bench none', says: /matches "none"/ },
  'npm run drills [filter]': { as: 'npm run drills none', status: 1, says: /No drill matches "none"/ },
};

const listed = (line: string, file: string): Run => ({ as: line, says: new RegExp(file) });
const vitest = (paths: string, file: string): Run => listed(`npx vitest list --filesOnly ${paths}`, file);

/** Seconds of processor time each: the second tier. */
const DEAR_RUNS: Record<string, Run> = {
  'npm run types': { says: /^/ },
  'npm run lint': { says: /Checked \d+ files/ },
  'npm run rules': { says: / 0 broken rules/ },
  'npx biome check --write .': { as: 'npx biome check .', says: /Checked \d+ files/ },
  'npx vitest run lib/flags': vitest('lib/flags', 'lib/flags/flags.test.ts'),
  'npx vitest run lib/keyspace components/sentences.test.ts': vitest(
    'lib/keyspace components/sentences.test.ts',
    'components/sentences.test.ts',
  ),
  'npx vitest run app components': vitest('app components', 'components/messages.test.ts'),
  'npx vitest run app/api/operations components/messages.test.ts components/shell': vitest(
    'app/api/operations components/messages.test.ts components/shell',
    'app/api/operations.test.ts',
  ),
  'KEYWARD_TEST_REDIS=/path/to/redis-server npx vitest run lib/redis': {
    as: `KEYWARD_TEST_REDIS=${findRedis()} npx vitest run lib/redis/tls.test.ts`,
    says: /Tests .*passed/,
  },
  'KEYWARD_TEST_REDIS=/path/to/valkey-server npx vitest run lib/redis': vitest(
    'lib/redis',
    'lib/redis/tls.test.ts',
  ),
  'npx playwright test': listed('npx playwright test --list', 'accessibility.spec.ts'),
  'npx playwright test e2e/flags.spec.ts': listed(
    'npx playwright test e2e/flags.spec.ts --list',
    'flags.spec.ts',
  ),
  'KEYWARD_PICTURES=1 npm run e2e': listed(
    'KEYWARD_PICTURES=1 npm run e2e -- --list',
    'accessibility.spec.ts',
  ),
  // Its limits may be missed beside other tests.
  'npm run bench keyspace': { says: /baseline/, status: 'any' },
};

const MARK_DEPLOY = `curl -X POST https://keyward.example/api/v1/connections/main/annotations \
-H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
-d '{"at": "'"$(date -u +%FT%TZ)"'", "text": "Deploy 1.4.2", "href": "https://ci.example/builds/42"}'`;

/** Commands that serve; the commands that need them run once they report that they are ready. */
const SERVING: Record<
  string,
  { says: RegExp; env?: Record<string, string>; meanwhile?: Record<string, Run> }
> = {
  'REDIS_URL=redis://… npm start': {
    says: /Ready: Keyward at/,
    env: { KEYWARD_API_TOKEN: 'x'.repeat(40) },
    meanwhile: {
      'redis-cli -s .keyward/store/redis.sock': {
        as: 'redis-cli -s $KEYWARD_STATE_DIR/store/redis.sock PING',
        says: /PONG/,
      },
      'curl -H "Authorization: Bearer $TOKEN" https://keyward.example/api/v1/connections/main/flags': {
        says: /"items":\[/,
      },
      [MARK_DEPLOY]: { says: /Deploy 1\.4\.2/ },
    },
  },
  'npm run demo': { says: /Ready in \d+ s/ },
  'npm run demo -- --sentinel': { says: /Ready in \d+ s/ },
  'npm run demo -- --cluster': { says: /Ready in \d+ s/ },
};

/** Why the others are not run. */
const NOT_RUN: Record<string, string> = {
  'npm test': 'it runs this test',
  'npm test -- --slowest': 'it runs this test',
  'npm run test:all': 'it runs this test',
  'npm ci': 'it would remove the packages that run this test',
  'npm ci --prefix keyward': 'it would remove the packages that run this test',
  'npm test --prefix shop': 'the tests of an application of the reader',
  'npm run drills failover': 'minutes of a console in production; `npm run drills none` loads what runs it',
  'npm run drills rolling': 'as above: `e2e/rolling-upgrade.long.spec.ts` runs it',
  'npm run pack': '`scripts/pack.long.test.ts` runs it',
  'npm install -g .keyward/package/keyward-0.1.0.tgz':
    '`scripts/pack.long.test.ts` installs it into a folder of its own',
  'docker compose up --build':
    'there is no container engine; `scripts/container.long.test.ts` runs the steps of the Dockerfile',
  'next dev': 'the sentence is about what to start beside it; `npm start` runs the same console',
  'node scripts/page-weight.mjs .next-test': '`npm test` runs it, because it needs that build',
};

const folder = mkdtempSync(join(tmpdir(), 'keyward-commands-'));
let url: string;
let stop: () => Promise<unknown>;

beforeAll(async () => {
  const server = await startRedis();
  stop = server.stop;
  url = server.url;
  const redis = new Redis(url);
  await seed(redis, { seed: 1, now: Date.now });
  const pipeline = redis.pipeline();
  for (let i = 0; i < 600; i++) pipeline.set(`basket:${i}`, '1', 'EX', 3600);
  await pipeline.exec();
  redis.disconnect();
}, 60_000);
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A checkout for one command, so that its files do not stay in ours. */
const checkout = (): string => {
  const own = mkdtempSync(join(folder, 'checkout-'));
  for (const name of readdirSync(ROOT))
    if (!/^\.|^(test-results|playwright-report)$/.test(name)) symlinkSync(join(ROOT, name), join(own, name));
  symlinkSync(ROOT, join(own, 'keyward'));
  return own;
};

const given = (variables: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, filled(value)]));
const filled = (text: string): string => text.replaceAll('redis://…', url);

const run = async (command: string, { as, env, files = {} }: Run, cwd = checkout()): Promise<Ended> => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(cwd, name, '..'), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  const secret = Buffer.alloc(32).toString('base64');
  const own: Record<string, string> = env?.KEYWARD_STORE_URL
    ? { KEYWARD_SECRET_KEY: secret, NEXTAUTH_SECRET: secret }
    : {};
  return runCommandLine(filled(as ?? command), cwd, { ...own, ...given(env) });
};

const check = ({ status, output }: Ended, expected: Run): void => {
  expect(output).toMatch(expected.says);
  expect(output).not.toMatch(/^\s+at \S+ \(/m);
  if (expected.status !== 'any') expect(status).toBe(expected.status ?? 0);
};

it('has a run of every command of the documents, or says why not', () => {
  const names = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const docs = names.map((name) => join('docs', name));
  const documented = ['README.md', 'CONTRIBUTING.md', ...docs].map((name) =>
    readFileSync(join(ROOT, name), 'utf8'),
  );
  const beside = Object.values(SERVING).flatMap(({ meanwhile = {} }) => Object.keys(meanwhile));
  const known = [RUNS, FURTHER_RUNS, DEAR_RUNS, SERVING, NOT_RUN].flatMap((runs) => Object.keys(runs));
  expect([...known, ...beside].sort()).toEqual([...new Set(documented.flatMap(commandsIn))].sort());
});

it('finds commands in blocks, in lists and within sentences', () => {
  const text =
    'Run `npm run\nx -- y`, not `lib/x`.\n\n```sh\nnpm ci && A=1 npm start   # twice\ncurl a \\\n  -b\n```\n\n- `npx z`\n';
  expect(commandsIn(text)).toEqual(['npm ci', 'A=1 npm start', 'curl a -b', 'npm run x -- y', 'npx z']);
});

describe('with an empty environment and the data of the demo', () => {
  it.each(Object.entries(RUNS))('%s', { tags: 'long' }, async (command, expected) =>
    check(await run(command, expected), expected),
  );

  it.each(Object.entries(FURTHER_RUNS))('%s', { tags: ['long'] }, async (command, expected) =>
    check(await run(command, expected), expected),
  );

  it.each(Object.entries(DEAR_RUNS))('%s', { tags: ['long'], timeout: 300_000 }, async (command, expected) =>
    check(await run(command, expected, ROOT), expected),
  );

  it.each(Object.entries(SERVING))(
    '%s',
    { tags: ['long'], timeout: 600_000 },
    async (command, { says, env, meanwhile = {} }) => {
      const state = mkdtempSync(join(folder, 'state-'));
      const port = String(await freePort());
      const child = spawn('sh', ['-c', `exec ${filled(command).replace(/^(\S+=\S+) /, 'env $1 ')}`], {
        cwd: ROOT,
        detached: true,
        env: environmentOf({ KEYWARD_STATE_DIR: state, PORT: port, ...env }),
      });
      try {
        await untilReported(child, says);
        for (const [beside, expected] of Object.entries(meanwhile)) {
          const as = (expected.as ?? beside).replace('https://keyward.example', `http://127.0.0.1:${port}`);
          const variables = { KEYWARD_STATE_DIR: state, TOKEN: env?.KEYWARD_API_TOKEN ?? '' };
          check(await run(beside, { ...expected, as, env: variables }), expected);
        }
      } finally {
        process.kill(-child.pid!, 'SIGINT');
        await new Promise((done) => child.once('close', done));
      }
    },
  );
});

const untilReported = (child: ChildProcess, says: RegExp): Promise<void> =>
  new Promise((resolve, reject) => {
    let output = '';
    const hear = (text: Buffer) => {
      output += text;
      if (says.test(output)) resolve();
    };
    child.stdout!.on('data', hear);
    child.stderr!.on('data', hear);
    child.once('exit', (code) => reject(new Error(`It ended with ${code}:\n${output}`)));
  });
