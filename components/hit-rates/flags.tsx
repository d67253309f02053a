import { Code, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { SamplingState } from '@/lib/hit-rates/schema';

/** `notify-keyspace-events` of each primary: now, and while a window is open. */
export const Flags = ({ nodes }: { nodes: SamplingState['nodes'] }) => {
  const t = useTranslations('hitRates.flags');
  return nodes.map(({ node, present, proposed, sufficient }) => (
    <Text key={node} size="sm" component="div" data-testid="flags">
      {nodes.length > 1 && `${node}: `}
      {present === null ? (
        t('unreadable')
      ) : (
        <>
          {t('present')} <Code>{JSON.stringify(present)}</Code>{' '}
          {sufficient ? (
            t('sufficient')
          ) : (
            <>
              {t('proposed')} <Code>{JSON.stringify(proposed)}</Code>
            </>
          )}
        </>
      )}
    </Text>
  ));
};
