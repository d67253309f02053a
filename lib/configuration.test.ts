import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificates } from '@/scripts/testing/certificates';
import { APP_IDS } from './apps';
import { ConfigurationError, type Env, readEnv, VARIABLES } from './configuration';
import { SECRET_VARIABLES } from './configuration-files';
import { goDurationMs } from './configuration-values';

const MINIMAL = { REDIS_URL: 'redis://127.0.0.1:6379' };
const pems = certificates();
let dir: string;
let files = 0;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'keyward-env-'));
  writeFileSync(join(dir, 'catalog.yaml'), '');
  const authority = pems.authority('ca');
  const { cert, key } = authority.issue();
  for (const [name, path] of Object.entries({ ca: authority.ca, client: cert, 'client-key': key }))
    copyFileSync(path, join(dir, `${name}.pem`));
  copyFileSync(authority.issue().key, join(dir, 'other-key.pem'));
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
  pems.remove();
});

const read = (source: Record<string, string>): Env => readEnv({ ...MINIMAL, ...source }, dir);

const problems = (source: Record<string, string>, base: Record<string, string> = MINIMAL) => {
  try {
    readEnv({ ...base, ...source }, dir);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
};
const wrong = (source: Record<string, string>): string[] => problems(source).map(({ variable }) => variable);

const file = (content: string): Record<string, string> => {
  const name = `config-${++files}.yaml`;
  writeFileSync(join(dir, name), content);
  return { KEYWARD_CONFIG: name };
};
const wrongInFile = (content: string): string[] => wrong(file(content));
const one = (rest: string): string =>
  `connections:\n  - id: main\n    url: redis://h:1\n${rest.replace(/^/gm, '    ')}`;

describe('a secret in a file', () => {
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(dir, name), content);
    return name;
  };

  it('is read without the line break at its end, for every variable that holds one', () => {
    const token = 't'.repeat(40);
    expect(read({ KEYWARD_API_TOKEN_FILE: file('token', `${token}\r\n`) }).apiToken).toBe(token);
    expect(read({ KEYWARD_API_TOKEN_FILE: file('token-2', token) }).apiToken).toBe(token);
    const url = file('url', 'redis://:hunter2@127.0.0.1:6390/3\n');
    const { connections, storeUrl } = readEnv({ REDIS_URL_FILE: url, KEYWARD_STORE_URL_FILE: url }, dir);
    expect(JSON.stringify(connections)).toContain('6390');
    expect(storeUrl).toContain('6390');
    for (const name of SECRET_VARIABLES) expect(VARIABLES).toContain(name);
  });

  it('is refused where the file says nothing usable, by the name of its variable and without the secret', () => {
    const secret = 'short-secret';
    const given = {
      KEYWARD_API_TOKEN_FILE: 'nowhere',
      KEYWARD_SECRET_KEY_FILE: '.',
      NEXTAUTH_SECRET_FILE: file('empty', '\n'),
      KEYWARD_SMTP_URL_FILE: file('large', Buffer.alloc(70_000, 'x')),
      KEYWARD_AUDIT_WEBHOOK: 'https://example.org/x',
      KEYWARD_AUDIT_WEBHOOK_FILE: file('webhook', 'https://example.org/y'),
    };
    expect(problems(given).map(({ variable, found }) => [variable, found])).toEqual([
      ['KEYWARD_SECRET_KEY_FILE', 'something that is no file'],
      ['NEXTAUTH_SECRET_FILE', 'an empty file'],
      ['KEYWARD_API_TOKEN_FILE', 'no such file'],
      ['KEYWARD_AUDIT_WEBHOOK_FILE', 'KEYWARD_AUDIT_WEBHOOK too'],
      ['KEYWARD_SMTP_URL_FILE', '70000 bytes'],
    ]);
    // What is in the file is checked like any other value.
    const [problem] = problems({ KEYWARD_API_TOKEN_FILE: file('wrong', secret) });
    expect(problem?.variable).toBe('KEYWARD_API_TOKEN');
    expect(JSON.stringify(problem)).not.toContain(secret);
    expect(problems({ REDIS_URL_FILE: 'nowhere' }, {}).map(({ variable }) => variable)).toEqual([
      'REDIS_URL_FILE',
    ]);
  });
});

