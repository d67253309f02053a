import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ConfigurationError, readEnv } from './configuration';
import { addressOf } from './redis/client';

const dir = mkdtempSync(join(tmpdir(), 'keyward-url-'));
afterAll(() => rmSync(dir, { recursive: true }));

const refusals = (source: Record<string, string>): string => {
  try {
    readEnv({ REDIS_URL: 'h:1', ...source }, dir);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return '';
};

const inFile = (connection: object): string => {
  const config = JSON.stringify({
    connections: [
      { id: 'first', url: 'h:1' },
      { id: 'a', ...connection },
    ],
  });
  writeFileSync(join(dir, 'connections.json'), config);
  return refusals({ KEYWARD_CONFIG: 'connections.json' });
};

const RAW = ['@', '/', '?', '#', '%', ' ', '\t', '@h/', '/0@', '%4', '%ff', '#@', '?db=1#', '@h?db=3', "'@"];
const URLS = ['redis://:PASSWORD@h', 'rediss://me:PASSWORD@h:6379/3', 'redis://PASSWORD:x@h'];

const passwordsWith = (raw: string) => [`hunter2${raw}tail`, `6379${raw}tail`, `hunter2${raw}`];
const PASSWORD = /hunter2|tail/;

const expectRefusal = (text: string, place: string): void => {
  expect(text).toContain(`${place}: found (hidden), expected redis:// or rediss://`);
  expect(text).toContain('@ as %40, / as %2F, ? as %3F, # as %23, % as %25');
  expect(text).not.toMatch(PASSWORD);
};

it.each(RAW)('refuses a raw %j of a password, and shows nothing of it', (raw) => {
  for (const password of passwordsWith(raw))
    for (const url of URLS)
      expectRefusal(refusals({ REDIS_URL: url.replace('PASSWORD', password) }), 'REDIS_URL');
});

// All places have the parser of REDIS_URL, which sees every password in every URL above.
it.each(RAW)('refuses a raw %j of a password in every place', (raw) => {
  const passwords = passwordsWith(raw);
  for (const url of URLS.map((each, i) => each.replace('PASSWORD', passwords[i]!))) {
    expectRefusal(refusals({ KEYWARD_STORE_URL: url }), 'KEYWARD_STORE_URL');
    expectRefusal(inFile({ url }), 'connections[1].url');
    const lists = [
      refusals({ KEYWARD_STORE_SENTINEL_NODES: 'h:1', KEYWARD_STORE_URL: url }),
      refusals({ KEYWARD_STORE_SENTINEL_NODES: url, KEYWARD_STORE_URL: 'redis://primary' }),
      inFile({ url: undefined, cluster: { nodes: [url, 'h:1'] } }),
      inFile({ url: undefined, sentinel: { name: 'primary', nodes: `h:1,${url}` } }),
      inFile({ url: 'h:1', [url]: true }),
    ];
    for (const text of lists) expect(text).toContain('(hidden)');
    expect(lists.join('\n')).not.toMatch(PASSWORD);
  }
});

it.each(['@', '/', '?', '#', '%', ' ', ':', '[', 'ü'])('takes %s in a password that is written so', (raw) => {
  const url = `redis://me:${encodeURIComponent(`a${raw}b`)}@h/3`;
  const [main] = readEnv({ REDIS_URL: url }).connections;
  expect(addressOf(main!.url!)).toMatchObject({ host: 'h', db: 3, username: 'me', password: `a${raw}b` });
});

it('reads the database of a socket', () => {
  const { storeUrl } = readEnv({ REDIS_URL: 'h:1', KEYWARD_STORE_URL: 'redis+unix:///run/a%20b.sock?db=3' });
  expect(addressOf(storeUrl!)).toMatchObject({ path: '/run/a b.sock', db: 3 });
});
