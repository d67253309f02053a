'use client';

import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from 'react';
import { useViewer } from '@/components/patterns/viewer';
import { basePath, urlOf } from '@/lib/api-client';
import { historyContracts } from '@/lib/history/schema';
import { type FeedState, idleFeed, LiveFeed } from './live-feed';
import { shellQueries } from './queries';

const FeedContext = createContext<LiveFeed | null>(null);

/** One feed of the shown connection for the complete page. */
export const LiveProvider = ({
  connection,
  children,
}: {
  connection: string | null;
  children: ReactNode;
}) => {
  const client = useQueryClient();
  const { id } = useViewer();
  const feed = useMemo(() => {
    if (connection === null) return null;
    // After the sign-in ended, this query also answers 401, which leads to the sign-in page.
    const onEnded = () => void client.invalidateQueries(shellQueries.connections());
    const name = ['keyward', 'metrics', basePath(), id, connection].join(' ');
    return new LiveFeed(urlOf(historyContracts.stream, {}, connection), name, onEnded);
  }, [client, id, connection]);
  return <FeedContext value={feed}>{children}</FeedContext>;
};

const never = () => () => undefined;
const idle = (): FeedState => idleFeed;

/** The live points of the shown connection, about one per second, and the state of their stream. */
export const useLive = (): FeedState => {
  const feed = useContext(FeedContext);
  return useSyncExternalStore(feed?.subscribe ?? never, feed?.read ?? idle, idle);
};