describe('the environment', () => {
  it('is listed whole in .env.example, from which scripts take the names', () => {
    const lines = readFileSync('.env.example', 'utf8').matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm);
    expect([...lines].map(([, name]) => name).toSorted()).toEqual(VARIABLES.toSorted());
  });

  it('needs a connection and nothing else', () => {
    const env = read({});
    expect(env).toMatchObject({
      hostname: '127.0.0.1',
      port: 3000,
      basePath: '',
      storeUrl: null,
      auditDays: 365,
    });
    expect(env.undo).toEqual({ maxKeys: 200_000, maxBytes: 268_435_456, hours: 24 });
    expect(env.connections).toHaveLength(1);
    expect(env.connections[0]).toEqual({
      id: 'main',
      name: 'main',
      environment: 'development',
      url: 'redis://127.0.0.1:6379',
      username: null,
      password: null,
      sentinel: null,
      cluster: null,
      apps: [...APP_IDS],
      catalogs: [],
      policy: null,
      readOnly: false,
      scan: { chunk: 100, pauseMs: 1, maxAddedLatencyMs: 1 },
      hawk: {
        disabledProjectsSet: 'DisabledProjectsSet',
        blacklistSet: 'BlacklistIPsSet',
        allIpsMap: 'AllIPsMap',
        currentPeriodMap: 'CurrentPeriodMap',
        threshold: 10_000,
        blacklistPeriodMs: 15_000,
        blockedPeriodMs: 5_000,
        protectedIps: [],
        eventsLimit: 0,
        eventsPeriodSeconds: 0,
      },
      approvals: { operations: [], expiresHours: 24, bound: 0.1 },
      limits: {},
      flags: { approval: 'none' },
      tls: null,
    });
  });

  it('has files of TLS for REDIS_URL and the store, by variables', () => {
    const [ca, cert, key] = ['ca.pem', 'client.pem', 'client-key.pem'];
    const env = read({
      REDIS_URL: 'rediss://h',
      REDIS_TLS_CA: ca,
      REDIS_TLS_CERT: cert,
      REDIS_TLS_KEY: key,
      KEYWARD_STORE_URL: 'rediss://s',
      KEYWARD_STORE_TLS_CA: ca,
    });
    expect(env.connections[0]?.tls).toEqual({
      ca: join(dir, ca),
      cert: join(dir, cert),
      key: join(dir, key),
    });
    expect(env.storeTls).toEqual({ ca: join(dir, ca) });
    expect(wrong({ REDIS_URL: 'rediss://h', REDIS_TLS_CA: 'missing.pem' })).toEqual(['REDIS_TLS_CA']);
    expect(wrong({ REDIS_URL: 'rediss://h', REDIS_TLS_CERT: cert })).toEqual(['REDIS_TLS_CERT']);
    expect(wrong({ REDIS_TLS_CA: ca })).toEqual(['REDIS_URL']);
    expect(wrong({ KEYWARD_STORE_URL: 'redis://s', KEYWARD_STORE_TLS_CA: ca })).toEqual([
      'KEYWARD_STORE_URL',
    ]);
    expect(wrong({ KEYWARD_STORE_URL: 'rediss://s', KEYWARD_STORE_TLS_KEY: 'catalog.yaml' })).toContain(
      'KEYWARD_STORE_TLS_KEY',
    );
  });

  it('has the Sentinels of the store, whose URL then names the primary', () => {
    const sentinels = { KEYWARD_STORE_SENTINEL_NODES: 'a:26379, b:26379' };
    const env = read({
      ...sentinels,
      KEYWARD_STORE_URL: 'rediss://user:secret@My_master-1.a/3',
      KEYWARD_STORE_SENTINEL_PASSWORD: 'p',
      KEYWARD_STORE_SENTINEL_TLS_CA: 'ca.pem',
      KEYWARD_STORE_SENTINEL_NAT_MAP: 'a:6379=outer:6379, b:6379=outer:6380',
    });
    expect(env.storeSentinel).toEqual({
      name: 'My_master-1.a',
      nodes: ['a:26379', 'b:26379'],
      username: null,
      password: 'p',
      tls: { ca: join(dir, 'ca.pem') },
      natMap: { 'a:6379': 'outer:6379', 'b:6379': 'outer:6380' },
    });
    expect(read({}).storeSentinel).toBeNull();
    for (const url of ['redis://h:6379', 'redis+unix:///tmp/s', ''])
      expect(wrong({ ...sentinels, KEYWARD_STORE_URL: url })).toEqual(['KEYWARD_STORE_URL']);
    const named = { KEYWARD_STORE_URL: 'redis://:hunter2@mymaster' };
    expect(wrong({ ...named, KEYWARD_STORE_SENTINEL_PASSWORD: 'p' })).toEqual([
      'KEYWARD_STORE_SENTINEL_NODES',
    ]);
    expect(wrong({ ...named, KEYWARD_STORE_SENTINEL_NODES: 'a' })).toEqual(['KEYWARD_STORE_SENTINEL_NODES']);
    expect(wrong({ ...named, ...sentinels, KEYWARD_STORE_SENTINEL_NAT_MAP: 'a:1' })).toEqual([
      'KEYWARD_STORE_SENTINEL_NAT_MAP',
    ]);
    const [withPort] = problems({ ...sentinels, KEYWARD_STORE_URL: 'redis://:hunter2@h:1' });
    expect(withPort?.found).toBe('(hidden)');
  });

  it('says which variables name a connection when none does', () => {
    const [problem] = problems({}, {});
    expect(problem?.variable).toBe('REDIS_URL');
    expect(problem?.expected).toContain('KEYWARD_CONFIG');
  });

  it('takes an empty variable for an unset one', () => {
    expect(read({ PORT: '', KEYWARD_APPS: '', KEYWARD_SECRET_KEY: '' }).port).toBe(3000);
  });

  it.each([
    ['localhost:6379', 'redis://localhost:6379'],
    ['[::1]:6379', 'redis://[::1]:6379'],
    ['redis://user:p%40ss@redis.example:6380/3', 'redis://user:p%40ss@redis.example:6380/3'],
    ['rediss://redis.example', 'rediss://redis.example'],
    ['redis+unix:///run/redis.sock', 'redis+unix:///run/redis.sock'],
  ])('reads the address %s', (given, url) => {
    expect(read({ REDIS_URL: given, REDIS_PASSWORD: 'x' }).connections[0]).toMatchObject({
      url,
      password: 'x',
    });
  });

  it.each([
    'http://redis:6379',
    'localhost',
    'host:99999',
    'redis://',
    'redis://h/a',
    'redis://:%zz@h',
    'redis+unix://',
    'redis+unix://tmp/redis.sock',
    'redis+unix:///redis.sock?password=x',
    'redis+sentinel://h/mymaster',
    ...['?db=3', '#3', '/3/', '/3?', '/3#', ':6379?timeout=1', ':0', ',h2', ':6379,h2:6379'].map(
      (rest) => `redis://h${rest}`,
    ),
  ])('refuses the address %s', (given) => expect(wrong({ REDIS_URL: given })).toEqual(['REDIS_URL']));

  it("reads the error collector's own variables", () => {
    const { hawk } = read({
      REDIS_DISABLED_PROJECT_SET: 'D',
      REDIS_BLACKLIST_IP_SET: 'B',
      REDIS_ALL_IPS_MAP: 'A',
      REDIS_CURRENT_PERIOD_MAP: 'C',
      BLACKLIST_THRESHOLD: '5',
      BLACKLIST_UPDATE_PERIOD: '1m30s',
      BLOCKED_PROJECTS_UPDATE_PERIOD: '300ms',
      HAWK_EVENTS_LIMIT: '100',
      HAWK_EVENTS_PERIOD: '60',
    }).connections[0]!;
    expect(hawk).toMatchObject({
      disabledProjectsSet: 'D',
      blacklistSet: 'B',
      allIpsMap: 'A',
      currentPeriodMap: 'C',
    });
    expect(hawk).toMatchObject({ threshold: 5, blacklistPeriodMs: 90_000, blockedPeriodMs: 300 });
    expect(hawk).toMatchObject({ eventsLimit: 100, eventsPeriodSeconds: 60 });
  });

  it('reads HOSTNAME only when it is an address', () => {
    expect(read({ HOSTNAME: '0.0.0.0' }).hostname).toBe('0.0.0.0');
    expect(read({ HOSTNAME: '::1' }).hostname).toBe('::1');
    expect(read({ HOSTNAME: 'a1b2c3d4' }).hostname).toBe('127.0.0.1');
  });

  it('reads the rest', () => {
    const key = Buffer.alloc(32, 7);
    const env = read({
      PORT: '8080',
      KEYWARD_APPS: 'hawk, discours',
      KEYWARD_ENVIRONMENT: 'production',
      KEYWARD_READ_ONLY: 'true',
      KEYWARD_SECRET_KEY: key.toString('base64'),
      KEYWARD_BASE_PATH: '/ops/keyward/',
      KEYWARD_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      KEYWARD_ADMIN_EMAIL: 'a@example.org',
      KEYWARD_ADMIN_PASSWORD: 'correct horse',
      KEYWARD_API_TOKEN: 't'.repeat(32),
      KEYWARD_UNDO_MAX_BYTES: '64 MiB',
      HAWK_LIMITS_DIR: '.',
      NODE_ENV: 'production',
    });
    expect(env.connections[0]).toMatchObject({
      apps: ['hawk', 'discours'],
      environment: 'production',
      readOnly: true,
    });
    expect(env.secretKey?.equals(key)).toBe(true);
    expect(env).toMatchObject({
      port: 8080,
      basePath: '/ops/keyward',
      trustedProxies: ['10.0.0.0/8', '::1'],
    });
    expect(env).toMatchObject({
      admin: { email: 'a@example.org', password: 'correct horse' },
      limitsDir: dir,
    });
    expect(env).toMatchObject({ apiToken: 't'.repeat(32), undo: { maxBytes: 67_108_864 }, production: true });
    expect(read({ KEYWARD_BASE_PATH: '/' }).basePath).toBe('');
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', '3000x'],
    ['KEYWARD_APPS', 'discours,wordpress'],
    ['KEYWARD_ENVIRONMENT', 'prod'],
    ['KEYWARD_READ_ONLY', 'perhaps'],
    ['KEYWARD_STORE_URL', 'store'],
    ['KEYWARD_SECRET_KEY', Buffer.alloc(31).toString('base64')],
    ['KEYWARD_SECRET_KEY', 'not base64 at all'],
    ['KEYWARD_API_TOKEN', 't'.repeat(31)],
    ['KEYWARD_BASE_PATH', 'keyward'],
    ['KEYWARD_BASE_PATH', '/a/../b'],
    ['KEYWARD_BASE_PATH', '/<script>'],
    ['KEYWARD_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['KEYWARD_TRUSTED_PROXIES', 'proxy.example'],
    ['KEYWARD_UNDO_MAX_KEYS', '-1'],
    ['KEYWARD_UNDO_MAX_BYTES', 'lots'],
    ['KEYWARD_UNDO_HOURS', 'a day'],
    ['KEYWARD_AUDIT_DAYS', '0'],
    ['KEYWARD_AUDIT_WEBHOOK', 'http://keyward.example/hook'],
    ['KEYWARD_AUDIT_WEBHOOK', 'https://me:hunter2@keyward.example/'],
    ['KEYWARD_AUDIT_WEBHOOK', 'ftp://127.0.0.1/'],
    ['KEYWARD_SMTP_FROM', 'nobody'],
    ['KEYWARD_ALERT_ALLOWED_NETWORKS', 'intranet'],
    ['NEXTAUTH_URL', 'keyward.example'],
    ['BLACKLIST_THRESHOLD', '0'],
    ['BLACKLIST_UPDATE_PERIOD', '15'],
    ['BLOCKED_PROJECTS_UPDATE_PERIOD', '0s'],
    ['HAWK_EVENTS_LIMIT', '1.5'],
    ['HAWK_EVENTS_PERIOD', '1.5s'],
    ['HAWK_LIMITS_DIR', 'nowhere'],
    ['HAWK_MONGODB_URI', 'http://mongo'],
    ['REDIS_ALL_IPS_MAP', 'two words'],
  ])('refuses %s=%s by name', (variable, value) => {
    expect(wrong({ [variable]: value })).toEqual([variable]);
  });

  it('wants both or neither of the admin’s variables, and no weak password', () => {
    expect(wrong({ KEYWARD_ADMIN_EMAIL: 'a@b.c' })).toEqual(['KEYWARD_ADMIN_PASSWORD']);
    expect(wrong({ KEYWARD_ADMIN_PASSWORD: 'long enough' })).toEqual(['KEYWARD_ADMIN_EMAIL']);
    expect(wrong({ KEYWARD_ADMIN_EMAIL: 'a@b.c', KEYWARD_ADMIN_PASSWORD: 'short' })).toEqual([
      'KEYWARD_ADMIN_PASSWORD',
    ]);
  });

  it('wants a sender beside a mail server, whose password it does not show', () => {
    const KEYWARD_SMTP_FROM = 'keyward@example.org';
    const mail = { KEYWARD_SMTP_URL: 'smtps://ops:hunter2@mail.example.org', KEYWARD_SMTP_FROM };
    expect(read(mail).mail).toEqual({ url: mail.KEYWARD_SMTP_URL, from: KEYWARD_SMTP_FROM });
    expect(wrong({ KEYWARD_SMTP_URL: mail.KEYWARD_SMTP_URL })).toEqual(['KEYWARD_SMTP_FROM']);
    const wrongUrls = ['https://mail.example.org', 'smtp://x:hunter2@mail.example.org/path', 'mail:25'];
    for (const url of [...wrongUrls, 'smtp://x:100%@mail.example.org']) {
      const found = problems({ KEYWARD_SMTP_URL: url, KEYWARD_SMTP_FROM });
      expect(found).toMatchObject([{ variable: 'KEYWARD_SMTP_URL', found: '(hidden)' }]);
    }
  });

  it('tells every problem at once and no secret', () => {
    const found = problems({
      REDIS_URL: 'redis://user:hunter2@host/x',
      KEYWARD_STORE_URL: 'ftp://:hunter2@store',
      KEYWARD_API_TOKEN: 'hunter2',
      KEYWARD_SECRET_KEY: 'hunter2',
      KEYWARD_ADMIN_EMAIL: 'a@b.c',
      KEYWARD_ADMIN_PASSWORD: 'hunter2',
      HAWK_MONGODB_URI: 'user:hunter2@mongo',
      NEXTAUTH_URL: 'https://me:hunter2@console?token=hunter2',
      PORT: 'x',
    });
    expect(found).toHaveLength(8);
    const { message } = new ConfigurationError(found);
    expect(message).not.toContain('hunter2');
    for (const { variable } of found) expect(message).toContain(`${variable}: found `);
    expect(message).toContain('PORT: found "x", expected a port from 1 to 65535');
    expect(message).toContain('REDIS_URL: found (hidden)');
  });
});

