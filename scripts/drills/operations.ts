import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '@/lib/jobs/schema';
import type { PrivateConsole } from '../testing/private-console';
import { get, request, summaryOfJob, untilOver } from './api';

const TIMEOUT_MS = 30_000;
/** How long to listen to a stream that may never end. */
const LISTEN_MS = 1500;

interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
}

/** One operation on a connection, as /api/openapi.json describes it. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
}

interface Document {
  paths: Record<string, Record<string, { operationId: string; parameters?: Parameter[] }>>;
}

/** All operations, in the order of the OpenAPI document. */
export const allOperationsOf = async (own: PrivateConsole): Promise<Operation[]> => {
  const { body } = await get<Document>(own, '/api/openapi.json');
  return Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id, parameters = [] }]) => {
      return { id, method: method.toUpperCase(), path, parameters };
    }),
  );
};

/** The operations on a connection. */
export const operationsOf = async (own: PrivateConsole): Promise<Operation[]> =>
  (await allOperationsOf(own)).filter(({ path }) => path.includes('{connection}'));

/** The result of a call, and of its job if it started one. */
export interface Outcome {
  id: string;
  status: number;
  ok: boolean;
  /** The reason of a refusal or a failed job. */
  detail: string;
  /** The code of a refusal, and its forbidden command. */
  code: unknown;
  command: unknown;
  job: Job | null;
  /** As one line of the report. */
  line: string;
}

/** The events of a stream within a time; the last one may be an error. */
const listen = async (response: Response): Promise<string> => {
  const reader = response.body!.getReader();
  const over = delay(LISTEN_MS).then(() => null);
  let text = '';
  for (;;) {
    const chunk = await Promise.race([reader.read(), over]);
    if (!chunk || chunk.done) break;
    text += Buffer.from(chunk.value).toString();
  }
  void reader.cancel().catch(() => undefined);
  return /event: error\ndata: (.*)/.exec(text)?.[1] ?? text.slice(0, 500);
};

const readAnswer = async (response: Response): Promise<{ status: number; text: string }> => {
  const isStream = response.headers.get('content-type')?.includes('event-stream');
  const text = isStream ? await listen(response) : await response.text();
  const failure = isStream && text.startsWith('{') ? (JSON.parse(text) as { status?: number }).status : null;
  return { status: failure ?? response.status, text };
};

const parsed = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
};

/** The path and body of an operation for its input. */
export const fill = ({ path, method }: Operation, connection: string, input: Record<string, unknown>) => {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const values: Record<string, unknown> = { connection, ...input };
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const body = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.includes(name)));
  if (method !== 'GET') return { url, body };
  return { url: `${url}?${new URLSearchParams(body as Record<string, string>)}`, body: undefined };
};

/** A job that left something undone did not succeed, whatever its state. Keys it skipped by its own rules remain, too. */
const isComplete = ({ state, result }: Job): boolean => {
  const figure = (name: string): number => Number(result?.[name] ?? 0);
  return state === 'done' && figure('refused') === 0 && figure('remaining') <= figure('skipped');
};

/** Performs an operation, and waits for its job. Status 0: no answer in time. */
export const perform = async (
  own: PrivateConsole,
  operation: Operation,
  connection: string,
  input: Record<string, unknown> = {},
): Promise<Outcome> => {
  const { url, body } = fill(operation, connection, input);
  const late = delay(TIMEOUT_MS, { status: 0, text: 'no answer in time' }, { ref: false });
  const answer = request(own, url, operation.method, body).then(readAnswer);
  const { status, text } = await Promise.race([answer, late]);
  const { jobId, command, code, detail } = parsed(text);
  const job = typeof jobId === 'string' ? await untilOver(own, jobId) : null;
  const ok = status >= 200 && status < 300 && (!job || isComplete(job));
  const line = job ? summaryOfJob(job) : `${status} ${code ?? ''} ${detail ?? ''}`.trim();
  const { id } = operation;
  return {
    id,
    status,
    ok,
    code,
    command,
    job,
    detail: job ? `${job.error ?? ''} ${JSON.stringify(job.result)}` : String(detail ?? text),
    line: `${id}: ${line}`,
  };
};
