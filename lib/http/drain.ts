import 'server-only';
import type { Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { processWide } from '@/lib/process-wide';
import { shutdown } from './shutdown';

/** Connections that became idle are closed this often while the process stops. */
const IDLE_MS = 50;

/** The HTTP servers of this process, and the answers that are not complete. */
const incoming = processWide('answers', () => ({
  servers: new Set<Server>(),
  answers: new Set<ServerResponse>(),
}));

export const noteServer = (server: Server): void => void incoming().servers.add(server);

/** Counts an answer as open until it is sent or its client has left. */
export const noteAnswer = (response: ServerResponse): void => {
  const { answers } = incoming();
  answers.add(response);
  response.once('close', () => answers.delete(response));
  if (shutdown().signal.aborted) response.setHeader('Connection', 'close');
};

/** Without it a client would send its next request on a connection that is about to be closed. */
const announceEnd = (response: ServerResponse): void => {
  if (!response.headersSent) response.setHeader('Connection', 'close');
};

const isClosed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

/**
 * Accepts no further connections, ends streams, and resolves once all requests are answered, or when `until` aborts.
 * Returns how many were not.
 */
export const drain = async (until: AbortSignal): Promise<number> => {
  const { servers, answers } = incoming();
  const closed = Promise.all([...servers].map(isClosed));
  shutdown().abort();
  for (const response of answers) announceEnd(response);
  const idle = setInterval(() => {
    for (const server of servers) server.closeIdleConnections();
  }, IDLE_MS);
  await Promise.race([closed, sleep(2 ** 30, undefined, { signal: until }).catch(() => undefined)]);
  clearInterval(idle);
  return answers.size;
};
