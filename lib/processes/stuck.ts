import 'server-only';
import { maxTtlOf, type TtlPolicy } from '@/lib/keyspace/family';
import { MINUTE, SECOND } from '@/lib/time';
import {
  endOf,
  failureOf,
  firstOf,
  type NamedValues,
  progressOf,
  STATUS_NAMES,
  startOf,
  updateOf,
} from './named-values';
import type { Stage, StuckReason } from './schema';

/** A running process updates its state more often than this. */
export const MAX_QUIET_MS = 5 * MINUTE;

const FINISHED =
  /^(?:done|finished|complete|completed|success|successful|succeeded|cancell?ed|skipped|stopped|closed)$/i;
const FAILED = /^(?:fail|failed|failure|error|errored|crashed|aborted|timeout|timed[ _-]?out|dead)$/i;
const WAITING = /^(?:pending|queued|waiting|scheduled|new|created|idle|paused|suspended|delayed)$/i;

/** Other words, such as "ready" or words of other languages, may mean anything. */
const RUNNING =
  /^(?:run|running|active|started|starting|begun|busy|working|in[ _-]?progress|progressing|process|processing|executing|ongoing|importing|exporting|syncing|migrating|indexing|uploading|downloading|retrying|resumed|stopping|finishing)$/i;

const WORDS: readonly (readonly [RegExp, Stage])[] = [
  [FINISHED, 'finished'],
  [FAILED, 'failed'],
  [WAITING, 'waiting'],
  [RUNNING, 'running'],
];

/** A state may be written after the end time it contains. */
const MAX_AFTER_END_MS = MINUTE;

/**
 * Finished or failed by its end time; an end before its start, or before a later update, belongs to an earlier
 * attempt.
 */
const endStage = (values: NamedValues): Stage | null => {
  const [ended, failed] = [endOf(values) ?? -Infinity, failureOf(values) ?? -Infinity];
  const at = Math.max(ended, failed);
  const isEarlier = at < (startOf(values) ?? at) || at + MAX_AFTER_END_MS < (updateOf(values) ?? at);
  if (at === -Infinity || isEarlier) return null;
  return failed >= ended ? 'failed' : 'finished';
};

/** The stage of a process: by its status, otherwise by its end time, otherwise by its progress. */
export const stageOf = (values: NamedValues): Stage => {
  const status = firstOf(values, STATUS_NAMES);
  const [, stated] = WORDS.find(([words]) => status !== null && words.test(status)) ?? [];
  const known = stated ?? endStage(values);
  if (known !== null) return known;
  const progress = progressOf(values);
  if (progress !== null && progress < 1) return 'running';
  // At full progress an unknown status may mean anything.
  return progress === null || status !== null ? 'unknown' : 'finished';
};

/** A tolerance for clocks that are ahead of ours. */
const MAX_AHEAD_MS = MINUTE;

const since = (at: number | null, now: number): number | null =>
  at === null || at > now + MAX_AHEAD_MS ? null : Math.max(0, Math.round((now - at) / SECOND));

export interface Judgement {
  stage: Stage;
  progress: number | null;
  /** Since its start and its last update; null without such a field, or if its time is in the future. */
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

/** Judges a state. A finished or failed process is never stuck, whatever its other fields are. */
export const judgeState = ({ values, ttl, hasTtl, now }: StateFacts): Judgement => {
  const stage = stageOf(values);
  const ageSeconds = since(startOf(values), now);
  const updatedSecondsAgo = since(updateOf(values), now);
  const max = maxTtlOf(ttl);
  const stuckReasons: StuckReason[] = [];
  if (stage !== 'finished' && stage !== 'failed') {
    // A family whose states are permanent declares that.
    if (!hasTtl && ttl !== 'persistent' && ttl !== 'none') stuckReasons.push('noTtl');
    if (ageSeconds !== null && max !== null && ageSeconds > max) stuckReasons.push('tooOld');
    if (stage === 'running' && updatedSecondsAgo !== null && updatedSecondsAgo * SECOND > MAX_QUIET_MS)
      stuckReasons.push('notUpdated');
  }
  return { stage, progress: progressOf(values), ageSeconds, updatedSecondsAgo, stuckReasons };
};
