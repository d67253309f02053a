import { useDebouncedValue } from '@mantine/hooks';
import type { IconBolt } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect, useMemo, useState } from 'react';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { isSecret } from '@/components/patterns/looks-secret';
import { useViewer } from '@/components/patterns/viewer';
import { PAGES } from '../pages';
import { type Match, type Source, shownOf, sourcesFor } from './sources';
import { isUuid, MIN_LENGTH, type Typed } from './typed';

/** Typing pauses this long before anything is asked, ms. */
const PAUSE_MS = 100;
/** The same text is asked again after this time, ms. */
const STALE_MS = 10_000;
/** A list that is still being read is asked for again after this time, ms. */
const READING_MS = 1000;

export interface Group extends Pick<Source, 'verb' | 'rest'> {
  name: string;
  icon: typeof IconBolt;
  matches: readonly Match[];
  state: 'loading' | 'failed' | 'found';
  /** Whether nothing else could match; false if only a part of the keyspace was searched. */
  isComplete: boolean;
}

interface SafeText {
  safe: string | null;
  isPending: boolean;
  looksSecret: boolean;
}

/** What a text is, once typing paused and it was checked: `safe` is null where it is too short or looks like a secret. */
export const useSafeText = (text: string): SafeText => {
  const [paused] = useDebouncedValue(text, PAUSE_MS);
  const [checked, setChecked] = useState<{ text: string; isSecret: boolean } | null>(null);
  useEffect(() => {
    let isGone = false;
    void isSecret(paused).then((secret) => {
      if (!isGone) setChecked({ text: paused, isSecret: secret });
    });
    return () => {
      isGone = true;
    };
  }, [paused]);
  const isPending = checked?.text !== text;
  const looksSecret = !isPending && checked.isSecret && !isUuid(text);
  const mayBeAsked = !isPending && !looksSecret && text.length >= MIN_LENGTH;
  return { safe: mayBeAsked ? text : null, isPending, looksSecret };
};

/** What the sources of a connection have for a typed text, each as soon as it answers; `null` asks nothing. */
export const useFind = (connection: ConnectionFacts | null, typed: Typed | null): Group[] => {
  const t = useTranslations('shell.find');
  const tPage = useTranslations();
  const { role } = useViewer();
  const sources = useMemo(
    () => (connection && typed ? sourcesFor(role, connection, typed) : []),
    [role, connection, typed],
  );
  return useQueries({
    queries: sources.map(({ query, isReading }) => ({
      ...query,
      staleTime: STALE_MS,
      retry: false,
      refetchInterval: ({ state }: { state: { data: unknown } }) =>
        state.data !== undefined && isReading(state.data) ? READING_MS : false,
    })),
    combine: (results) =>
      results.map(({ data, error, isFetching }, i): Group => {
        const { page, kind, title, verb, rest, matchesOf, isComplete, isReading } = sources[i]!;
        const { label, icon } = PAGES.find(({ id }) => id === page)!;
        const matches = data === undefined ? [] : matchesOf(data);
        const shown = shownOf(matches);
        return {
          name: title ?? (kind ? t(`kind.${kind}`) : tPage(label)),
          icon,
          ...(verb && { verb }),
          rest,
          matches: shown,
          state:
            isFetching || (data !== undefined && isReading(data)) ? 'loading' : error ? 'failed' : 'found',
          isComplete: data === undefined || (isComplete(data) && matches.length <= shown.length),
        };
      }),
  });
};

/** The groups up to and including the first that still changes, so that nothing shown moves when others arrive. */
export const inOrder = (groups: readonly Group[]): readonly Group[] => {
  const changing = groups.findIndex(({ state }) => state === 'loading');
  return changing < 0 ? groups : groups.slice(0, changing + 1);
};
