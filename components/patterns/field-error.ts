import { ApiProblem } from '@/lib/api-client';

/** What a refusal says about one field of the input. */
export const fieldError = (error: unknown, path: string): string | undefined =>
  error instanceof ApiProblem ? error.errors.find((field) => field.path === path)?.message : undefined;
