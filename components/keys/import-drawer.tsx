'use client';

import { Badge, Button, FileButton, Group, Stack, Switch, Text } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { keyColumn } from '@/components/data-table/column-kinds';
import { DataTable } from '@/components/data-table/data-table';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { HostileText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { Strong } from '@/components/patterns/strong';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { useCommand } from '@/components/patterns/use-command';
import { useFormat } from '@/components/patterns/use-format';
import { usePlan } from '@/components/patterns/use-plan';
import type { Result } from '@/lib/contract';
import { keyContracts } from '@/lib/keys/schema';

/** The contract's limit in characters, because a file of DUMPs is ASCII. */
const MAX_BYTES = 16 * 2 ** 20;

type Plan = Result<typeof keyContracts.import>;
type Row = Plan['rows'][number];

const COLOR: Record<Row['status'], string> = {
  new: 'green',
  replace: 'red',
  exists: 'gray',
  expired: 'gray',
  refused: 'orange',
  restored: 'green',
};

const changesIn = ({ rows }: Plan): number =>
  rows.filter(({ status }) => status === 'new' || status === 'replace').length;

interface ImportDrawerProps {
  opened: boolean;
  onClose: () => void;
}

/** Restores keys from an exported file: first a table of the expected changes, then the verified result. */
export const ImportDrawer = ({ opened, onClose }: ImportDrawerProps) => {
  const t = useTranslations('keys.import');
  const tKeys = useTranslations('keys');
  const tWord = useTranslations('words');
  const format = useFormat();
  const undoToast = useUndoToast();
  const plan = usePlan(keyContracts.import);
  const change = useCommand(keyContracts.import);
  const [chosen, setChosen] = useState<{ name: string; text: string } | null>(null);
  const [tooLarge, setTooLarge] = useState(false);
  const [replace, setReplace] = useState(false);
  const restored = change.data;
  const planned = plan.data;
  const changes = planned && !restored ? changesIn(planned) : 0;
  const preview = (text: string, replacing: boolean) => {
    change.reset();
    plan.mutate({ file: text, replace: replacing });
  };
  const choose = async (file: File | null) => {
    if (!file) return;
    setTooLarge(file.size > MAX_BYTES);
    plan.reset();
    change.reset();
    setChosen(null);
    if (file.size > MAX_BYTES) return;
    const text = await file.text();
    setChosen({ name: file.name, text });
    preview(text, replace);
  };
  const close = () => {
    plan.reset();
    change.reset();
    setChosen(null);
    setTooLarge(false);
    setReplace(false);
    onClose();
  };
  return (
    <ChangeDrawer
      operation="keys.import"
      opened={opened}
      onClose={close}
      width="compare"
      title={tKeys('actions.keys-import')}
      verb={t('verb', { count: changes })}
      destructive={replace}
      needsConfirmation
      blocked={changes === 0}
      pending={change.isPending}
      error={change.error}
      onSubmit={(words) =>
        chosen &&
        change.mutate(
          { file: chosen.text, replace, ...words },
          {
            onSuccess: ({ restored: count, auditId, undoUntil }) =>
              undoToast({ message: t('done', { count }), auditId, undoUntil }),
          },
        )
      }
    >
      <Stack gap="sm">
        <Text size="sm">{t('explain')}</Text>
        <Group gap="sm">
          <FileButton
            onChange={(file) => void choose(file)}
            inputProps={{ 'aria-label': tWord('chooseFile') }}
          >
            {(props) => (
              <Button
                {...props}
                variant="default"
                loading={plan.isPending}
                leftSection={<IconFileUpload size={16} aria-hidden />}
              >
                {tWord('chooseFile')}
              </Button>
            )}
          </FileButton>
          {chosen && <HostileText max={80}>{chosen.name}</HostileText>}
        </Group>
        {tooLarge && (
          <Text size="sm" c="var(--kw-bad-text)" role="alert">
            {tWord('fileTooLarge', { size: format.bytes(MAX_BYTES) })}
          </Text>
        )}
        {chosen && !restored && (
          <Switch
            label={t('replace')}
            description={t('replaceHint')}
            checked={replace}
            onChange={(event) => {
              setReplace(event.currentTarget.checked);
              preview(chosen.text, event.currentTarget.checked);
            }}
          />
        )}
        {plan.error && <ProblemAlert error={plan.error} />}
        {restored ? (
          <PlanRows label={t('restoredRows', { count: restored.restored })} rows={restored.rows} />
        ) : (
          planned && <PlanRows label={t('planRows', { count: planned.rows.length })} rows={planned.rows} />
        )}
      </Stack>
    </ChangeDrawer>
  );
};

const Status = ({ status }: Pick<Row, 'status'>) => {
  const t = useTranslations('keys.import.status');
  return <Badge color={COLOR[status]}>{t(status)}</Badge>;
};

export const PLAN_COLUMNS = declareColumns<Row>('keys.import', [
  {
    id: 'status',
    header: 'result',
    width: 90,
    cell: ({ status }) => <Status status={status} />,
  },
  keyColumn<Row>({ id: 'key', width: 300, pinned: true }),
  { id: 'family', width: 150 },
  { id: 'type', width: 80 },
  {
    id: 'reason',
    width: 200,
    cell: ({ reason }) => reason && <HostileText max={200}>{reason}</HostileText>,
  },
]);

const PlanRows = ({ label, rows }: { label: string; rows: Row[] }) => {
  const columns = useDeclaredColumns(PLAN_COLUMNS);
  return (
    <>
      <Strong role="status">{label}</Strong>
      <DataTable
        label={label}
        name="import"
        columns={columns}
        rows={rows}
        rowId={({ line }) => String(line)}
        toolbar={false}
      />
    </>
  );
};
