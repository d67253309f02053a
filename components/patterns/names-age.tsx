import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { RelativeTime } from './relative-time';
import { useNarrow } from './use-narrow';

interface NamesAgeProps {
  list: { indexedAt: string; complete: boolean } | undefined;
}

/** Explains that recent names may be missing while the index is refreshed; otherwise an empty place. */
export const NamesAge = ({ list }: NamesAgeProps) => {
  const t = useTranslations('patterns');
  const isNarrow = useNarrow();
  const isSaid = list !== undefined && !list.complete;
  // On a phone the status has a line of its own anyway.
  if (isNarrow && !isSaid) return null;
  // Its place is kept while there is nothing to say, so that nothing moves.
  return (
    <Text span display="block" size="xs" c="dimmed" mih="1lh">
      {isSaid && t.rich('namesAge', { age: () => <RelativeTime at={list.indexedAt} /> })}
    </Text>
  );
};
