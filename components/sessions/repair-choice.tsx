'use client';

import { Badge, Checkbox, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useFormat } from '@/components/patterns/use-format';
import { REPAIRS, type RepairKind, type RepairResult } from '@/lib/sessions/repair/schema';

interface RepairChoiceProps {
  kinds: readonly RepairKind[];
  /** The dry run's counts for these kinds. */
  counted: RepairResult | null;
  onChange: (kinds: readonly RepairKind[]) => void;
}

/** The kinds to repair, each with what the repair does and, after a dry run, to how many. */
export const RepairChoice = ({ kinds, counted, onChange }: RepairChoiceProps) => {
  const t = useTranslations('sessions.repair');
  const format = useFormat();
  return (
    <Checkbox.Group
      label={t('kinds')}
      value={[...kinds]}
      onChange={(chosen) => onChange(REPAIRS.filter((kind) => chosen.includes(kind)))}
      styles={{ label: { fontWeight: 600 } }}
    >
      <Stack gap="sm" mt={6}>
        {REPAIRS.map((kind) => {
          const count = counted?.before[kind];
          return (
            <div key={kind}>
              <Checkbox
                value={kind}
                size="sm"
                label={
                  <>
                    {t(`kind.${kind}`)}{' '}
                    {count !== undefined && (
                      <Badge color={count > 0 ? 'orange' : 'gray'} size="sm" ms={4}>
                        {format.count(count)}
                      </Badge>
                    )}
                  </>
                }
                description={t(`does.${kind}`)}
                styles={{ label: { fontWeight: 500 }, description: { lineHeight: 1.4 } }}
              />
              {counted && count !== undefined && count > 0 && (
                <Text size="xs" fw={600} ms={32} mt={2}>
                  <Forecast kind={kind} result={counted} count={count} />
                </Text>
              )}
            </div>
          );
        })}
      </Stack>
    </Checkbox.Group>
  );
};

interface ForecastProps {
  kind: RepairKind;
  result: RepairResult;
  count: number;
}

const Forecast = ({ kind, result: { ended, left }, count }: ForecastProps) => {
  const t = useTranslations('sessions.repair.will');
  if (kind !== 'noTtl') return t(kind, { count });
  return t(kind, { given: count - ended - left, ended, left });
};
