import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { env } from '@/lib/env';
import { countTarget, type TargetCount } from './count';
import { withEntityFacts } from './entity';
import { mayFindAnyFamily, namesSensitive } from './guarded';
import { resolveTarget } from './resolve-target';
import type { InvalidationTarget, Preview } from './schema';
import type { Target } from './target';

/** A preview answers within this, exact or not. */
const COUNT_WITHIN_MS = 2000;

/** What one request is about, found out once however often it is asked for. */
export class TargetRequest {
  private counted: Promise<TargetCount> | null = null;
  private readonly ctx: ReadContext;
  /** What was asked for, with what is known of its entity. */
  readonly fields: InvalidationTarget;
  readonly target: Target;

  constructor(ctx: ReadContext, fields: InvalidationTarget) {
    this.ctx = ctx;
    this.fields = fields;
    this.target = resolveTarget(ctx.catalog, fields);
  }

  count(): Promise<TargetCount> {
    this.counted ??= countTarget(this.ctx, this.target, { withinMs: COUNT_WITHIN_MS });
    return this.counted;
  }

  /** Whether it reaches what is guarded: told by what is named, of a pattern only by the keys that it meets. */
  async isSensitive(): Promise<boolean> {
    if (namesSensitive(this.ctx, this.target)) return true;
    return mayFindAnyFamily(this.target) && (await this.count()).sensitive > 0;
  }
}

const requests = new WeakMap<InvalidationTarget, Promise<TargetRequest>>();

/** The request that this input belongs to. Throws 400 as `resolveTarget` does. */
export const requestOf = (ctx: ReadContext, input: InvalidationTarget): Promise<TargetRequest> => {
  const found =
    requests.get(input) ??
    withEntityFacts(ctx, targetFields(input)).then((fields) => new TargetRequest(ctx, fields));
  requests.set(input, found);
  return found;
};

const FIELDS = ['keyIds', 'family', 'params', 'pattern', 'entity'] as const;

/** Of an input what says which keys are meant. */
export const targetFields = (input: InvalidationTarget): InvalidationTarget =>
  Object.fromEntries(FIELDS.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])));

/** Whether what is reached can all be kept, as far as a count tells. */
export const undoOf = (count: TargetCount): Preview['undo'] => {
  const { maxKeys, maxBytes, hours } = env().undo;
  const bytes = count.keptBytes ?? 0;
  // Where an estimate leaves it open, the job finds out: it deletes nothing that it cannot keep.
  const atLeast = count.keys - (count.error ?? 0);
  const tooMany = atLeast > maxKeys ? 'keys' : bytes > maxBytes ? 'bytes' : null;
  const noneFits = count.tooLarge > 0 && count.tooLarge === count.sample.length;
  // The sample stands for all; of few keys it is all.
  const share = count.sample.length > 0 ? count.tooLarge / count.sample.length : 0;
  const tooLarge = count.tooLarge > 0 ? Math.max(count.tooLarge, Math.round(share * count.keys)) : 0;
  return {
    possible: tooMany === null && !noneFits,
    keys: Math.max(0, count.keys - tooLarge),
    bytes,
    why: tooMany ?? (count.tooLarge > 0 ? 'value' : null),
    tooLarge,
    hours,
  };
};

const WHY: Record<'keys' | 'bytes' | 'value', string> = {
  keys: 'there are too many keys to be kept',
  bytes: 'there are too many bytes to be kept',
  value: 'the values are too large to be kept',
};

export const noUndoReason = ({ why }: Preview['undo']): string => (why ? WHY[why] : 'it cannot be kept');
