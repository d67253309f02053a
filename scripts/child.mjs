// Child processes that never outlive their parent. Uses Node's own modules only.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

// Blocks on a pipe from the parent, which closes when the parent ends for any reason, including kill -9. Then the child
// gets SIGTERM, and SIGKILL after three seconds.
const GUARDIAN = `read -r _
kill -TERM "$1" 2>/dev/null || exit 0
n=0
while [ $n -lt 30 ] && kill -0 "$1" 2>/dev/null; do sleep 0.1; n=$((n+1)); done
kill -KILL "$1" 2>/dev/null`;

const startGuardian = (pid) => {
  const guardian = spawn('sh', ['-c', GUARDIAN, 'keyward-guardian', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guardian.on('error', () => {});
  guardian.stdin.on('error', () => {});
  guardian.unref();
  guardian.stdin.unref();
  return guardian;
};

const living = new Set();
let ending = false;

/** Whether `stopAll` was called: nothing must be started again. */
export const isEnding = () => ending;

/** Stops all children, last started first: a child ends before those it depends on. */
export const stopAll = async (graceMs) => {
  ending = true;
  for (const child of [...living].reverse()) await child.stop(graceMs);
};

/**
 * On the first signal stops all children and exits; on a second one exits immediately. Under npm the end of the parent
 * counts as a signal: npm sends SIGTERM to a shell, which dies without passing it on.
 */
export const endOnSignals = () => {
  const end = (code) => {
    if (ending) process.exit(code);
    stopAll().finally(() => process.exit(code));
  };
  for (const [signal, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 })) {
    process.on(signal, () => end(code));
  }
  const parent = process.ppid;
  if (!process.env.npm_lifecycle_event) return;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    end(143);
  }, 250);
  watch.unref();
};

/**
 * Starts `command` outside the terminal's process group, so that Ctrl-C reaches only the parent, which decides the
 * order of shutdown. `exited` resolves with `{ code, signal }` and never rejects.
 */
export const startChild = (command, args, options = {}) => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, detached: true });
  let guardian = null;
  const exited = new Promise((resolve) => {
    const settle = (result) => {
      guardian?.kill('SIGKILL');
      guardian = null;
      living.delete(started);
      resolve(result);
    };
    child.once('error', (error) => settle({ code: null, signal: null, error }));
    child.once('exit', (code, signal) => settle({ code, signal }));
  });
  if (child.pid !== undefined) guardian = startGuardian(child.pid);

  /** SIGTERM, then SIGKILL after `graceMs`; resolves when the process has ended. */
  const stop = async (graceMs = 5000) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return exited;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    const result = await exited;
    clearTimeout(timer);
    return result;
  };
  const started = { process: child, pid: child.pid, exited, stop };
  if (child.pid !== undefined) living.add(started);
  return started;
};

/** Calls `onLine` with every complete line of a stream. */
export const eachLine = (stream, onLine) => {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => {
    if (rest) onLine(rest);
  });
};

/**
 * Runs a command and appends its output to `file`. Returns whether it succeeded. A file, not a pipe: a process that the
 * command leaves running could keep a pipe open for ever.
 */
export const runInto = async (file, command, args, options = {}) => {
  const out = openSync(file, 'a');
  const child = startChild(command, args, { ...options, stdio: ['ignore', out, out] });
  closeSync(out);
  return (await child.exited).code === 0;
};
