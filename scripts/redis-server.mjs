// The one way to start a Redis here: tests, end-to-end runs, the demo and `npm start` use it.
// Node's own modules only, because the demo begins before anything is installed.
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { eachLine, startChild } from './child.mjs';

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 30_000;
const OWNER_FILE = 'keyward-server.json';

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

/** The path of redis-server or valkey-server, or null when neither is on PATH. */
export const findRedis = () => onPath('redis-server') ?? onPath('valkey-server');

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

/** Sends one inline command and resolves with the start of the reply, or null when nothing answers. */
const ask = (port, command, complete = /\r\n/) =>
  new Promise((done) => {
    const socket = connect({ host: HOST, port });
    let text = '';
    const finish = (value) => {
      socket.destroy();
      done(value);
    };
    socket.setTimeout(1000, () => finish(null));
    socket.once('error', () => finish(null));
    socket.once('close', () => done(text || null));
    socket.once('connect', () => socket.write(`${command}\r\n`));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (complete.test(text)) finish(text);
    });
  });

/**
 * Up and serving, and ours: another server may hold the port. A password that is asked for is an answer too
 * (then the process id cannot be read), loading from disk is not.
 */
const isReady = async (port, pid) => {
  const reply = await ask(port, 'PING');
  if (reply?.startsWith('-NOAUTH')) return true;
  if (!reply?.startsWith('+PONG')) return false;
  return (await ask(port, 'INFO server', /process_id:\d+\r\n/))?.includes(`process_id:${pid}\r\n`) ?? false;
};

/** The URL of the server that works in a folder; null where none was started there, or it was ended. */
export const runningServer = (dir) => {
  try {
    return `redis://${HOST}:${JSON.parse(readFileSync(join(dir, OWNER_FILE), 'utf8')).port}`;
  } catch {
    return null;
  }
};

/** Two servers on one append-only file would ruin it: refuse a folder whose server is alive. */
const claim = async (dir) => {
  let owner;
  try {
    owner = JSON.parse(readFileSync(join(dir, OWNER_FILE), 'utf8'));
  } catch {
    return;
  }
  const info = await ask(owner.port, 'INFO server', /process_id:\d+\r\n/);
  if (info?.includes(`process_id:${owner.pid}\r\n`)) {
    throw new Error(
      `The folder ${dir} is in use by the Redis with process id ${owner.pid} on port ${owner.port}. ` +
        'End the console that started it, or give this one its own store with KEYWARD_STORE_URL.',
    );
  }
};

const argumentsFor = (port, dir, appendOnly, args) => [
  ...['--bind', HOST, '--port', String(port), '--dir', dir, '--daemonize', 'no', '--save', ''],
  ...['--appendonly', appendOnly ? 'yes' : 'no', ...(appendOnly ? ['--appendfsync', 'everysec'] : [])],
  ...args,
];

/** Resolves when the server answers; rejects with its own last words when it ends before that. */
const untilReady = async (child, port, lastWords) => {
  let ended = null;
  child.exited.then((exit) => {
    ended = exit;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (ended) break;
    if ((await isReady(port, child.pid)) && !ended) return;
    await new Promise((next) => setTimeout(next, 15));
  }
  const how = ended
    ? (ended.error?.message ?? `ended with ${ended.code ?? ended.signal}`)
    : 'did not answer in 30 s';
  if (!ended) await child.stop(1000);
  throw new Error(`The Redis server on port ${port} ${how}.\n${lastWords.join('\n')}`.trim());
};

const launch = async (command, port, dir, options) => {
  const lastWords = [];
  const child = startChild(command, argumentsFor(port, dir, options.appendOnly, options.args));
  const hear = (line) => {
    lastWords.push(line);
    if (lastWords.length > 15) lastWords.shift();
    options.log?.(line);
  };
  eachLine(child.process.stdout, hear);
  eachLine(child.process.stderr, hear);
  await untilReady(child, port, lastWords);
  return child;
};

const launchOnSomePort = async (command, dir, options) => {
  if (options.port !== undefined)
    return { port: options.port, child: await launch(command, options.port, dir, options) };
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return { port, child: await launch(command, port, dir, options) };
    } catch (error) {
      // Between finding a free port and binding it another process can take it.
      if (attempt === 5 || !/in use|bind/i.test(error.message)) throw error;
    }
  }
};

/**
 * Starts a private server on loopback and resolves once it answers PING. Nothing is persisted unless
 * `appendOnly`; without `dir` it works in a temporary folder that `stop` removes. It ends with this process,
 * also when this process is killed. Throws when there is no server to start or it does not come up.
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
    const { port, child } = await launchOnSomePort(command, dir, { args: [], ...options });
    if (!temporary) writeFileSync(join(dir, OWNER_FILE), JSON.stringify({ pid: child.pid, port }));
    child.exited.then(removeTemporary);
    const stop = async () => {
      await child.stop();
      if (!temporary) rmSync(join(dir, OWNER_FILE), { force: true });
      removeTemporary();
    };
    const url = `redis://${HOST}:${port}`;
    return { url, port, dir, pid: child.pid, process: child.process, exited: child.exited, stop };
  } catch (error) {
    removeTemporary();
    throw error;
  }
};
