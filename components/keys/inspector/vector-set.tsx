'use client';

import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { Facts } from '@/components/patterns/facts';
import { SearchField } from '@/components/patterns/filter-bar';
import { Panel } from '@/components/patterns/panel';
import type { KeyDetails } from '@/lib/keys/schema';
import { keyQueries } from './queries';

interface VectorSetProps {
  details: KeyDetails;
  of: NonNullable<KeyDetails['vectorSet']>;
  match: string;
  onMatch: (match: string) => void;
}

/** The server's facts about a vector set, and the vector of one element found by name. */
export const VectorSet = ({ details, of: { facts }, match, onMatch }: VectorSetProps) => {
  const t = useTranslations('keys.inspector.vectorSet');
  const { id } = useConnection();
  const query = useQuery({ ...keyQueries.element(id, details.keyId, match), enabled: match !== '' });
  const element = query.data?.vectorSet?.element;
  return (
    <Panel title={t('title')}>
      <Facts facts={facts.map(({ name, value }) => ({ label: name, value }))} />
      <SearchField value={match} onChange={onMatch} label={t('element')} noSecrets />
      {match !== '' && query.data && (
        <Text size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
          {element
            ? t('vector', { dimensions: element.dimensions, vector: element.vector.join(', ') })
            : t('none')}
        </Text>
      )}
    </Panel>
  );
};
