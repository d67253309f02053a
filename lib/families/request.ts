import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { env } from '@/lib/configuration';
import { countTarget, type TargetCount } from './count';
import { withEntityFacts } from './entity';
import { mayFindAnyFamily, namesSensitive } from './guarded';
import { resolveTarget } from './resolve-target';
import type { InvalidationTarget, Preview } from './schema';
import type { Target } from './target';

/** The time limit of a preview, ms, exact or not. */
const COUNT_WITHIN_MS = 2000;

/** The target of one request, resolved and counted once. */
export class TargetRequest {
  private counted: Promise<TargetCount> | null = null;
  readonly target: Target;

  constructor(
    private readonly ctx: ReadContext,
    /** The requested target, with the known facts of its entity. */
    readonly fields: InvalidationTarget,
  ) {
    this.target = resolveTarget(ctx, fields);
  }

  count(): Promise<TargetCount> {
    this.counted ??= countTarget(this.ctx, this.target, { withinMs: COUNT_WITHIN_MS });
    return this.counted;
  }

  /** Whether it includes guarded keys: by its names, or for a pattern by the matched keys. */
  async isSensitive(): Promise<boolean> {
    if (namesSensitive(this.ctx, this.target)) return true;
    return mayFindAnyFamily(this.target) && (await this.count()).sensitive > 0;
  }
}

const requests = new WeakMap<InvalidationTarget, Promise<TargetRequest>>();

/** The request of an input, resolved once. Throws 400 as `resolveTarget` does. */
export const requestOf = (ctx: ReadContext, input: InvalidationTarget): Promise<TargetRequest> => {
  const request =
    requests.get(input) ??
    withEntityFacts(ctx, targetFields(input)).then((fields) => new TargetRequest(ctx, fields));
  requests.set(input, request);
  return request;
};

const FIELDS = ['keyIds', 'family', 'params', 'pattern', 'entity'] as const;

/** The fields of an input that define its target. */
export const targetFields = (input: InvalidationTarget): InvalidationTarget =>
  Object.fromEntries(FIELDS.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])));

/** Whether all matched keys can be stored for undo, judged by a count. */
export const undoOf = (count: TargetCount): Preview['undo'] => {
  const { maxKeys, maxBytes, hours } = env().undo;
  const bytes = count.undoBytes ?? 0;
  // An estimate may leave it open. The job then deletes nothing it cannot store.
  const atLeast = count.keys - (count.error ?? 0);
  const tooMany = atLeast > maxKeys ? 'keys' : bytes > maxBytes ? 'bytes' : null;
  const noneFits = count.tooLarge > 0 && count.tooLarge === count.sample.length;
  // The sample is representative; for few keys it is complete.
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
  keys: 'there are too many keys to store',
  bytes: 'there are too many bytes to store',
  value: 'the values are too large to store',
};

export const noUndoReason = ({ why }: Preview['undo']): string => (why ? WHY[why] : 'it cannot be stored');
