'use client';

import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type FormEvent, useMemo, useState } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { kindLabel } from '@/components/patterns/kind-label';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { Select } from '@/components/patterns/select';
import { duplicateJobOf, showingJob } from '@/components/patterns/target-problems';
import { useCommand } from '@/components/patterns/use-command';
import { useViewer } from '@/components/patterns/viewer';
import type { EntityKindRow } from '@/lib/entities/schema';
import { entityContracts } from '@/lib/entities/schema';
import { may, type Permission } from '@/lib/permissions';
import { kindNamed } from './address';

interface CheckFormProps {
  kinds: readonly EntityKindRow[];
  /** As in the address. */
  kind: string;
  onKind: (ref: string) => void;
  /** The check started, or was running already. */
  onJob: (jobId: string, wasRunning: boolean) => void;
}

/** What can be checked, and the permissions that this needs beside that of a check. */
interface Choice {
  value: string;
  label: string;
  needs: readonly Permission[];
}

/** The families of the kinds' relations, each with the relations that it holds. */
const familiesOf = (kinds: readonly EntityKindRow[]): Choice[] => {
  const titles = new Map<string, Set<string>>();
  for (const { relations } of kinds)
    for (const { title, families } of relations)
      for (const family of families) titles.set(family, (titles.get(family) ?? new Set()).add(title));
  const checks = new Map(
    kinds.flatMap(({ familyChecks }) => familyChecks.map((each) => [each.family, each.checkNeeds])),
  );
  return [...titles]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([value, names]) => {
      const needs = checks.get(value) ?? null;
      return needs === null ? [] : [{ value, label: `${value}: ${[...names].join(', ')}`, needs }];
    });
};

/** What to check: all relations of a kind, or one family. */
export const CheckForm = ({ kinds, kind, onKind, onJob }: CheckFormProps) => {
  const t = useTranslations('entities.check');
  const tEntities = useTranslations('entities');
  const tWord = useTranslations('words');
  const check = useCommand(entityContracts.check);
  const [by, setBy] = useState<'kind' | 'family'>('kind');
  const [family, setFamily] = useState<string | null>(null);
  const { role } = useViewer();
  const families = useMemo(() => familiesOf(kinds), [kinds]);
  const related = useMemo(
    () =>
      kinds.flatMap((each) =>
        each.checkNeeds ? [{ value: each.ref, label: kindLabel(kinds, each), needs: each.checkNeeds }] : [],
      ),
    [kinds],
  );
  const missing = ({ needs }: Choice) => needs.filter((permission) => !may(role, permission));
  const choices = by === 'family' ? families : related;
  const refused = choices.filter((choice) => missing(choice).length > 0);
  const options = choices.map((choice) => ({ ...choice, disabled: refused.includes(choice) }));
  const named = kindNamed(kinds, kind)?.ref;
  const chosen =
    by === 'family'
      ? options.find(({ value }) => value === family)
      : (options.find(({ value }) => value === named) ?? options.find(({ disabled }) => !disabled));
  const input = chosen && !chosen.disabled && { [by]: chosen.value };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!input) return;
    check.mutate(input, showingJob(onJob));
  };
  return (
    <Panel>
      <form onSubmit={submit} aria-label={tEntities('tab.check')}>
        <Dimmed mb="sm">{t('note')}</Dimmed>
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
              data={options}
              value={chosen?.value ?? null}
              onChange={(ref) => ref && onKind(ref)}
              allowDeselect={false}
              w={260}
            />
          ) : (
            <Select
              aria-label={t('family')}
              placeholder={tWord('chooseAFamily')}
              data={options}
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
            {tEntities('tab.check')}
          </Button>
        </Group>
        {refused.length > 0 && (
          <Text size="sm" mt="sm">
            {t('refused', {
              what: refused.map(({ label }) => label).join('; '),
              permissions: [...new Set(refused.flatMap(missing))].join(', '),
            })}
          </Text>
        )}
      </form>
      {check.error && duplicateJobOf(check.error) === null && <ProblemAlert error={check.error} />}
    </Panel>
  );
};
