import { ApiProblem } from '@/lib/api-client';

/** The drawer's field for a path of the refusal: `params.id` and `entity.facts.id` → `id`, `keyIds[4]` → `keyIds`. */
const fieldOf = (path: string): string => {
  const [field = '', name = '', fact] = path.split(/[.[]/);
  if (field === 'entity' && name === 'facts' && fact !== undefined) return fact;
  return field === 'params' || field === 'entity' ? name : field;
};

/** Messages of a `bad_input` refusal by the field they belong to. */
export const fieldProblems = (error: unknown): Map<string, string> => {
  const errors = error instanceof ApiProblem && error.code === 'bad_input' ? error.errors : [];
  return new Map(errors.map(({ path, message }) => [fieldOf(path), message]));
};

/** The job that is already changing the same keys; null where the refusal contains none. */
export const duplicateJobOf = (error: unknown): string | null => {
  const jobId = error instanceof ApiProblem ? (error.document as { jobId?: unknown }).jobId : null;
  return typeof jobId === 'string' ? jobId : null;
};

/** For a button that starts a job: shows it, or the one that already does the same. */
export const showingJob = (onJob: (jobId: string, isOld: boolean) => void) => ({
  onSuccess: ({ jobId }: { jobId: string }) => onJob(jobId, false),
  onError: (error: unknown) => {
    const jobId = duplicateJobOf(error);
    if (jobId !== null) onJob(jobId, true);
  },
});

/** For `onRefused` of a drawer: shows the job that already does the same work. */
export const showDuplicateJob =
  (change: { reset: () => void }, onClose: () => void, onJob: (jobId: string) => void) =>
  (error: unknown): void => {
    const jobId = duplicateJobOf(error);
    if (jobId === null) return;
    change.reset();
    onClose();
    onJob(jobId);
  };
