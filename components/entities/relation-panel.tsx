'use client';

import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed, SmallNote } from '@/components/patterns/dimmed';
import { EntityRefText, IdBesideTitle } from '@/components/patterns/entity-link';
import { KeyLink } from '@/components/patterns/key-link';
import { Panel } from '@/components/patterns/panel';
import touch from '@/components/patterns/touch.module.css';
import { useFormat } from '@/components/patterns/use-format';
import type { RelationView } from '@/lib/entities/schema';
import classes from './entities.module.css';

/** Number of elements shown of the first page. */
const SHOWN = 10;

interface RelationPanelProps {
  relation: RelationView;
  onAll: (relation: string) => void;
}

/** One relation: how many, its first elements as links, and a button to the complete list. */
export const RelationPanel = ({ relation, onAll }: RelationPanelProps) => {
  const t = useTranslations('entities.relation');
  const { title, first, nextCursor, count, scanned, problem } = relation;
  const shown = first.slice(0, SHOWN);
  // Being in a list of others (who is online) is counted and has no elements of its own.
  const hasMore = nextCursor !== null || first.length > shown.length;
  const isOpenable = problem !== 'wrongType' && problem !== 'unreadable';
  const isSought = scanned && count === null && first.length === 0;
  return (
    <Panel className={classes.relation}>
      <Group justify="space-between" align="baseline" gap="xs" mb="xs" wrap="nowrap">
        <Title order={3} size="h5" miw={0} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        <Counted relation={relation} />
      </Group>
      <Problem relation={relation} />
      {shown.length > 0 && (
        <ul className={`${classes.elements} ${touch.thumbs}`} aria-label={title}>
          {shown.map((of, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a list may have the same element twice
            <li key={`${of.id} ${place}`}>
              <EntityRefText of={of} max={60} />
              <IdBesideTitle of={of} />
            </li>
          ))}
        </ul>
      )}
      {count === 0 && !problem && <Dimmed>{t('empty')}</Dimmed>}
      {isSought && <Dimmed>{t('sought')}</Dimmed>}
      <Group justify="space-between" gap="xs" mt="xs" className={`${classes.foot} ${touch.thumbs}`}>
        {relation.keyId && relation.key && relation.type !== null ? (
          <KeyLink keyId={relation.keyId} max={60}>
            {relation.key}
          </KeyLink>
        ) : (
          <span />
        )}
        {isOpenable && (hasMore || isSought) && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t(isSought ? 'seekOf' : 'allOf', { title })}
            onClick={() => onAll(relation.relation)}
          >
            {t(isSought ? 'seek' : 'showAll')}
          </Button>
        )}
      </Group>
    </Panel>
  );
};

/** "3", and "the record says 5" where the two differ. */
const Counted = ({ relation: { count, counted } }: { relation: RelationView }) => {
  const t = useTranslations('entities.relation');
  const format = useFormat();
  return (
    <Stack gap={0} align="flex-end">
      <Text span fw={650}>
        {format.count(count)}
      </Text>
      {counted !== null && counted !== count && (
        <SmallNote ta="end">{t('recordCounts', { count: counted })}</SmallNote>
      )}
    </Stack>
  );
};

const Problem = ({ relation: { problem, type } }: { relation: RelationView }) => {
  const t = useTranslations('entities.relation');
  if (problem === null) return null;
  return (
    <Stack gap={4} mb="xs" align="flex-start">
      <Badge color="orange">{t(`problem.${problem}`)}</Badge>
      {problem !== 'partial' && <Text size="sm">{t(`why.${problem}`, { type: type ?? '—' })}</Text>}
    </Stack>
  );
};
