import 'server-only';
import { processWide } from '@/lib/process-wide';

/** Aborts what would keep the process from exiting on SIGTERM: open streams, and changes that wait. */
export const shutdown = processWide('shutdown', () => new AbortController());
