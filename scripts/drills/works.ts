import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { PrivateConsole } from '../testing/private-console';
import { makeJwt } from '../testing/sessions';
import { type Answer, type Begun, post, summaryOfAnswer, until, untilOver } from './api';
import { type Copy, copyOf, differences, FAR_ADDRESS, keysLike, seedAuthors, seedSessions } from './keys';

/** The amount of work: enough that each task takes about a second, so that a kill falls into it. */
const KEYS = 4000;
const SESSIONS = 700;
const DAMAGED = 400;
const VARIABLES = 1500;

/** The place of a task: a separate connection of the same name, to a separate database. */
export interface Place {
  own: PrivateConsole;
  /** The connection's path. */
  path: string;
  /** The drill's own client. */
  redis: Redis;
}

export interface Verdict {
  held: boolean;
  text: string;
}

/** A task during which the console is killed. */
export interface Work {
  /** The action of its audit entry. */
  action: string;
  prepare(): Promise<void>;
  run(): Promise<Answer<Partial<Begun>>>;
  /**
   * The number of completed items according to the server, counted like the job does; null where the job counts
   * differently.
   */
  done(): Promise<number | null>;
  /** Whether it was done completely or not at all, for tasks that must not be partial. */
  isWhole?(): Promise<boolean>;
  /** Runs it again, and checks that everything is exactly as it should be. */
  complete(): Promise<Verdict>;
}

const INVALIDATION = { family: 'discours.author-id' };

/** The refusal of a second undo after a complete one. */
const NOTHING_LEFT = /already undone/;

/** Repeats the call until the lease on the task is free: a killed process may hold it for five seconds. */
const whenFree = (run: () => Promise<Answer<Partial<Begun>>>): Promise<Answer<Partial<Begun>>> =>
  until('the work is free', async () => {
    const answer = await run();
    const isHeld = answer.status === 409 && !answer.body.jobId && !NOTHING_LEFT.test(summaryOfAnswer(answer));
    if (!isHeld) return answer;
    await delay(500);
    return null;
  });

/** Starts a job again; a refusal means that nothing is left to do. */
const again = async (place: Place, answer: Answer<Partial<Begun>>): Promise<string> => {
  if (!answer.body.jobId) return summaryOfAnswer(answer);
  const { state, error } = await untilOver(place.own, answer.body.jobId);
  return `${state} ${error ?? ''}`.trim();
};

const fresh = async ({ redis }: Place): Promise<void> => {
  await redis.flushdb();
  await seedAuthors(redis, KEYS);
};

const invalidate = (place: Place): Work => {
  const run = () => post<Partial<Begun>>(place.own, `${place.path}/families/invalidate`, INVALIDATION);
  return {
    action: 'families.invalidate',
    prepare: () => fresh(place),
    run,
    done: async () => KEYS - (await place.redis.dbsize()),
    complete: async () => {
      const text = await again(place, await whenFree(run));
      const left = await place.redis.dbsize();
      return { held: left === 0 && text === 'done', text: `${text}, ${left} left` };
    },
  };
};

const undo = (place: Place): Work => {
  let before: Copy = new Map();
  let auditId = '';
  const run = () => post<Partial<Begun>>(place.own, `/api/v1/audit/${auditId}/undo`);
  return {
    action: 'audit.undo',
    prepare: async () => {
      await fresh(place);
      before = await copyOf(place.redis);
      const begun = await post<Begun>(place.own, `${place.path}/families/invalidate`, INVALIDATION);
      auditId = begun.body.auditId;
      await again(place, begun);
    },
    run,
    done: () => place.redis.dbsize(),
    complete: async () => {
      const text = await again(place, await whenFree(run));
      const { same, text: how } = differences(before, await copyOf(place.redis));
      return { held: same, text: `${text}; ${how}` };
    },
  };
};

const token = (n: number, what: string): string => makeJwt({ user_id: n }, what);

/** The damage a repair finds, next to healthy sessions: per number a stale index entry, a ghost and a legacy key. */
const damage = async ({ redis }: Place): Promise<void> => {
  const pipeline = redis.pipeline();
  for (let n = 1; n <= DAMAGED; n++) {
    pipeline.sadd(`user_sessions:${n}`, token(n, 'stale'));
    pipeline.hset(`session:${n}:${token(n, 'ghost')}`, 'last_activity', '1700000000');
    pipeline.set(`${n}-user${n}-${token(n, 'legacy')}`, '1');
  }
  await pipeline.exec();
};

/** The members of indexes, sorted because the server's order is arbitrary. */
const indexes = async ({ redis }: Place): Promise<string> => {
  const keys = (await keysLike(redis, 'user_sessions:*')).sort();
  const members = await Promise.all(keys.map((key) => redis.smembers(key)));
  return keys.map((key, i) => `${key} ${members[i]!.sort().join(' ')}`).join('\n');
};