describe('KEYWARD_CONFIG', () => {
  it('is read whole, and a connection’s keys win over the environment', () => {
    const env = read({
      ...file(`
connections:
  - id: main
    name: Publishing
    environment: production
    url: rediss://redis.example:6380
    password: "123"
    apps: [discours, hawk]
    catalogs: [./catalog.yaml]
    readOnly: false
    scan: { chunk: 50, pauseMs: 2, maxAddedLatencyMs: 0.5 }
    hitRates: { everySeconds: 60, forSeconds: 1 }
    hawk: { blacklistSet: Bad, threshold: 7, blacklistPeriod: 20s, blockedPeriod: 5s, protectedIps: [10.0.0.0/8] }
    flags: { approval: two-person }
    tls: { ca: ./ca.pem, cert: ./client.pem, key: ./client-key.pem }
  - id: watched
    sentinel: { name: mymaster, nodes: [a:26379, b:26379] }
    hitRates: { sample: off }
  - id: sharded
    cluster: { nodes: ["[::1]:7000"] }
`),
      KEYWARD_APPS: 'qianxun',
      KEYWARD_ENVIRONMENT: 'staging',
      BLACKLIST_THRESHOLD: '9',
      REDIS_ALL_IPS_MAP: 'Everyone',
    });
    const [main, watched, sharded] = env.connections;
    expect(main).toMatchObject({
      id: 'main',
      name: 'Publishing',
      environment: 'production',
      url: 'rediss://redis.example:6380',
      password: '123',
      apps: ['discours', 'hawk'],
      catalogs: [join(dir, 'catalog.yaml')],
      scan: { chunk: 50, pauseMs: 2, maxAddedLatencyMs: 0.5 },
      hitRates: { everySeconds: 60, forSeconds: 1 },
      hawk: {
        blacklistSet: 'Bad',
        allIpsMap: 'Everyone',
        threshold: 7,
        blacklistPeriodMs: 20_000,
        protectedIps: ['10.0.0.0/8'],
      },
      flags: { approval: 'two-person' },
      tls: { ca: join(dir, 'ca.pem'), cert: join(dir, 'client.pem'), key: join(dir, 'client-key.pem') },
    });
    expect(watched).toMatchObject({ name: 'watched', environment: 'staging', apps: ['qianxun'], url: null });
    expect(watched).toMatchObject({
      sentinel: { name: 'mymaster', nodes: ['a:26379', 'b:26379'] },
      hawk: { threshold: 9 },
    });
    expect(sharded).toMatchObject({ cluster: { nodes: ['[::1]:7000'] }, sentinel: null, password: null });
  });

  it('has TLS and passwords of Sentinels, and where their addresses are reached from here', () => {
    const natMap = `{ "10.0.0.1:6379": "127.0.0.1:7001" }`;
    const sentinel = `{ name: m, nodes: ["a:26379"], username: u, password: p, tls: { ca: ./ca.pem }, natMap: ${natMap} }`;
    const [connection] = read(
      file(`connections:\n  - { id: s, tls: {}, sentinel: ${sentinel} }\n`),
    ).connections;
    expect(connection).toMatchObject({
      tls: {},
      sentinel: {
        username: 'u',
        password: 'p',
        tls: { ca: join(dir, 'ca.pem') },
        natMap: { '10.0.0.1:6379': '127.0.0.1:7001' },
      },
    });
    for (const wrong of ['{ "a:1": "b" }', '{ "a": "b:1" }', '{ "me:hunter2@a:1": "b:1" }']) {
      const wrongMap = `connections: [{ id: a, sentinel: { name: m, nodes: ["a:1"], natMap: ${wrong} } }]`;
      expect(wrongInFile(wrongMap)).toEqual([`${at}.sentinel.natMap`]);
    }
  });

  it('has approvals as a list or with settings, and limits per role', () => {
    const rulesOf = (rest: string) => {
      const { approvals, limits, flags } = read(file(one(rest))).connections[0]!;
      return { approvals, limits, flags };
    };
    const settings = { expiresHours: 24, bound: 0.1 };
    const none = { flags: { approval: 'none' }, limits: {} };
    expect(rulesOf('readOnly: false')).toEqual({ approvals: { operations: [], ...settings }, ...none });
    expect(rulesOf('approvals: [families.invalidate, guard.*]')).toEqual({
      approvals: { operations: ['families.invalidate', 'guard.*'], ...settings },
      ...none,
    });
    expect(rulesOf('approvals: { operations: [env.*, flags.*], expiresHours: 2, bound: 5% }')).toEqual({
      approvals: { operations: ['env.*'], expiresHours: 2, bound: 0.05 },
      flags: { approval: 'two-person' },
      limits: {},
    });
    expect(rulesOf('limits: { support: { sessions.revoke: 20 } }').limits).toEqual({
      support: { 'sessions.revoke': 20 },
    });
  });

  it('may be JSON', () => {
    const json = JSON.stringify({ connections: [{ id: 'j', url: 'redis://h:1' }] });
    expect(read(file(json)).connections[0]?.id).toBe('j');
  });

  it('cannot override KEYWARD_READ_ONLY', () => {
    expect(
      read({ ...file(one('readOnly: false')), KEYWARD_READ_ONLY: 'true' }).connections[0]?.readOnly,
    ).toBe(true);
  });

  const at = 'KEYWARD_CONFIG connections[0]';
  it.each([
    ['environment: prod', [`${at}.environment`]],
    ['colour: red', [`${at}.colour`]],
    ['apps: [wordpress]', [`${at}.apps`]],
    ['scan: { chunk: 0 }', [`${at}.scan.chunk`]],
    ['scan: { size: 5 }', [`${at}.scan.size`]],
    ['scan: fast', [`${at}.scan`]],
    ['hitRates: { sample: on }', [`${at}.hitRates.sample`]],
    ['hitRates: { everySeconds: 60 }', [`${at}.hitRates.forSeconds`]],
    ['hitRates: { everySeconds: 1, forSeconds: 2 }', [`${at}.hitRates.forSeconds`]],
    ['hawk: { blacklistPeriod: 15 }', [`${at}.hawk.blacklistPeriod`]],
    ['hawk: { protectedIps: [10.0.0.0/99] }', [`${at}.hawk.protectedIps`]],
    ['flags: { approval: three-person }', [`${at}.flags.approval`]],
    ['approvals: [families]', [`${at}.approvals.operations`]],
    ['approvals: { operations: [guard.*], bound: 10 }', [`${at}.approvals.bound`]],
    ['approvals: { operations: [guard.*], expiresHours: 0 }', [`${at}.approvals.expiresHours`]],
    ['limits: { evaluator: { sessions.revoke: 1 } }', [`${at}.limits.evaluator`]],
    ['limits: { support: { sessions.revoke: many } }', [`${at}.limits.support`]],
    ['tls: { ca: ./missing.pem }', [`${at}.tls.ca`, `${at}.url`]],
    ['tls: { cert: ./client.pem }', [`${at}.tls`, `${at}.url`]],
    ['tls: { cert: ./client.pem, key: ./other-key.pem }', [`${at}.tls.key`, `${at}.url`]],
    ['tls: { ca: ./catalog.yaml }', [`${at}.tls.ca`, `${at}.url`]],
    ['tls: { ca: ./ca.pem }', [`${at}.url`]],
    ['catalogs: [./missing.yaml]', [`${at}.catalogs`]],
    ['password: 123', [`${at}.password`]],
    ['cluster: { nodes: [a:1] }', [at]],
  ])('refuses %s by name', (rest, expected) => {
    expect(wrongInFile(one(rest))).toEqual(expected);
  });

  it.each([
    // A page of the console would hide that of the connection.
    ...['', '(console)', '(auth)'].flatMap((group) =>
      readdirSync(join(import.meta.dirname, '../app', group), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && /^\w/.test(entry.name))
        .map(({ name }) => name),
    ),
    'Main',
    'a/b',
    'a_b',
    'x'.repeat(65),
  ])('refuses the connection id %s', (id) =>
    expect(wrongInFile(`connections: [{ id: "${id}", url: "h:1" }]`)).toEqual([`${at}.id`]),
  );

  it('refuses an id twice, none, and a connection without an address', () => {
    expect(wrongInFile('connections: [{ id: a, url: "h:1" }, { id: a, url: "h:2" }]')).toEqual([
      'KEYWARD_CONFIG connections[1].id',
    ]);
    expect(wrongInFile('connections: [{ url: "h:1" }]')).toEqual([`${at}.id`]);
    expect(wrongInFile('connections: [{ id: a }]')).toEqual([at]);
    expect(wrongInFile('connections: [{ id: a, sentinel: { nodes: [h] } }]')).toEqual([
      `${at}.sentinel.name`,
      `${at}.sentinel.nodes`,
    ]);
  });

  it('refuses what is no list of connections', () => {
    expect(wrongInFile('connections: []')).toEqual(['KEYWARD_CONFIG connections']);
    expect(wrongInFile('connection: []')).toEqual([
      'KEYWARD_CONFIG.connection',
      'KEYWARD_CONFIG connections',
    ]);
    expect(wrongInFile('- a')).toEqual(['KEYWARD_CONFIG', 'KEYWARD_CONFIG connections']);
    expect(wrongInFile('connections: [text]')).toContain(at);
    expect(wrong({ KEYWARD_CONFIG: 'missing.yaml' })).toEqual(['KEYWARD_CONFIG']);
  });

  it('tells what is wrong side by side, each with what was found and no secret', () => {
    const content = `connections:\n  - { id: a, url: "redis://:hunter2@h/x", password: 12345, tls: {}, hue: red }\n  - { id: a, url: "h:1", apps: [hawk, 7] }\n`;
    const found = problems(file(content)).map(({ variable, found, expected }) => [variable, found, expected]);
    expect(found).toEqual([
      ['KEYWARD_CONFIG connections[0].hue', 'an unknown key', expect.stringContaining('one of id, name')],
      ['KEYWARD_CONFIG connections[0].url', '(hidden)', expect.stringContaining('host:port')],
      ['KEYWARD_CONFIG connections[0].password', '(hidden)', 'a text (numbers in quotes)'],
      ['KEYWARD_CONFIG connections[1].apps', '["hawk",7]', `any of ${APP_IDS.join(', ')}`],
      ['KEYWARD_CONFIG connections[1].id', '"a" again', 'an id of its own'],
    ]);
  });

  it('tells what does not go together by the value that is too large or missing', () => {
    const found = problems(
      file('connections: [{ id: "", url: "h:1", hitRates: { everySeconds: 1, forSeconds: 2 } }]'),
    );
    expect(found).toEqual([
      { variable: `${at}.id`, found: 'nothing', expected: expect.stringContaining('lower-case letters') },
      { variable: `${at}.hitRates.forSeconds`, found: '2', expected: 'no more than everySeconds' },
    ]);
  });

  it.each([
    'cluster: { nodes: "h:1, redis://me:hunter2@h:2" }',
    'cluster: { nodes: ["h 1", "me:hunter2@h:2"] }',
    'url: "redis://me:my hunter2@h/x"',
  ])('quotes no password from %s', (rest) => {
    const found = problems(file(`connections: [{ id: a, ${rest} }]`));
    expect(found).toHaveLength(1);
    expect(JSON.stringify(found)).not.toMatch(/hunter2|my/);
  });

  it('says which sections are no mappings, and quotes nothing from them', () => {
    const content = `connections:\n  - { id: a, url: "h:1", scan: hunter2, hawk: [hunter2], tls: 5 }\n`;
    const found = problems(file(content)).map(({ variable, found }) => [variable.split('.')[1], found]);
    expect(found).toEqual([
      ['scan', 'string'],
      ['hawk', 'a list'],
      ['tls', 'number'],
    ]);
    for (const item of ['text', 'null', '[]'])
      expect(wrong(file(`connections: [${item}, { id: a, url: "h:1" }]`))).toEqual([at]);
    expect(problems(file('connections: { password: hunter2 }'))).toEqual([
      { variable: 'KEYWARD_CONFIG connections', found: 'object', expected: 'a list of connections' },
    ]);
  });

  it('names the line of a syntax error without quoting it', () => {
    const [problem] = problems(file('connections:\n  - id: a\n    password: "hunter2\n'));
    expect(problem?.variable).toBe('KEYWARD_CONFIG');
    expect(problem?.found).toMatch(/in line \d+/);
    expect(JSON.stringify(problem)).not.toContain('hunter2');
  });
});

it('reads Go durations', () => {
  const read = ['5s', '1m30s', '300ms', '1.5h', '0', '100us'].map(goDurationMs);
  expect(read).toEqual([5000, 90_000, 300, 5_400_000, 0, 0.1]);
  expect(['', '5', 's', '5 s', '-5s', '1d', '1..5s x'].map(goDurationMs)).toEqual(Array(7).fill(null));
});
