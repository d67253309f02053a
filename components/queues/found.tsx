'use client';

import { useTranslations } from 'next-intl';
import { useWords } from '@/components/contract-list/words';
import { NO_STATUS } from '@/components/patterns/filter-bar';
import { useNow } from '@/components/patterns/now';
import { RelativeTime } from '@/components/patterns/relative-time';

interface FoundProps {
  /** Where `found` is: "12 queues". */
  texts: string;
  of: { total: number; complete: boolean; foundAt: string | null } | undefined;
  isFiltered: boolean;
}

/** A scan older than this may lack keys that somebody has just written. */
const RECENT_MS = 10_000;

/** How many keys there are, and when they were found unless that was just now. */
export const Found = ({ texts, of, isFiltered }: FoundProps) => {
  const t = useTranslations('queues');
  const tWord = useTranslations('words');
  const own = useWords(texts);
  const now = useNow();
  if (!of) return NO_STATUS;
  const { total: count, complete, foundAt } = of;
  if (foundAt === null) return t('scanning', { count });
  const summary = () => {
    if (isFiltered) return t(complete ? 'searched' : 'searchedFirst', { count });
    return complete ? own('found', { count }) : t('tooMany', { count });
  };
  const isOld = now !== null && now - Date.parse(foundAt) > RECENT_MS;
  return (
    <>
      {summary()}
      {isOld && <> · {tWord.rich('keysFound', { age: () => <RelativeTime at={foundAt} /> })}</>}
    </>
  );
};