const repair = (place: Place): Work => {
  let [sessions, index]: [Copy, string] = [new Map(), ''];
  const kinds = ['staleIndex', 'ghost', 'legacy'];
  const run = () => post<Partial<Begun>>(place.own, `${place.path}/sessions/repair`, { kinds });
  return {
    action: 'sessions.repair',
    prepare: async () => {
      await place.redis.flushdb();
      await seedSessions(place.redis, SESSIONS, 10);
      [sessions, index] = [await copyOf(place.redis, 'session:*'), await indexes(place)];
      await damage(place);
    },
    run,
    done: async () => null,
    complete: async () => {
      const text = await again(place, await whenFree(run));
      const { same, text: how } = differences(sessions, await copyOf(place.redis, 'session:*'));
      const legacy = (await keysLike(place.redis, '[0-9]*-user*')).length;
      const isIndexed = (await indexes(place)) === index;
      const held = same && isIndexed && legacy === 0 && text === 'done';
      return { held, text: `${text}; ${how}; ${legacy} legacy; index ${isIndexed ? 'exact' : 'differs'}` };
    },
  };
};

const revoke = (place: Place): Work => {
  let far = 0;
  const left = async () => (await keysLike(place.redis, 'session:*')).length - (SESSIONS - far);
  const filter = { address: FAR_ADDRESS };
  const run = () => post<Partial<Begun>>(place.own, `${place.path}/sessions/revoke`, { filter });
  return {
    action: 'sessions.revoke',
    prepare: async () => {
      await place.redis.flushdb();
      far = await seedSessions(place.redis, SESSIONS, 10);
    },
    run,
    done: async () => far - (await left()),
    complete: async () => {
      const answer = await whenFree(run);
      const text = await again(place, answer);
      const remaining = await left();
      const held = remaining === 0 && (text === 'done' || answer.status === 200);
      return { held, text: `${text}, ${remaining} left` };
    },
  };
};

const PASSPHRASE = 'a passphrase of the drill';
const setAll = async ({ redis }: Place, value: string): Promise<void> => {
  const pairs = Array.from({ length: VARIABLES }, (_, n) => [`env_vars:NAME_${n}`, `${value} ${n}`]);
  await redis.mset(pairs.flat());
};

interface File {
  file: string;
}
const backUp = ({ own, path }: Place) =>
  post<File & Partial<Begun>>(own, `${path}/env-backups`, { passphrase: PASSPHRASE });
const restoreFile = ({ own, path }: Place, file: string, dryRun: boolean) =>
  post<Partial<Begun> & { unchanged?: number }>(own, `${path}/env-backups/restore`, {
    file,
    passphrase: PASSPHRASE,
    dryRun,
  });

const backup = (place: Place): Work => {
  let before: Copy = new Map();
  return {
    action: 'env.backup',
    prepare: async () => {
      await place.redis.flushdb();
      await setAll(place, 'kept');
      before = await copyOf(place.redis);
    },
    run: () => backUp(place),
    done: async () => null,
    complete: async () => {
      const made = await backUp(place);
      const preview = await restoreFile(place, made.body.file, true);
      const { same, text } = differences(before, await copyOf(place.redis));
      const { unchanged } = preview.body;
      return {
        held: same && unchanged === VARIABLES,
        text: `${summaryOfAnswer(made).slice(0, 50)}; ${unchanged} in it; ${text}`,
      };
    },
  };
};

const restore = (place: Place): Work => {
  let [kept, changed, file]: [Copy, Copy, string] = [new Map(), new Map(), ''];
  const run = () => restoreFile(place, file, false);
  const isNow = async (copy: Copy) => differences(copy, await copyOf(place.redis));
  return {
    action: 'env.restore',
    prepare: async () => {
      await place.redis.flushdb();
      await setAll(place, 'kept');
      kept = await copyOf(place.redis);
      file = (await backUp(place)).body.file;
      await setAll(place, 'changed');
      changed = await copyOf(place.redis);
    },
    run,
    done: async () => ((await isNow(changed)).same ? 0 : VARIABLES),
    isWhole: async () => (await isNow(kept)).same || (await isNow(changed)).same,
    complete: async () => {
      const answer = await run();
      const { same, text } = await isNow(kept);
      return { held: same && answer.status === 200, text: `${answer.status}; ${text}` };
    },
  };
};

/** By the name of their connection. */
export const WORKS: Record<string, (place: Place) => Work> = {
  invalidate,
  undo,
  repair,
  revoke,
  backup,
  restore,
};
