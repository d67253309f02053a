// Child processes that never outlive their parent. Uses Node's own modules only.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';

// One per parent. It reads from a pipe which children begin and end; the pipe closes when the parent ends for any
// reason, including kill -9. Then living children get SIGTERM, and SIGKILL after three seconds.
const GUARDIAN = `living=
while read -r change pid; do
  others=
  for each in $living; do [ "$each" = "$pid" ] || others="$others $each"; done
  living=$others
  [ "$change" = end ] || living="$living $pid"
done
kill -TERM $living 2>/dev/null
n=0
while [ $n -lt 30 ]; do
  some=
  for each in $living; do kill -0 "$each" 2>/dev/null && some=1; done
  [ "$some" ] || exit 0
  sleep 0.1; n=$((n+1))
done
kill -KILL $living 2>/dev/null`;

let guardian = null;

const startGuardian = () => {
  const started = spawn('sh', ['-c', GUARDIAN, 'keyward-guardian'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  started.on('error', () => {});
  started.stdin.on('error', () => {});
  started.unref();
  started.stdin.unref();
  return started;
};

/** `change`: `begin` or `end`. */
const announce = (change, pid) => {
  guardian ??= startGuardian();
  guardian.stdin.write(`${change} ${pid}\n`);
};

const living = new Set();
let ending = false;

/** Whether `stopAll` was called: nothing may be started again. */
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
export const startChild = (command, args, { graceMs: defaultMs = 5000, ...options } = {}) => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, detached: true });
  const exited = new Promise((resolve) => {
    const settle = (result) => {
      if (child.pid !== undefined) announce('end', child.pid);
      living.delete(started);
      resolve(result);
    };
    child.once('error', (error) => settle({ code: null, signal: null, error }));
    child.once('exit', (code, signal) => settle({ code, signal }));
  });
  if (child.pid !== undefined) announce('begin', child.pid);

  /** SIGTERM, then SIGKILL after `graceMs`; resolves when the process has ended. */
  const stop = async (graceMs = defaultMs) => {
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

/** Calls `onLine` with every line of a stream. */
export const eachLine = (stream, onLine) => createInterface({ input: stream }).on('line', onLine);

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
