import { ApiProblem } from '@/lib/api-client';

/** The error of one input field in a refused request. */
export const fieldError = (error: unknown, path: string): string | undefined =>
  error instanceof ApiProblem ? error.errors.find((field) => field.path === path)?.message : undefined;
