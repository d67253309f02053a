import { ApiProblem } from '@/lib/api-client';
import type { ProblemDocument } from '@/lib/errors';

export interface StreamedEvent {
  event: string;
  data: string;
}

/** Parses server-sent events from pieces of text (HTML standard, 9.2.6; only what the console sends). */
export class EventParser {
  private rest = '';

  /** Returns the events that `text` completes. */
  push(text: string): StreamedEvent[] {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop() ?? '';
    return blocks.map(eventOf).filter((event) => event.data !== '');
  }
}

const eventOf = (block: string): StreamedEvent => {
  const fields = block.split('\n').map((line) => /^(\w+): (.*)$/.exec(line) ?? []);
  const valuesOf = (wanted: string) =>
    fields.filter(([, name]) => name === wanted).map(([, , value]) => value);
  return { event: valuesOf('event').at(-1) ?? 'message', data: valuesOf('data').join('\n') };
};

const refusal = async (response: Response): Promise<ApiProblem> => {
  const body: unknown = await response.json().catch(() => ({}));
  return new ApiProblem(response.status, body as Partial<ProblemDocument>);
};

/**
 * The events of a stream, read only as fast as they are used, so the server waits for a slow page. With a body it is a
 * POST. Unlike an EventSource it throws the `ApiProblem` of a refusal and never reconnects. An abort is thrown as it is.
 */
export async function* readEvents(
  url: string,
  signal: AbortSignal,
  body?: object,
): AsyncGenerator<StreamedEvent> {
  const response = await fetch(url, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { accept: 'text/event-stream', ...(body && { 'content-type': 'application/json' }) },
    signal,
    credentials: 'same-origin',
    cache: 'no-store',
  });
  if (!response.ok || !response.body) throw await refusal(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new EventParser();
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(value);
    }
  } finally {
    // Cancelling the body ends the work on the server.
    await reader.cancel().catch(() => undefined);
  }
}
