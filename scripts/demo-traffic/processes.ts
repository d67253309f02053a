import type { Batch } from './batch';
import { key, type World } from './world';

const HOUR = 3600;
const KINDS = ['digest', 'migration', 'export'];
/** Maximum number of concurrent processes, and of ids per kind, which are reused. */
const MAX_RUNNING = 4;
const IDS = 12;

/** A process that writes its state as it progresses. Times are Unix seconds. */
interface Process {
  at: Buffer;
  startedAt: number;
  done: number;
  total: number;
}

interface Running {
  processes: Process[];
  begun: number;
}

const running = new WeakMap<World, Running>();

const runningOf = (world: World): Running => {
  const known = running.get(world) ?? { processes: [], begun: 0 };
  running.set(world, known);
  return known;
};

const stateAt = (kind: string, id: string | number): Buffer => key('discours.state', { process: kind, id });

const write = (
  world: World,
  batch: Batch,
  { at, startedAt, done, total }: Process,
  { status = 'running', updatedAt = world.now(), ttl = HOUR } = {},
): void => {
  const fields = { status, started_at: startedAt, updated_at: updatedAt, progress: done, total };
  batch.add('HSET', [at, ...Object.entries(fields).flat()]);
  batch.add('EXPIRE', [at, ttl]);
};

const begin = (world: World, own: Running): void => {
  const id = 1 + (Math.floor(own.begun / KINDS.length) % IDS);
  const at = stateAt(KINDS[own.begun % KINDS.length]!, id);
  own.begun += 1;
  own.processes.push({ at, startedAt: world.now(), done: 0, total: 50 + world.random.below(400) });
};

/** Processes begin, progress, and end: finished ones stay for a minute. The stuck one only keeps its TTL. */
export const state = (world: World, batch: Batch): void => {
  const own = runningOf(world);
  if (own.processes.length < MAX_RUNNING && world.random.chance(0.3)) begin(world, own);
  for (const process of own.processes) {
    process.done = Math.min(process.total, process.done + world.random.below(12));
    const isDone = process.done === process.total;
    write(world, batch, process, isDone ? { status: 'done', ttl: 60 } : {});
  }
  own.processes = own.processes.filter(({ done, total }) => done < total);
  batch.add('EXPIRE', [stateAt(STUCK.process, STUCK.id), HOUR]);
};

/** Its status is running, but it has written nothing for hours. */
export const STUCK = { process: 'migration', id: '2024-01', hours: 3, progress: 42, total: 100 } as const;

export const seedProcesses = (world: World, batch: Batch): void => {
  const own = runningOf(world);
  for (let i = 0; i < MAX_RUNNING; i++) {
    begin(world, own);
    write(world, batch, own.processes[i]!);
  }
  const stuckSince = world.now() - STUCK.hours * HOUR;
  const stuck = { at: stateAt(STUCK.process, STUCK.id), startedAt: stuckSince - HOUR };
  const { progress: done, total } = STUCK;
  write(world, batch, { ...stuck, done, total }, { updatedAt: stuckSince });
};
