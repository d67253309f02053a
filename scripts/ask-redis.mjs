// Commands to a server on loopback, for scripts that run before anything is installed: Node's own modules only.
import { connect } from 'node:net';

const HOST = '127.0.0.1';
const ANSWER_TIMEOUT_MS = 1000;
const TIMEOUT_MS = 20_000;

const encode = (words) => {
  const parts = [Buffer.from(`*${words.length}\r\n`)];
  for (const word of words) {
    const bytes = Buffer.isBuffer(word) ? word : Buffer.from(String(word));
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'));
  }
  return Buffer.concat(parts);
};

/** The reply at a position of a text, and the position after it; null while it is incomplete. */
const decode = (text, from) => {
  const end = text.indexOf('\r\n', from);
  if (end < 0) return null;
  const line = text.slice(from + 1, end);
  const next = end + 2;
  switch (text[from]) {
    case '-':
      return { value: new Error(line), next };
    case ':':
      return { value: Number(line), next };
    case '$': {
      const after = next + Number(line);
      if (line === '-1') return { value: null, next };
      return text.length < after + 2 ? null : { value: text.slice(next, after), next: after + 2 };
    }
    case '*': {
      const value = [];
      let at = next;
      for (let i = 0; i < Number(line); i++) {
        const element = decode(text, at);
        if (!element) return null;
        value.push(element.value);
        at = element.next;
      }
      return { value, next: at };
    }
    default:
      return { value: line, next };
  }
};

/**
 * A connection to the server on a port, with a time-out of one second by default. `ask` resolves with the reply, in
 * which each character is a byte (latin1), so `Buffer.from(text, 'latin1')` is what the server sent. It rejects for an
 * error reply and after the time-out.
 */
export const openRedis = (port, timeoutMs = ANSWER_TIMEOUT_MS) => {
  const waiting = [];
  let text = '';
  let failure = null;
  const socket = connect(port, HOST);
  const end = (error) => {
    failure ??= error;
    socket.destroy();
    for (const { fail } of waiting.splice(0)) fail(failure);
  };
  socket.setNoDelay(true);
  socket.on('timeout', () => waiting.length > 0 && end(new Error(`Port ${port} does not answer.`)));
  socket.once('error', end);
  socket.once('close', () => end(new Error(`Port ${port} closed the connection.`)));
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    for (let reply = decode(text, 0); reply; reply = decode(text, 0)) {
      text = text.slice(reply.next);
      const { done, fail } = waiting.shift();
      if (reply.value instanceof Error) fail(reply.value);
      else done(reply.value);
    }
  });
  return {
    ask: (...words) =>
      new Promise((done, fail) => {
        if (failure) return fail(failure);
        waiting.push({ done, fail });
        socket.setTimeout(timeoutMs);
        socket.write(encode(words));
      }),
    close: () => end(new Error('This connection was closed.')),
  };
};

/** Sends one command to the server on a port, over a separate connection. */
export const ask = async (port, ...words) => {
  const redis = openRedis(port);
  try {
    return await redis.ask(...words);
  } finally {
    redis.close();
  }
};

/** Reads until the value is the wanted one; failed readings are repeated. Rejects after 20 s. */
export const until = async (what, read, isWanted) => {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const value = await read().catch(() => null);
    if (value !== null && isWanted(value)) return value;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${TIMEOUT_MS / 1000} s. Last: ${value}`);
    await new Promise((next) => setTimeout(next, 20));
  }
};

/** Ends servers, including those paused by SIGSTOP, which receive SIGTERM only after SIGCONT. */
export const stopServers = (servers) =>
  Promise.all(
    servers.map((server) => {
      if (server.process.exitCode === null && !server.process.signalCode) process.kill(server.pid, 'SIGCONT');
      return server.stop();
    }),
  );
