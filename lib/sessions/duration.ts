import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { SECOND } from '@/lib/time';

/** About what a SCAN call of some hundred keys takes besides the budget's pause, ms. */
const CALL_MS = 0.5;
/** Longer than this nobody waits for an answer: the work becomes a job. */
const PATIENCE_MS = 2 * SECOND;

/** Whether going through the keyspace `times` times takes longer than two seconds under the connection's budget. */
export const takesLong = async (ctx: ReadContext, times: number): Promise<boolean> => {
  const { chunk, pauseMs } = ctx.connection.budget.limits;
  const calls = (await ctx.reader.size()) / chunk;
  return times * calls * (pauseMs + CALL_MS) > PATIENCE_MS;
};
