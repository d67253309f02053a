'use client';

import { Button, Checkbox, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { IconFileUpload } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useRef, useState } from 'react';
import { AS_TYPED, MONOSPACE } from '@/components/patterns/as-typed';
import { readText } from '@/components/patterns/file-bytes';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { HostileText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StepsNote } from '@/components/patterns/steps-note';
import { useFormat } from '@/components/patterns/use-format';
import { usePlan } from '@/components/patterns/use-plan';
import { envContracts } from '@/lib/env/schema';
import type { DrawerProps } from './edit-drawer';
import { changesIn, doubtfulIn, PlanTable } from './plan-table';
import { useChange } from './queries';
import { isChangedMeanwhile, refusalOf } from './refusal';
import { Doubts } from './refusal-notes';

const MAX_BYTES = 8 * 1024 * 1024;

type ChosenFile = { name: string; bytes: number } | { fault: 'large' | 'notText' } | null;

/** Imports dotenv text, pasted or from a file: first a preview, then all changes or none. */
export const ImportDrawer = (drawer: DrawerProps) => {
  const t = useTranslations('env.import');
  const tEnv = useTranslations('env');
  const { bytes } = useFormat();
  const plan = usePlan(envContracts.import);
  const change = useChange(envContracts.import);
  // A ref, so the text never gets into the markup: it may hold every secret.
  const text = useRef('');
  const [empty, setEmpty] = useState(true);
  const [file, setFile] = useState<ChosenFile>(null);
  const [anyway, setAnyway] = useInputState(false);
  const planned = plan.data;
  const refusal = refusalOf(change.error, []);
  const doubtful = planned ? doubtfulIn(planned) : 0;
  const set = (next: string) => {
    text.current = next;
    setEmpty(next.trim() === '');
    setAnyway(false);
    plan.reset();
    change.reset();
  };
  const preview = () => plan.mutate({ text: text.current });
  const choose = async (chosen: File | null) => {
    if (!chosen) return;
    const read = chosen.size > MAX_BYTES ? null : await readText(chosen);
    setFile(
      read === null
        ? { fault: chosen.size > MAX_BYTES ? 'large' : 'notText' }
        : { name: chosen.name, bytes: chosen.size },
    );
    set(read ?? '');
  };
  const ready = planned && planned.refused === 0 && changesIn(planned) > 0 && (doubtful === 0 || anyway);
  return (
    <FormDrawer
      {...drawer}
      width="compare"
      title={tEnv('actions.env-import')}
      verb={t('verb', { count: planned ? changesIn(planned) : 0 })}
      needsConfirmation
      blocked={!ready}
      change={change}
      input={(words) => ({
        text: text.current,
        etag: planned?.etag,
        anyway: anyway || refusal.doubts !== null,
        ...words,
      })}
      done={({ created, updated }) => t('done', { created, updated })}
      onRefused={(error) => isChangedMeanwhile(error) && preview()}
      error={refusal.rest}
    >
      <Stack gap="sm">
        <Text size="sm">{t('explain')}</Text>
        {file === null || 'fault' in file ? (
          <Textarea
            label={t('text')}
            description={t('hint')}
            placeholder={'SMTP_HOST=smtp.example.org\nSMTP_PORT=587'}
            rows={7}
            resize="vertical"
            onChange={(event) => set(event.currentTarget.value)}
            {...AS_TYPED}
            styles={MONOSPACE}
            error={file && 'fault' in file ? t(`fault.${file.fault}`, { size: bytes(MAX_BYTES) }) : null}
          />
        ) : (
          <Group justify="space-between" gap="xs">
            <Text size="sm" component="div">
              <HostileText max={80}>{file.name}</HostileText> · {bytes(file.bytes)}
            </Text>
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => {
                setFile(null);
                set('');
              }}
            >
              {t('paste')}
            </Button>
          </Group>
        )}
        <Group gap="xs">
          <FileButton onChange={(chosen) => void choose(chosen)} inputProps={{ 'aria-label': t('file') }}>
            {(props) => (
              <Button {...props} variant="default" leftSection={<IconFileUpload size={16} aria-hidden />}>
                {t('file')}
              </Button>
            )}
          </FileButton>
          <Button
            variant={planned ? 'default' : 'filled'}
            onClick={preview}
            loading={plan.isPending}
            disabled={empty}
          >
            {t(planned ? 'again' : 'preview')}
          </Button>
        </Group>
        {plan.error && <ProblemAlert error={plan.error} />}
        {planned && <PlanTable plan={planned} />}
        {planned && <StepsNote of="variables" />}
        {planned && doubtful > 0 && planned.refused === 0 && (
          <Checkbox label={t('anyway', { count: doubtful })} checked={anyway} onChange={setAnyway} />
        )}
        {refusal.doubts && <Doubts doubts={refusal.doubts} />}
      </Stack>
    </FormDrawer>
  );
};
