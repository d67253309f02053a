// The only way Redis servers are started here: by tests, end-to-end tests, the demo and `npm start`. Uses Node's own
// modules only, because the demo begins before anything is installed.
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eachLine, startChild } from './child.mjs';

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 30_000;
const OWNER_FILE = 'keyward-server.json';
const SOCKET_FILE = 'redis.sock';
/** The password of a guarded server without a socket. In a file, because command lines are visible to all users. */
const CONFIG_FILE = 'redis.conf';
/** A Sentinel writes its state into its file. */
const SENTINEL_FILE = 'sentinel.conf';
/** The maximum length of a socket's path on macOS; Linux allows four bytes more. */
const MAX_SOCKET_PATH = 103;

/** The path of a program on PATH, or null. */
export const onPath = (name) => {
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // not in this folder
    }
  }
  return null;
};

/**
 * The path of redis-server or valkey-server: KEYWARD_TEST_REDIS if set, otherwise one on PATH, or null. Throws when
 * KEYWARD_TEST_REDIS is not a program, because tests would run on another version than requested.
 */
export const findRedis = () => {
  const given = process.env.KEYWARD_TEST_REDIS;
  if (!given) return onPath('redis-server') ?? onPath('valkey-server');
  try {
    accessSync(given, constants.X_OK);
  } catch {
    throw new Error(`KEYWARD_TEST_REDIS is not a program: ${given}`);
  }
  return given;
};

/** A TCP port on loopback that is free now. */
export const freePort = () =>
  new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, HOST, () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** The replies to PING and INFO of the server at `{ path }` or `{ port, password? }`; null when nothing answers. */
const greet = ({ path, port, password }) =>
  new Promise((done) => {
    const socket = connect(path ? { path } : { host: HOST, port });
    let text = '';
    const finish = (value) => {
      socket.destroy();
      done(value);
    };
    socket.setTimeout(1000, () => finish(null));
    socket.once('error', () => finish(null));
    socket.once('close', () => done(text || null));
    const login = password ? [`AUTH ${password}`] : [];
    socket.once('connect', () => socket.write([...login, 'PING', 'INFO server', ''].join('\r\n')));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (/process_id:\d+\r\n|-NOAUTH/.test(text)) finish(text);
    });
  });

const isProcess = (greeting, pid) => greeting?.includes(`process_id:${pid}\r\n`) ?? false;

/**
 * Whether the server is ready and ours: another server may have the port. A request for an unknown password counts as
 * ready (its process id cannot be read then); loading from disk does not.
 */
const isReady = async (door, pid) => {
  const greeting = await greet(door);
  if (!door.password && greeting?.includes('-NOAUTH')) return true;
  return isProcess(greeting, pid) && greeting.includes('+PONG');
};

const passwordIn = (dir) => {
  try {
    return /^requirepass (\S+)/m.exec(readFileSync(join(dir, CONFIG_FILE), 'utf8'))?.[1];
  } catch {
    return undefined;
  }
};

