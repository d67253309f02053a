import { useTranslations } from 'next-intl';
import { SmallNote } from './dimmed';
import { RelativeTime } from './relative-time';

interface NamesAgeProps {
  list: { indexedAt: string; complete: boolean } | undefined;
}

/** Explains that recent names may be missing while the index is refreshed; otherwise an empty line. */
export const NamesAge = ({ list }: NamesAgeProps) => {
  const t = useTranslations('patterns');
  // Its line is kept while there is nothing to say, so that nothing moves.
  return (
    <SmallNote display="block" mih="1lh">
      {list && !list.complete && t.rich('namesAge', { age: () => <RelativeTime at={list.indexedAt} /> })}
    </SmallNote>
  );
};
