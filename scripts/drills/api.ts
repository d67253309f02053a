import { setTimeout as delay } from 'node:timers/promises';
import type { ProblemDocument } from '@/lib/errors';
import type { Job } from '@/lib/jobs/schema';
import type { PrivateConsole } from '../testing/private-console';
import { quantile } from '../testing/steady-load';

export const MAIN = '/api/v1/connections/main';

/** A refusal as a caller reads it; its codes may be from another version. */
interface Refusal extends Partial<Omit<ProblemDocument, 'code'>> {
  code?: string;
}

/** `status` 0: no answer. */
export interface Answer<T> {
  status: number;
  body: T & Refusal;
}

type Address = Pick<PrivateConsole, 'baseUrl' | 'apiToken'>;

export const request = (own: Address, path: string, method = 'GET', input?: object): Promise<Response> =>
  fetch(own.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${own.apiToken}`, 'content-type': 'application/json' },
    ...(input === undefined ? {} : { body: JSON.stringify(input) }),
  });

const answerOf = async <T>(response: Response): Promise<Answer<T>> => {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, body: isJson ? JSON.parse(text) : { detail: text.slice(0, 300) } };
};

const NOTHING = { status: 0, body: {} as never };

const call = <T>(...asked: Parameters<typeof request>): Promise<Answer<T>> =>
  request(...asked)
    .then(answerOf<T>)
    .catch(() => NOTHING);

export const get = <T>(own: Address, path: string): Promise<Answer<T>> => call<T>(own, path);
export const post = <T = object>(own: Address, path: string, input: object = {}): Promise<Answer<T>> =>
  call<T>(own, path, 'POST', input);

/** Polls until the answer is not null. */
export const until = async <T>(what: string, ask: () => Promise<T | null>, ms = 60_000): Promise<T> => {
  for (const deadline = Date.now() + ms; Date.now() < deadline; await delay(5)) {
    const answer = await ask();
    if (answer !== null) return answer;
  }
  throw new Error(`${what} did not come about within ${ms / 1000} s`);
};

export const jobOf = async (own: Address, jobId: string): Promise<Job | null> => {
  const { status, body } = await get<Job>(own, `/api/v1/jobs/${jobId}`);
  return status === 200 ? body : null;
};

/** The job after it has ended. */
export const untilOver = (own: Address, jobId: string, ms?: number): Promise<Job> =>
  until(
    `the end of job ${jobId}`,
    async () => {
      const job = await jobOf(own, jobId);
      return job && job.finishedAt !== null ? job : null;
    },
    ms,
  );

export interface Begun {
  jobId: string;
  auditId: string;
}

/** Starts a job; fails if it is not accepted. */
export const begin = async (own: Address, path: string, input: object): Promise<Begun> => {
  const { status, body } = await post<Begun>(own, path, input);
  if (status !== 202) throw new Error(`${path}: ${summaryOfAnswer({ status, body })}`);
  return body;
};

/** A job as one line of the report, without lists in its result. */
export const summaryOfJob = ({ state, done, pending, error, result }: Job): string => {
  const figures = Object.entries(result ?? {}).filter(([, value]) => typeof value !== 'object');
  const inAll = figures.map(([name, value]) => `${name} ${value}`).join(', ');
  return [`${state}, ${done} done, ${pending} under way`, error, inAll].filter(Boolean).join('; ');
};

/** A response as one line of the report. */
export const summaryOfAnswer = ({ status, body }: Answer<object>): string =>
  `${status} ${body.code ?? ''} ${body.detail ?? JSON.stringify(body).slice(0, 200)}`.replace(/ +/g, ' ');

/** API tokens created with the configuration's token: each counts as a separate user. */
export const tokensOf = async (own: Address, role: string, count: number): Promise<string[]> => {
  const tokens: string[] = [];
  for (let n = 0; n < count; n++) {
    const input = { name: `drill ${role} ${n}`, role, expiresAt: null };
    const { status, body } = await post<{ token: string }>(own, '/api/v1/api-tokens', input);
    if (status !== 201) throw new Error(`a token: ${summaryOfAnswer({ status, body })}`);
    tokens.push(body.token);
  }
  return tokens;
};

/** Polls the health check until stopped and measures the response times, which reveal blocks of the event loop. */
export const watchHealth = (own: Address): (() => Promise<{ n: number; p99: number; max: number }>) => {
  const took: number[] = [];
  let over = false;
  const watching = (async () => {
    while (!over) {
      const since = performance.now();
      await fetch(`${own.baseUrl}/api/health`).then((answer) => answer.text());
      took.push(performance.now() - since);
      await delay(2);
    }
  })();
  return async () => {
    over = true;
    await watching;
    return { n: took.length, p99: quantile(took, 0.99), max: Math.max(...took) };
  };
};
