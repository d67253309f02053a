import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { RelativeTime } from './relative-time';

interface NamesAgeProps {
  list: { indexedAt: string; complete: boolean } | undefined;
}

/** Explains that recent names may be missing while the index is refreshed; otherwise an empty place. */
export const NamesAge = ({ list }: NamesAgeProps) => {
  const t = useTranslations('patterns');
  // Its place is kept while there is nothing to say: with the text the bar would break into another line.
  return (
    <Text span display="block" size="xs" c="dimmed" miw="20rem" mih="1lh">
      {list && !list.complete && t.rich('namesAge', { age: () => <RelativeTime at={list.indexedAt} /> })}
    </Text>
  );
};
