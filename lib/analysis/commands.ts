import 'server-only';
import { defineCommand } from '@/lib/command/define';
import { notFound } from '@/lib/errors';
import { enqueue } from '@/lib/jobs/enqueue';
import { hasCheckpoint } from './checkpoint';
import { analysisJob } from './job';
import { readSchedule, shownSchedule, writeSchedule } from './schedule';
import { analysisContracts } from './schema';

const label = ({ exact, resume }: { exact?: boolean; resume?: string }): string =>
  `all keys${exact ? ', every element' : ''}${resume ? ', going on half-way' : ''}`;

/** analysis.start: analyses all keys in a job; one at a time per connection. */
export const startAnalysis = defineCommand({
  contract: analysisContracts.start,
  target: label,
  redact: ({ exact, resume }) => ({ exact: exact ?? false, resume: resume ?? null }),
  // It only reads.
  isNoOp: async () => true,
  run: async (ctx, input) => {
    const { exact = false, resume = null } = input;
    if (resume !== null && !(await hasCheckpoint(ctx.store, ctx.connection.config.id, resume)))
      throw notFound('A half-way analysis to go on from');
    const jobId = await enqueue(ctx, analysisJob, {
      data: { exact, resume },
      same: {},
      target: label(input),
    });
    return { result: { jobId }, continues: true };
  },
});

/** analysis.schedule.set: how often the connection is analysed automatically. */
export const setSchedule = defineCommand({
  contract: analysisContracts.scheduleSet,
  target: () => 'schedule of analyses',
  redact: ({ every, at }) => ({ every, at }),
  // The schedule is in the console's store; the server is only read.
  isNoOp: async () => true,
  run: async ({ store, connection, now }, { every, at }) => {
    const { id } = connection.config;
    const before = await readSchedule(store, id);
    await writeSchedule(store, id, { every, at }, now());
    return { result: shownSchedule({ every, at }, now()), before, after: { every, at } };
  },
});
