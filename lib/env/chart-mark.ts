import 'server-only';
import type { MarkedChange } from '@/lib/command/define';

/**
 * The mark of a variable's change on the charts. It contains no name, because viewers read charts but may not see
 * variables.
 */
export const variableMark =
  (what: string) =>
  ({ undone }: MarkedChange) => ({
    kind: 'variable' as const,
    text: undone ? `${what}: undone` : what,
  });
