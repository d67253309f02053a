import type { Batch } from './batch';
import { key, PEOPLE, SHOUTS, type World } from './world';

/** Above this a worker takes two, so that no queue grows for ever. */
const MAX_LENGTH = 150;
const SEEDED = 40;
const DAY = 86_400;

const queueAt = (name: string): Buffer => key('common.queue', { name });
const delayedAt = (name: string): Buffer => key('common.delayed', { name });

interface Queue {
  at: Buffer;
  task: (world: World) => object;
}

const QUEUES: readonly Queue[] = [
  {
    at: queueAt('email:pending'),
    task: ({ random }) => ({
      type: random.pick(['welcome', 'digest', 'comment']),
      user_id: 1 + random.below(PEOPLE),
    }),
  },
  {
    at: queueAt('images:resize'),
    task: ({ random }) => ({ shout_id: 1 + random.below(SHOUTS), width: random.pick([320, 640, 1280]) }),
  },
];

const taskOf = (world: World, { task }: Queue, createdAt = world.now()): string =>
  JSON.stringify({ id: world.random.hex(8), ...task(world), attempts: 0, created_at: createdAt });

/** A producer adds a task at the end. */
export const produce = (world: World, batch: Batch): void => {
  const queue = world.random.pick(QUEUES);
  batch.add('RPUSH', [queue.at, taskOf(world, queue)], (length) => {
    if (Number(length) > MAX_LENGTH) batch.add('LPOP', [queue.at, 2]);
  });
};

/** A worker takes the oldest task. */
export const consume = (world: World, batch: Batch): void =>
  batch.add('LPOP', [world.random.pick(QUEUES).at]);

const REMINDERS = delayedAt('reminders');

/** A task due within ten minutes. */
export const delay = (world: World, batch: Batch): void => {
  const { random } = world;
  const task = JSON.stringify({
    id: random.hex(8),
    user_id: 1 + random.below(PEOPLE),
    created_at: world.now(),
  });
  batch.add('ZADD', [REMINDERS, world.now() + 10 + random.below(600), task]);
};

/** A worker takes the tasks that are due. */
export const takeDue = (world: World, batch: Batch): void =>
  batch.add('ZRANGEBYSCORE', [REMINDERS, 0, world.now(), 'LIMIT', 0, 20], (due) => {
    const tasks = due as string[];
    if (tasks.length > 0) batch.add('ZREM', [REMINDERS, ...tasks]);
  });

/** Tasks that failed three times, which no worker takes. */
export const FAILED = 3;

export const seedQueues = (world: World, batch: Batch): void => {
  for (const queue of QUEUES) {
    const tasks = Array.from({ length: SEEDED }, (_, i) => taskOf(world, queue, world.now() - SEEDED + i));
    batch.add('RPUSH', [queue.at, ...tasks]);
  }
  const failed = Array.from({ length: FAILED }, (_, i) =>
    JSON.stringify({
      id: world.random.hex(8),
      report: i + 1,
      attempts: 3,
      created_at: world.now() - 2 * DAY,
    }),
  );
  batch.add('RPUSH', [queueAt('reports:failed'), ...failed]);
  for (let i = 0; i < SEEDED; i++) delay(world, batch);
};
