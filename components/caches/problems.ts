import { ApiProblem } from '@/lib/api-client';

/** Which field of a drawer a refusal is about: a parameter by its name, else the kind of target. */
const fieldOf = (path: string): string => {
  const [field, name = ''] = path.split(/[.[]/);
  return field === 'params' || field === 'entity' ? name : (field ?? '');
};

/** The refusals by the field they are about. A slug and a pair are shown where they were typed. */
export const fieldProblems = (error: unknown): Map<string, string> => {
  const errors = error instanceof ApiProblem && error.code === 'bad_input' ? error.errors : [];
  return new Map(errors.map(({ path, message }) => [fieldOf(path), message]));
};

/** The job that a refused one would have been beside; null where the refusal names none. */
export const twinOf = (error: unknown): string | null => {
  const jobId = error instanceof ApiProblem ? (error.document as { jobId?: unknown }).jobId : null;
  return typeof jobId === 'string' ? jobId : null;
};
