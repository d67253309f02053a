import 'server-only';
import type { MarkedChange } from '@/lib/command/define';
import { NO_FLAG } from './names';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The mark of a flag's change on the charts; null for an approved request that was not applied. */
export const flagMark = ({ target, after, undone }: MarkedChange) => {
  if (target === null || target === NO_FLAG) return null;
  const { enabled, state } = isRecord(after) ? after : {};
  if (state !== undefined && state !== 'applied') return null;
  const changed =
    typeof enabled !== 'boolean'
      ? `${target} deleted`
      : enabled
        ? `${target} turned on`
        : `${target} turned off`;
  return { kind: 'flag' as const, text: undone ? `${target}: change undone` : changed };
};
