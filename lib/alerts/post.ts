import 'server-only';
import { createHmac } from 'node:crypto';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { type Attempt, failed } from '@/lib/attempt';
import { SECOND } from '@/lib/time';
import { checkUrl, guardedLookup, TargetRefused } from './target';

export const TIMEOUT_MS = 10 * SECOND;
/** Bytes read of an answer, which is not stored: a receiver must not keep us reading. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** `t=<seconds>,v1=<hex>`: HMAC-SHA-256 of `<seconds>.<body>`, so an old message cannot be sent again as a new one. */
export const signatureOf = (secret: string, body: string, now: number): string => {
  const t = Math.floor(now / SECOND);
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`;
};

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The receiver closed the connection.',
  ENOTFOUND: 'The name of the receiver is not known.',
  EAI_AGAIN: 'The name of the receiver could not be resolved.',
  ETIMEDOUT: 'The receiver was not reached in time.',
  EHOSTUNREACH: 'The receiver is unreachable.',
  ENETUNREACH: 'The receiver is unreachable.',
};

/** Messages of Node contain addresses, so only the code is used. */
const reasonOf = (error: unknown): string => {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (/^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL|EPROTO)/.test(code))
    return 'The TLS handshake with the receiver failed: its certificate is not trusted.';
  return REASONS[code] ?? 'The receiver was not reached.';
};

const judge = (status: number): Attempt => {
  if (status >= 200 && status < 300) return { delivered: true, retry: false, status, error: null };
  if (status >= 300 && status < 400)
    return failed(`The receiver answered ${status}, a redirect, which is not followed.`, false, status);
  const retry = status >= 500 || status === 429 || status === 408;
  return failed(`The receiver answered ${status}.`, retry, status);
};

/** Reads at most the limit of an answer, then closes the connection. */
const drain = (answer: IncomingMessage, done: () => void): void => {
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) answer.destroy();
  });
  answer.once('close', done);
};

interface Post {
  url: string;
  body: string;
  headers: Record<string, string>;
  timeoutMs?: number;
}

/** Posts JSON to an address that users gave. Never throws, follows no redirect, and ends after ten seconds. */
export const post = ({ url: text, body, headers, timeoutMs = TIMEOUT_MS }: Post): Promise<Attempt> =>
  new Promise((resolve) => {
    let url: URL;
    try {
      url = checkUrl(text);
    } catch (error) {
      return resolve(failed((error as Error).message, false));
    }
    const isHttps = url.protocol === 'https:';
    const [request, agent] = isHttps
      ? [requestHttps, new HttpsAgent({ keepAlive: false })]
      : [requestHttp, new HttpAgent({ keepAlive: false })];
    let answered: Attempt | null = null;
    const call = request(url, {
      method: 'POST',
      agent,
      lookup: guardedLookup(isHttps),
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Keyward',
        connection: 'close',
      },
    });
    const timer = setTimeout(() => {
      resolve(answered ?? failed(`No answer within ${timeoutMs / SECOND} s.`, true));
      call.destroy();
    }, timeoutMs);
    const end = (attempt: Attempt) => {
      clearTimeout(timer);
      call.destroy();
      resolve(attempt);
    };
    call.once('response', (answer) => {
      // The status is the answer: a body that never ends does not make a delivery fail.
      const attempt = judge(answer.statusCode ?? 0);
      answered = attempt;
      answer.on('error', () => undefined);
      drain(answer, () => end(attempt));
    });
    call.on('error', (error: unknown) => {
      const refused = error instanceof TargetRefused;
      end(answered ?? failed(refused ? error.message : reasonOf(error), !refused));
    });
    call.end(body);
  });
