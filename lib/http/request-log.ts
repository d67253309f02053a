import 'server-only';
import { log, logSettings } from '@/lib/log';

interface Answered {
  requestId: string;
  /** Null for routes without a contract. */
  operation: string | null;
  /** The id of the user or token; null without credentials. */
  user: string | null;
  status: number;
  /** Until the answer; of a stream, until it began. */
  durationMs: number;
}

/** A line for each request, where the configuration asks for it. Nothing of its input, which may have keys and values. */
export const logRequest = (answered: Answered): void => {
  const { format, requests } = logSettings();
  if (!requests) return;
  const { requestId, operation, user, status, durationMs } = answered;
  const name = operation ?? 'other';
  const text =
    format === 'json'
      ? 'request'
      : `${name} ${status} ${durationMs} ms, user ${user ?? 'none'}, request ${requestId}`;
  log('info', text, { requestId, operation: name, user, status, durationMs });
};
