'use client';

import { loadedLater } from './on-demand';

const load = async () => (await import('@/lib/keyspace/mask')).looksSecret;

/** The check for showing its result; null until it is loaded. */
export const useLooksSecret = loadedLater(load);

/** The check before a text gets into an address or a request: it waits until it is loaded. */
export const isSecret = async (text: string): Promise<boolean> => (await load())(text);
