import 'server-only';
import { maxTtlOf, type TtlPolicy } from '@/lib/catalog/family';
import { MINUTE, SECOND } from '@/lib/time';
import {
  firstOf,
  hasEnded,
  type NamedValues,
  progressOf,
  STATUS_NAMES,
  startOf,
  updateOf,
} from './named-values';
import type { Stage, StuckReason } from './schema';

/** A process that runs writes its state more often than this. */
export const MAX_QUIET_MS = 5 * MINUTE;

const FINISHED =
  /^(?:done|finished|complete|completed|success|successful|succeeded|cancell?ed|skipped|stopped|closed)$/i;
const FAILED = /^(?:fail|failed|failure|error|errored|crashed|aborted|timeout|timed[ _-]?out|dead)$/i;
const WAITING = /^(?:pending|queued|waiting|scheduled|new|created|idle|paused|suspended|delayed)$/i;

/** What a state says of its process. */
export const stageOf = (values: NamedValues): Stage => {
  const status = firstOf(values, STATUS_NAMES);
  if (status !== null && FINISHED.test(status)) return 'finished';
  if (status !== null && FAILED.test(status)) return 'failed';
  if (hasEnded(values)) return 'finished';
  if (status !== null) return WAITING.test(status) ? 'waiting' : 'running';
  const progress = progressOf(values);
  if (progress === 1) return 'finished';
  return progress === null ? 'unknown' : 'running';
};

/** A clock that is ahead of ours by less is still right. */
const MAX_AHEAD_MS = MINUTE;

const since = (at: number | null, now: number): number | null =>
  at === null || at > now + MAX_AHEAD_MS ? null : Math.max(0, Math.round((now - at) / SECOND));

export interface Judgement {
  stage: Stage;
  progress: number | null;
  /** Since its start and its last update; null where no field says, or says a time that is yet ahead. */
  ageSeconds: number | null;
  updatedSecondsAgo: number | null;
  stuckReasons: StuckReason[];
}

interface StateFacts {
  values: NamedValues;
  ttl: TtlPolicy;
  hasTtl: boolean;
  /** Epoch ms. */
  now: number;
}

/** Judges a state. One that is finished or has failed is never stuck, whatever else it says. */
export const judgeState = ({ values, ttl, hasTtl, now }: StateFacts): Judgement => {
  const stage = stageOf(values);
  const ageSeconds = since(startOf(values), now);
  const updatedSecondsAgo = since(updateOf(values), now);
  const max = maxTtlOf(ttl);
  const stuckReasons: StuckReason[] = [];
  if (stage !== 'finished' && stage !== 'failed') {
    // A family whose states stay declares that.
    if (!hasTtl && ttl !== 'persistent' && ttl !== 'none') stuckReasons.push('noTtl');
    if (ageSeconds !== null && max !== null && ageSeconds > max) stuckReasons.push('tooOld');
    if (stage !== 'waiting' && updatedSecondsAgo !== null && updatedSecondsAgo * SECOND > MAX_QUIET_MS)
      stuckReasons.push('notUpdated');
  }
  return { stage, progress: progressOf(values), ageSeconds, updatedSecondsAgo, stuckReasons };
};
