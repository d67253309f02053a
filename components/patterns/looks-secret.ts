'use client';

import { loadedLater, RETRY_MS } from './on-demand';

const load = async () => (await import('@/lib/keyspace/mask')).looksSecret;

/** The check for showing its result; null until it is loaded. */
export const useLooksSecret = loadedLater(load);

const pause = () => new Promise((resolve) => setTimeout(resolve, RETRY_MS));

/** The check before a text gets into an address or a request: it waits until it is loaded, however often that fails. */
export const isSecret = (text: string): Promise<boolean> =>
  load().then(
    (looksSecret) => looksSecret(text),
    () => pause().then(() => isSecret(text)),
  );
