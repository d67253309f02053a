import 'server-only';
import { newId } from '@/lib/ids';
import { processWide } from '@/lib/process-wide';

/** This process's name among several, new at each start. */
export const processId = processWide('process-id', () => newId());
