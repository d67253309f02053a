import 'server-only';
import { newId } from '@/lib/ids';

const shared = globalThis as { keywardProcessId?: string };

/** This process's name among several, new at each start. */
export const processId = (): string => {
  shared.keywardProcessId ??= newId();
  return shared.keywardProcessId;
};
