import 'server-only';
import { newId } from '@/lib/ids';
import { processWide } from '@/lib/process-wide';

/** Identifies this process among all that use the store; new at each start. */
export const processId = processWide('process-id', () => newId());
