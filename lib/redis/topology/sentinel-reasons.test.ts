import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type ConnectionConfig, readEnv } from '@/lib/configuration';
import { freePort, type RedisServer, startRedis } from '@/scripts/redis-server.mjs';
import { type Authority, certificates } from '@/scripts/testing/certificates';
import { type ConnectionHandle, openConnection } from '../connections';

const made = certificates();
let ours: Authority;
let primary: RedisServer;
let gone: number;
const started: RedisServer[] = [];
const handles: ConnectionHandle[] = [];

const start = async (options: Parameters<typeof startRedis>[0]): Promise<RedisServer> => {
  const server = await startRedis(options);
  started.push(server);
  return server;
};

beforeAll(async () => {
  ours = made.authority();
  primary = await startRedis();
  gone = await freePort();
});
afterEach(async () => {
  for (const handle of handles.splice(0)) handle.topology.close();
  for (const server of started.splice(0)) await server.stop();
});
afterAll(async () => {
  made.remove();
  await primary.stop();
});

/** A Sentinel that watches `main` at a port and never takes it for down. */
const watching = async (port: number, quorum = 1, ...args: string[]): Promise<string> => {
  const lines = [
    `sentinel monitor main 127.0.0.1 ${port} ${quorum}`,
    'sentinel down-after-milliseconds main 60000',
  ];
  return `127.0.0.1:${(await start({ sentinel: lines, args })).port}`;
};

const open = (nodes: string[], change: object = {}): ConnectionHandle => {
  const [main] = readEnv({ REDIS_URL: 'redis://127.0.0.1:1' }).connections;
  const sentinel = {
    name: 'main',
    nodes,
    username: null,
    password: null,
    tls: null,
    natMap: null,
    ...change,
  };
  const handle = openConnection({ ...main!, url: null, sentinel } as ConnectionConfig);
  handles.push(handle);
  return handle;
};

/** What a read answers: the Problem's code and text, without the connection's name. */
const answerOf = async (nodes: string[], change: object = {}): Promise<string> => {
  const handle = open(nodes, change);
  const read = () =>
    handle.reader
      .read(['TYPE', Buffer.from('none')])
      .then(String, ({ code, message }) => `${code} ${message}`);
  await read();
  return (await read()).replace('Redis of connection "main": ', '');
};

it('says why no Sentinel names a primary', { tags: ['long'] }, async () => {
  const away = `127.0.0.1:${gone}`;
  const strict = await watching(primary.port, 1, '--requirepass', 'secret');
  expect(await answerOf([away])).toBe(
    `unreachable none of its Sentinels answers. ${away}: nothing is listening at its address.`,
  );
  expect(await answerOf([away, strict])).toBe(
    `auth its Sentinels refuse the user name or password that is set for them. ${strict}: it refused the user name or password.`,
  );
  expect(await answerOf([strict], { password: 'secret', name: 'other' })).toBe(
    'unreachable its Sentinels watch no primary named "other".',
  );
  expect(await answerOf([`127.0.0.1:${primary.port}`])).toMatch(
    /^not_permitted its Sentinels do not serve us\. 127.0.0.1:\d+: it does not have the command SENTINEL\.$/,
  );
  expect(await answerOf([strict], { password: 'secret' })).toBe('none');
});

it('says why TLS with a Sentinel fails', { tags: 'long' }, async () => {
  const pair = ours.issue();
  const port = await freePort();
  const tls = ['--tls-port', String(port), '--tls-cert-file', pair.cert, '--tls-key-file', pair.key];
  const plain = await watching(primary.port, 1, ...tls, '--tls-ca-cert-file', ours.ca);
  const node = `127.0.0.1:${port}`;
  expect(await answerOf([node], { tls: { ca: made.authority().ca } })).toBe(
    `tls TLS with its Sentinels fails. ${node}: its certificate is not signed by an authority that is trusted here.`,
  );
  expect(await answerOf([node], { tls: { ca: ours.ca, ...ours.issue() } })).toBe('none');
  expect(await answerOf([plain], { tls: { ca: ours.ca } })).toBe(
    `tls TLS with its Sentinels fails. ${plain}: it does not speak TLS on this port.`,
  );
});

it('says why what the Sentinels name cannot be used', { tags: 'long' }, async () => {
  const replica = await start({ args: ['--replicaof', '127.0.0.1', String(gone)] });
  const named = `127.0.0.1:${gone}`;
  const sentinel = await watching(gone);
  expect(await answerOf([sentinel])).toBe(
    `unreachable its Sentinels name ${named} as primary, which does not answer: nothing is listening at its address. ` +
      'If it has another address from here, set natMap.',
  );
  const natMap = { [named]: `127.0.0.1:${replica.port}` };
  expect(await answerOf([sentinel], { natMap })).toMatch(
    /^unreachable its Sentinels name 127.0.0.1:\d+ as primary, which is a replica\. /,
  );
  expect(await answerOf([sentinel], { natMap: { [named]: `127.0.0.1:${primary.port}` } })).toBe('none');
  expect(await answerOf([await watching(gone, 2)])).toMatch(
    /Too few of its Sentinels see each other to choose another\.$/,
  );
  const other = await watching(await freePort());
  expect(await answerOf([sentinel, other])).toMatch(/do not agree on its primary: they name .* and .*\.$/);
});
