import type { UseQueryResult } from '@tanstack/react-query';

/** Whether a query is in its first attempt: afterwards the page shows what it has. */
export const isSettling = ({
  isLoading,
  failureCount,
}: Pick<UseQueryResult, 'isLoading' | 'failureCount'>): boolean => isLoading && failureCount === 0;

/**
 * Stands in for a block that may or may not appear once its query has answered. Its following siblings are not painted
 * until then, so that they do not move (the rule is in the shell's stylesheet).
 */
export const Settling = () => <div data-settling />;
