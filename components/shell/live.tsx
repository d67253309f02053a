'use client';

import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from 'react';
import { urlOf } from '@/lib/api-client';
import { metricContracts } from '@/lib/history/schema';
import { type FeedState, idleFeed, LiveFeed } from './live-feed';

const FeedContext = createContext<LiveFeed | null>(null);

/** Shares one stream of the connection among header and page. */
export const LiveProvider = ({
  connection,
  children,
}: {
  connection: string | null;
  children: ReactNode;
}) => {
  const feed = useMemo(
    () => (connection === null ? null : new LiveFeed(urlOf(metricContracts.stream, {}, connection))),
    [connection],
  );
  return <FeedContext value={feed}>{children}</FeedContext>;
};

const never = () => () => undefined;
const idle = (): FeedState => idleFeed;

/** The live points of the shown connection, about one a second, and how the stream is doing. */
export const useLive = (): FeedState => {
  const feed = useContext(FeedContext);
  return useSyncExternalStore(feed?.subscribe ?? never, feed?.read ?? idle, idle);
};
