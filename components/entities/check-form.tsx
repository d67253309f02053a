'use client';

import { Button, Group, SegmentedControl, Select, Text } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type FormEvent, useMemo, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { kindLabel } from '@/components/patterns/kind-label';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { duplicateJobOf } from '@/components/patterns/target-problems';
import type { EntityKindRow } from '@/lib/entities/schema';
import { kindNamed } from './address';
import { useCheck } from './queries';

interface CheckFormProps {
  kinds: readonly EntityKindRow[];
  /** As in the address. */
  kind: string;
  onKind: (ref: string) => void;
  /** The check started, or was running already. */
  onJob: (jobId: string, wasRunning: boolean) => void;
}

/** The families of the kinds' relations, each with the relations that it holds. */
const familiesOf = (kinds: readonly EntityKindRow[]): { value: string; label: string }[] => {
  const titles = new Map<string, Set<string>>();
  for (const { relations } of kinds)
    for (const { title, families } of relations)
      for (const family of families) titles.set(family, (titles.get(family) ?? new Set()).add(title));
  return [...titles]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([value, names]) => ({ value, label: `${value}: ${[...names].join(', ')}` }));
};

/** What to check: all relations of a kind, or one family. */
export const CheckForm = ({ kinds, kind, onKind, onJob }: CheckFormProps) => {
  const t = useTranslations('entities.check');
  const { id: connection } = useConnection();
  const check = useCheck(connection);
  const [by, setBy] = useState<'kind' | 'family'>('kind');
  const [family, setFamily] = useState<string | null>(null);
  const related = useMemo(() => kinds.filter(({ relations }) => relations.length > 0), [kinds]);
  const families = useMemo(() => familiesOf(kinds), [kinds]);
  const chosen = kindNamed(related, kind) ?? related[0];
  const input = by === 'family' ? family && { family } : chosen && { kind: chosen.ref };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!input) return;
    check.mutate(input, {
      onSuccess: ({ jobId }) => onJob(jobId, false),
      // The same is being checked already: that job answers as well.
      onError: (error) => {
        const jobId = duplicateJobOf(error);
        if (jobId !== null) onJob(jobId, true);
      },
    });
  };
  return (
    <Panel>
      <form onSubmit={submit} aria-label={t('form')}>
        <Text size="sm" c="dimmed" mb="sm">
          {t('note')}
        </Text>
        <Group gap="xs" align="flex-end">
          <SegmentedControl
            aria-label={t('by')}
            value={by}
            onChange={(next) => setBy(next as typeof by)}
            data={(['kind', 'family'] as const).map((value) => ({ value, label: t(`byOf.${value}`) }))}
          />
          {by === 'kind' ? (
            <Select
              aria-label={t('kind')}
              data={related.map((each) => ({ value: each.ref, label: kindLabel(kinds, each) }))}
              value={chosen?.ref ?? null}
              onChange={(ref) => ref && onKind(ref)}
              allowDeselect={false}
              w={260}
            />
          ) : (
            <Select
              aria-label={t('family')}
              placeholder={t('chooseFamily')}
              data={families}
              value={family}
              onChange={setFamily}
              searchable
              w={260}
            />
          )}
          <Button
            type="submit"
            leftSection={<IconChecklist size={16} aria-hidden />}
            disabled={!input}
            loading={check.isPending}
          >
            {t('verb')}
          </Button>
        </Group>
      </form>
      {check.error && duplicateJobOf(check.error) === null && <ProblemAlert error={check.error} />}
    </Panel>
  );
};
