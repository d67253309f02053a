import 'server-only';
import { processWide } from '@/lib/process-wide';

/**
 * The dispatcher of all requests, set by instrumentation: with a route file that imports it, Next would compile the
 * whole server a second time, and each process would load it twice. So `next dev` must be restarted after a change of
 * the server.
 */
export const served = processWide<(request: Request) => Promise<Response>>('served', () => {
  throw new Error('Instrumentation has not started the console.');
});
