'use client';

import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Facts } from '@/components/patterns/facts';
import { SearchField } from '@/components/patterns/filter-bar';
import { Panel } from '@/components/patterns/panel';
import { elementText, ShownBytes } from '@/components/patterns/shown-bytes';
import type { KeyElement } from '@/lib/key-values/schema';
import type { KeyDetails } from '@/lib/keys/schema';
import { visibleText } from '@/lib/visible-text';
import { keyQueries } from './queries';

interface VectorSetProps {
  details: KeyDetails;
  of: NonNullable<KeyDetails['vectorSet']>;
  match: string;
  onMatch: (match: string) => void;
}

/** The server's facts about a vector set, some of its elements, and the vector of one found by name. */
export const VectorSet = ({ details, of: { facts }, match, onMatch }: VectorSetProps) => {
  const t = useTranslations('keys.inspector.vectorSet');
  // Each refetch has others: under the pointer they would move away.
  const [{ elements: sample, length }] = useState(details);
  return (
    <Panel title={t('title')}>
      <Stack gap="sm">
        <Facts facts={facts.map(({ name, value }) => ({ label: name, value }))} />
        <SearchField value={match} onChange={onMatch} label={t('element')} noSecrets />
        {match !== '' && <Element keyId={details.keyId} name={match} />}
        {sample.length > 0 && (
          <Text size="sm">
            {sample.length === length
              ? t('all', { count: length })
              : t('sample', { count: sample.length, total: length ?? 0 })}
          </Text>
        )}
        <Group gap="xs">
          {sample.map((element) => (
            <SampleName key={element.id} of={element} onMatch={onMatch} />
          ))}
        </Group>
      </Stack>
    </Panel>
  );
};

/** What a request takes as a name. */
const MAX_NAME = 500;

const SampleName = ({ of: { member }, onMatch }: { of: KeyElement; onMatch: (match: string) => void }) => {
  if (!member) return null;
  const name = elementText(member) ?? '';
  const isAskable = !member.masked && !member.truncated && name.length <= MAX_NAME;
  return (
    <Button
      size="compact-sm"
      variant="default"
      maw="100%"
      title={visibleText(name)}
      disabled={!isAskable}
      onClick={() => onMatch(name)}
    >
      <ShownBytes of={member} max={60} isName />
    </Button>
  );
};

const Element = ({ keyId, name }: { keyId: string; name: string }) => {
  const t = useTranslations('keys.inspector.vectorSet');
  const { id } = useConnection();
  const { data } = useQuery(keyQueries.element(id, keyId, name));
  const element = data?.vectorSet?.element;
  if (!data) return null;
  if (!element) return <Text size="sm">{t('none')}</Text>;
  const { dimensions, vector, attributes } = element;
  return (
    <div style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm">{t('vector', { dimensions, vector: vector.join(', ') })}</Text>
      {attributes && (
        <Text size="sm" mt="xs">
          {t('attributes')} <ShownBytes of={attributes} max={4000} />
        </Text>
      )}
    </div>
  );
};
