import 'server-only';
import { Problem } from '@/lib/errors';
import type { ParsedCall } from '@/lib/redis/parsed-call';
import { hasOption, nameOf } from './words';

/** Why a command is not run, and the page that does the job. */
export interface Refusal {
  /** The id of a page of the console. */
  page: string;
  reason: string;
}

/** A 400 that names the page. */
export const commandRefused = (page: string, reason: string): Problem =>
  new Problem('command_refused', reason, { extensions: { page } });

const refusal = (page: string, reason: string): Refusal => ({ page, reason });

const SERVER = refusal('server', 'It changes or reveals the server itself. The page shows its state.');
const SCRIPT = refusal(
  'keys',
  'A script may read and change any key, so no rights could be checked. Open the keys one by one.',
);
const SHARED = refusal('server', 'Others use this connection too, and it would change it for all.');
const WAITS = refusal(
  'queues',
  'It would wait, and hold up the connection that all users of the console share.',
);
const CHANNELS = refusal('channels', 'Channels are watched, and messages published, on their page.');
const ONE_STEP = refusal('keys', 'Each line is one step: it runs with its copy for undo as one transaction.');

const BY_LETTERS = refusal(
  'keys',
  'It compares members letter by letter, by which one that is masked could be found out. Use ZSCAN, or a range by score.',
);

/** By name, or by the name of the command that a subcommand belongs to. */
const BY_NAME: Readonly<Record<string, Refusal>> = {
  keys: refusal(
    'keys',
    'It reads all key names at once and blocks the server. Use SCAN, or the list of keys.',
  ),
  flushall: refusal(
    'invalidate',
    'It deletes everything, unseen. Invalidate families with a preview and undo.',
  ),
  flushdb: refusal(
    'invalidate',
    'It deletes everything, unseen. Invalidate families with a preview and undo.',
  ),
  swapdb: refusal('invalidate', 'It exchanges everything that the application sees.'),
  move: refusal('keys', 'The key would leave the database that this console shows. Export and import it.'),
  migrate: refusal(
    'keys',
    'It sends keys to a server that this console does not know. Export and import them.',
  ),
  dump: refusal('keys', 'It is the complete value in a binary form. Export the key instead.'),
  restore: refusal('keys', 'It takes binary values unseen. Import the key from a file instead.'),
  'restore-asking': refusal('keys', 'It takes binary values unseen. Import the key from a file instead.'),
  sort: refusal('keys', 'BY and GET read keys that the line does not name. Open the key and sort there.'),
  sort_ro: refusal('keys', 'BY and GET read keys that the line does not name. Open the key and sort there.'),
  hvals: refusal('keys', 'Which value is a secret follows from its field. Use HGETALL, or HSCAN.'),
  georadius: refusal('keys', 'Use GEOSEARCH, or GEOSEARCHSTORE, which names the key that it writes.'),
  georadiusbymember: refusal('keys', 'Use GEOSEARCH, or GEOSEARCHSTORE, which names the key that it writes.'),
  zrangebylex: BY_LETTERS,
  zrevrangebylex: BY_LETTERS,
  zlexcount: BY_LETTERS,
  zremrangebylex: BY_LETTERS,
  eval: SCRIPT,
  evalsha: SCRIPT,
  eval_ro: SCRIPT,
  evalsha_ro: SCRIPT,
  fcall: SCRIPT,
  fcall_ro: SCRIPT,
  script: SCRIPT,
  function: SCRIPT,
  multi: ONE_STEP,
  exec: ONE_STEP,
  discard: ONE_STEP,
  watch: ONE_STEP,
  unwatch: ONE_STEP,
  select: SHARED,
  auth: SHARED,
  hello: SHARED,
  reset: SHARED,
  quit: SHARED,
  client: SHARED,
  readonly: SHARED,
  readwrite: SHARED,
  asking: SHARED,
  wait: WAITS,
  waitaof: WAITS,
  publish: CHANNELS,
  spublish: CHANNELS,
  pubsub: CHANNELS,
  monitor: refusal('profiler', 'It sends every command with its values, and slows the server down.'),
  info: refusal('server', 'The page shows these figures, with what they mean.'),
  slowlog: refusal('server', 'The page shows the slow log with values masked.'),
  latency: refusal('server', 'The page shows latency events.'),
  memory: refusal('diagnostics', 'The page shows where memory goes. MEMORY USAGE of a key is run here.'),
  command: refusal('command-line', 'Type the name of a command: its documentation is shown beside the line.'),
  'xinfo|stream': refusal('keys', 'FULL answers entries without their fields’ rules. Open the stream.'),
  pfdebug: refusal('keys', 'It is for developers of Redis.'),
  pfselftest: refusal('diagnostics', 'It is for developers of Redis.'),
};

/** By category or flag, in this order; a command that none of them names is not known to be harmless. */
const BY_CATEGORY: readonly (readonly [string, Refusal])[] = [
  ['pubsub', CHANNELS],
  ['scripting', SCRIPT],
  ['transaction', ONE_STEP],
  ['blocking', WAITS],
  ['admin', SERVER],
  ['dangerous', SERVER],
  ['connection', SHARED],
];

const UNKNOWN_EFFECT = refusal('keys', 'It is not known to be harmless, so it is not run here.');
const OF_MODULE = refusal('keys', 'It belongs to a module, whose commands Keyward cannot judge.');

/** Why a command of this name and these categories is refused. */
export const refusalFor = (
  name: string,
  categories: ReadonlySet<string>,
  flags: ReadonlySet<string>,
): Refusal => {
  const named = BY_NAME[name] ?? BY_NAME[name.split('|')[0]!];
  if (named) return named;
  if (flags.has('module')) return OF_MODULE;
  const found = BY_CATEGORY.find(([category]) => categories.has(category) || flags.has(category));
  return found?.[1] ?? UNKNOWN_EFFECT;
};

/** The refusal by name alone, where there is one. */
export const namedRefusal = (name: string): Refusal | null => BY_NAME[name] ?? null;

/** Throws 400 for an option that a command is not run with. */
export const refuseOptions = (call: ParsedCall): void => {
  const name = nameOf(call);
  if (['zrange', 'zrangestore'].includes(name) && hasOption(call, 'BYLEX', 4))
    throw commandRefused(BY_LETTERS.page, BY_LETTERS.reason);
  if (name === 'copy' && hasOption(call, 'DB', 3))
    throw commandRefused('keys', 'The copy would be in a database that this console does not show.');
  if (name === 'scan' && hasOption(call, 'TYPE', 2))
    throw commandRefused(
      'keys',
      'SCAN with TYPE counts a read of every key that it examines. The list of keys filters by type.',
    );
};
