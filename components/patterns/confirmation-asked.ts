import { ApiProblem } from '@/lib/api-client';

/** The connection's id, if the server asks for it as a confirmation on production; otherwise null. */
export const confirmationAsked = (error: unknown): string | null => {
  if (!(error instanceof ApiProblem) || error.code !== 'confirmation_required') return null;
  const { confirm } = error.document as { confirm?: unknown };
  return typeof confirm === 'string' ? confirm : null;
};
