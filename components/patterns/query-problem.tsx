import { ProblemAlert } from './problem-alert';

interface QueryProblemProps {
  of: { error: unknown; refetch: () => unknown };
}

/** Why a query failed, with a button that asks again. */
export const QueryProblem = ({ of: query }: QueryProblemProps) => (
  <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />
);