/** A new password: the previous one may have been sent to another process on the port of a crashed server. */
const makePassword = (dir) => {
  const file = join(dir, CONFIG_FILE);
  writeFileSync(file, `requirepass ${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return passwordIn(dir);
};

/** The process that runs in a folder and its address, as recorded there; null if none was started, or it ended. */
const ownerOf = (dir) => {
  try {
    const { pid, port } = JSON.parse(readFileSync(join(dir, OWNER_FILE), 'utf8'));
    return { pid, door: port ? { port, password: passwordIn(dir) } : { path: join(dir, SOCKET_FILE) } };
  } catch {
    return null;
  }
};

const urlOf = ({ path, port, password }) =>
  path
    ? `redis+unix://${pathToFileURL(path).pathname}`
    : `redis://${password ? `:${password}@` : ''}${HOST}:${port}`;

/** The URL of the server that runs in a folder; null if none was started, or it ended. */
export const runningServer = async (dir) => {
  const owner = ownerOf(resolve(dir));
  return owner && isProcess(await greet(owner.door), owner.pid) ? urlOf(owner.door) : null;
};

/** Refuses a folder whose server is alive: two servers on one append-only file would corrupt it. */
const claim = async (dir) => {
  const owner = ownerOf(dir);
  if (owner && isProcess(await greet(owner.door), owner.pid)) {
    throw new Error(
      `The folder ${dir} is in use by the Redis with process id ${owner.pid}. ` +
        'End the console that started it, or give this one its own store with KEYWARD_STORE_URL.',
    );
  }
};

const argumentsFor = ({ path, port, password }, dir, { appendOnly, args, sentinel }) => [
  ...(sentinel ? [join(dir, SENTINEL_FILE), '--sentinel'] : []),
  ...(password ? [join(dir, CONFIG_FILE)] : []),
  ...(path
    ? ['--port', '0', '--unixsocket', path, '--unixsocketperm', '700']
    : ['--bind', HOST, '--port', String(port)]),
  '--dir',
  dir,
  '--daemonize',
  'no',
  '--save',
  '',
  '--appendonly',
  appendOnly ? 'yes' : 'no',
  ...(appendOnly ? ['--appendfsync', 'everysec'] : []),
  ...args,
];

/** Resolves when the server answers; rejects with its last output when it ends first. */
const untilReady = async (child, door, lastWords) => {
  let ended = null;
  child.exited.then((exit) => {
    ended = exit;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (ended) break;
    if ((await isReady(door, child.pid)) && !ended) return;
    await new Promise((next) => setTimeout(next, 15));
  }
  const how = ended
    ? (ended.error?.message ?? `ended with ${ended.code ?? ended.signal}`)
    : 'did not answer in 30 s';
  if (!ended) await child.stop(1000);
  throw new Error(
    `The Redis server on ${door.path ?? `port ${door.port}`} ${how}.\n${lastWords.join('\n')}`.trim(),
  );
};

const launch = async (command, door, dir, options) => {
  const lastWords = [];
  const child = startChild(command, argumentsFor(door, dir, options));
  const hear = (line) => {
    lastWords.push(line);
    if (lastWords.length > 15) lastWords.shift();
    options.log?.(line);
  };
  eachLine(child.process.stdout, hear);
  eachLine(child.process.stderr, hear);
  await untilReady(child, door, lastWords);
  return { door, child };
};

const launchOnSomePort = async (command, dir, options, password) => {
  if (options.port !== undefined) return launch(command, { port: options.port, password }, dir, options);
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return await launch(command, { port, password }, dir, options);
    } catch (error) {
      // Another process can take a free port before it is bound.
      if (attempt === 5 || !/in use|bind/i.test(error.message)) throw error;
    }
  }
};

/** On a socket that only its owner can open; without support for sockets, on a port with a password. */
const launchGuarded = async (command, dir, options) => {
  chmodSync(dir, 0o700);
  const path = join(dir, SOCKET_FILE);
  if (options.port === undefined && Buffer.byteLength(path) <= MAX_SOCKET_PATH) {
    try {
      return await launch(command, { path }, dir, options);
    } catch (error) {
      // Not every file system supports sockets.
      if (!/unix socket/i.test(error.message)) throw error;
    }
  }
  // After a restart clients still use the previous password.
  return launchOnSomePort(command, dir, options, (options.port && passwordIn(dir)) || makePassword(dir));
};

/**
 * Starts a private server on loopback, open to every process of this machine unless `guarded`, and resolves once it
 * answers PING. Nothing is persisted unless `appendOnly`; without `dir` it runs in a temporary folder, which `stop`
 * removes. It ends with this process, even if this process is killed. Throws when there is no redis-server or it does
 * not start.
 */
export const startRedis = async (options = {}) => {
  const command = findRedis();
  if (!command) throw new Error('Neither redis-server nor valkey-server is on PATH.');
  const temporary = options.dir === undefined;
  const dir = temporary ? mkdtempSync(join(tmpdir(), 'keyward-redis-')) : resolve(options.dir);
  const removeTemporary = () => temporary && rmSync(dir, { recursive: true, force: true });
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    if (!temporary) await claim(dir);
    if (options.sentinel) writeFileSync(join(dir, SENTINEL_FILE), `${options.sentinel.join('\n')}\n`);
    const start = options.guarded ? launchGuarded : launchOnSomePort;
    const { door, child } = await start(command, dir, { args: [], ...options });
    const { port } = door;
    if (!temporary) writeFileSync(join(dir, OWNER_FILE), JSON.stringify({ pid: child.pid, port }));
    child.exited.then(removeTemporary);
    const stop = async () => {
      await child.stop();
      if (!temporary) rmSync(join(dir, OWNER_FILE), { force: true });
      removeTemporary();
    };
    return {
      url: urlOf(door),
      port,
      dir,
      pid: child.pid,
      process: child.process,
      exited: child.exited,
      stop,
    };
  } catch (error) {
    removeTemporary();
    throw error;
  }
};
