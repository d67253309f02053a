import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import { dehydrate, QueryClient, type QueryKey } from '@tanstack/react-query';
import { headers } from 'next/headers';
import { getLocale } from 'next-intl/server';
import type { ReactNode } from 'react';
import { type ListContract, listQuery } from '@/components/patterns/list-query';
import { transport } from '@/lib/api-client';
import { served } from '@/lib/http/served';
import { withCatalogWords } from '@/messages/catalog-words';
import { loadWords } from '@/messages/load';
import { WithAnswers } from './with-answers';

/** A document waits this long for an answer; a later one is streamed into it. */
const WAIT_MS = 150;

/** A query of the page's components. */
interface AnyQuery {
  queryKey: QueryKey;
  initialPageParam?: unknown;
}

/** The queries that a page's components send first when its address has no filters. */
export type FirstQueries = (connection: string) => readonly AnyQuery[];

/** The props that Next passes to a page. */
export interface PageProps {
  params: Promise<{ connection: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

interface Props extends PageProps {
  first: FirstQueries;
  children: ReactNode;
}

/** The first page of a list without filters. */
export const firstPage = <C extends ListContract>(contract: C, connection: string | undefined) =>
  listQuery<C>(contract, { connection, filter: {} as never, everyMs: false });

/** Asks like the browser, with its credentials, so the operation authorises, limits and counts the request. */
const askConsole = async (path: string, { method }: RequestInit): Promise<Response> =>
  served()(new Request(new URL(path, 'http://console'), { method: method!, headers: await headers() }));

/**
 * Puts the first answers into the page, so that they are shown before the browser could ask. Failures are left out: the
 * browser asks again, and shows why.
 */
export const FirstAnswers = async ({ first, params, searchParams, children }: Props) => {
  const [{ connection }, search] = await Promise.all([params, searchParams]);
  if (Object.keys(search).length > 0) return children;
  transport.send = askConsole;
  const client = new QueryClient();
  const answers = first(connection).map((query) =>
    'initialPageParam' in query
      ? client.prefetchInfiniteQuery(query as Parameters<typeof client.prefetchInfiniteQuery>[0])
      : client.prefetchQuery(query as Parameters<typeof client.prefetchQuery>[0]),
  );
  // A browser that goes from page to page meanwhile shows its cached answers.
  const isDocument = (await headers()).get('accept')?.includes('text/html');
  if (isDocument) await Promise.race([Promise.all(answers), delay(WAIT_MS)]);
  const locale = await getLocale();
  const wordOf = await loadWords(locale);
  const state = dehydrate(client, {
    ...(locale !== 'en' && { serializeData: (answer: unknown) => withCatalogWords(answer, wordOf) }),
    shouldDehydrateQuery: ({ state: { status } }) => status !== 'error',
    // So that the log says why a later answer failed; React keeps the reason from the browser.
    shouldRedactErrors: () => false,
  });
  return <WithAnswers state={state}>{children}</WithAnswers>;
};
