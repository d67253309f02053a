'use client';

import { startTransition, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { withSlot } from '@/components/patterns/browser-slots';
import { readEvents, type StreamedEvent } from '@/components/patterns/event-stream';
import { RETRY_AFTER_MS } from '@/components/patterns/refetch';
import { ApiProblem, urlOf } from '@/lib/api-client';
import { channelContracts, type LiveGap, type LiveMessage, type LiveProgress } from '@/lib/channels/schema';
import type { WireInput } from '@/lib/contract';
import type { ProblemDocument } from '@/lib/errors';
import { NOTHING, TailBuffer, type Tailed } from './tail-buffer';

type TailInput = WireInput<typeof channelContracts.tail>;

/** How often the page renders what arrived, ms. */
const SHOW_MS = 250;
/** The tabs of a browser share its few connections to a host, so only one of them tails. */
const TAIL_SLOT = { name: 'tail', count: 1 };

/** `waiting`: another tab of this browser tails. */
type TailStatus = 'connecting' | 'waiting' | 'live' | 'failed';

const take = (buffer: TailBuffer, { event, data }: StreamedEvent): void => {
  if (event === 'message') buffer.message(JSON.parse(data) as LiveMessage);
  else if (event === 'gap') buffer.gap(JSON.parse(data) as LiveGap);
  else if (event === 'progress') buffer.progress(JSON.parse(data) as LiveProgress);
  else if (event === 'error') {
    const problem = JSON.parse(data) as Partial<ProblemDocument>;
    throw new ApiProblem(problem.status ?? 500, problem);
  }
};

const LOST = 'The stream ended. Connecting again.';

/** Retrying does not help where the request itself is refused. */
const isFinal = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status >= 400 && error.status < 500 && error.status !== 429;

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });

interface Followed {
  url: string;
  input: TailInput;
  buffer: TailBuffer;
  onStatus: (status: TailStatus, error: unknown) => void;
}

/** Follows a tail until the signal aborts; connects again after a loss. */
const follow = async ({ url, input, buffer, onStatus }: Followed, signal: AbortSignal): Promise<void> => {
  for (;;) {
    try {
      await withSlot(
        TAIL_SLOT,
        signal,
        () => onStatus('waiting', null),
        async () => {
          onStatus('connecting', null);
          buffer.begin();
          for await (const event of readEvents(url, signal, input)) {
            take(buffer, event);
            onStatus('live', null);
          }
          throw new ApiProblem(0, { detail: LOST });
        },
      );
    } catch (error) {
      if (signal.aborted) return;
      onStatus('failed', error);
      if (isFinal(error)) return;
      await pause(RETRY_AFTER_MS, signal);
      if (signal.aborted) return;
    }
  }
};

interface State {
  status: TailStatus;
  error: unknown;
}

/** The messages of a tail; null for none. While `isPaused` they are counted, and shown when it is resumed. */
export const useTail = (connection: string, input: TailInput | null, isPaused: boolean) => {
  const [tailed, setTailed] = useState<Tailed>(NOTHING);
  const [state, setState] = useState<State>({ status: 'connecting', error: null });
  const buffer = useRef<TailBuffer | null>(null);
  const show = useEffectEvent((from: TailBuffer) => {
    const next = from.take(isPaused);
    if (next) startTransition(() => setTailed(next));
  });
  const wanted = input === null ? null : JSON.stringify(input);
  useEffect(() => {
    setTailed(NOTHING);
    if (wanted === null) return;
    const end = new AbortController();
    const own = new TailBuffer();
    buffer.current = own;
    let last: TailStatus | null = null;
    const onStatus = (status: TailStatus, error: unknown) => {
      if (status !== last) setState({ status, error });
      last = status;
    };
    const url = urlOf(channelContracts.tail, {}, connection);
    void follow({ url, input: JSON.parse(wanted) as TailInput, buffer: own, onStatus }, end.signal);
    const timer = setInterval(() => show(own), SHOW_MS);
    return () => {
      clearInterval(timer);
      end.abort();
    };
  }, [connection, wanted]);
  const dismiss = useCallback(() => buffer.current?.dismiss(), []);
  return { ...tailed, ...state, dismiss };
};

export type TailState = ReturnType<typeof useTail>;
