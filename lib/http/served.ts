import 'server-only';
import { processWide } from '@/lib/process-wide';

/**
 * What answers requests. Instrumentation puts it here: with a route file that imports it, Next would compile the whole
 * server a second time and each process would load it twice. So `next dev` has to be started again after a change of
 * the server.
 */
export const served = processWide<(request: Request) => Promise<Response>>('served', () => {
  throw new Error('Instrumentation has not started the console.');
});
