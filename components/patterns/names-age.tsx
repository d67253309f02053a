import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { RelativeTime } from './relative-time';

interface NamesAgeProps {
  list: { indexedAt: string; complete: boolean } | undefined;
}

/**
 * Explains that recent names may be missing while the index is refreshed. Beside the filters a second line of the status
 * is no higher than they are, so that nothing moves.
 */
export const NamesAge = ({ list }: NamesAgeProps) => {
  const t = useTranslations('patterns');
  if (!list || list.complete) return null;
  return (
    <Text span display="block" size="xs" c="dimmed">
      {t.rich('namesAge', { age: () => <RelativeTime at={list.indexedAt} /> })}
    </Text>
  );
};
