'use client';

import { Button, Group, SegmentedControl, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { fromBase64, hexOf } from '@/components/patterns/file-bytes';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useFormat } from '@/components/patterns/use-format';
import { ValueDiff } from '@/components/patterns/value-diff';
import { envContracts, type Variable } from '@/lib/env/schema';
import { visibleText } from '@/lib/visible-text';
import { useDisplayName } from './display-name';
import { TextField } from './kind-fields';
import { useChange } from './queries';
import { type Present, refusalOf } from './refusal';
import { ChangedMeanwhile, Doubts } from './refusal-notes';
import { useDraft } from './use-draft';
import { ValueField } from './value-field';

export interface DrawerProps {
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
}

const EDITABLE_BYTES = 1024 * 1024;
const HEX_SHOWN = 64;

const isBase64 = (text: string): boolean => {
  try {
    atob(text.trim());
    return true;
  } catch {
    return false;
  }
};

const hexOrNull = (base64: string | null): string | null =>
  base64 === null || !isBase64(base64) ? null : hexOf(fromBase64(base64.trim()), HEX_SHOWN);

interface EditDrawerProps extends DrawerProps {
  variable: Variable;
  /** An earlier value, to save again; null for the present one. */
  start: string | null;
}

/** Edits a value and shows the difference. If someone else changed it first, both values are shown. */
export const EditDrawer = ({ variable, start, ...drawer }: EditDrawerProps) => {
  const t = useTranslations('env');
  const displayName = useDisplayName();
  const draft = useDraft(variable, start);
  const change = useChange(envContracts.set);
  const [present, setPresent] = useState<Present | null>(null);
  const [clear, setClear] = useState(false);
  const refusal = refusalOf(change.error, ['value', 'valueBase64']);
  const secret = variable.secret || present?.secret === true;
  const isBytes = draft.form === 'bytes';
  const wrongBytes = isBytes && !isBase64(draft.base64);
  const edited =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      change.reset();
      set(value);
    };
  const verb = refusal.doubts ? 'anyway' : present ? 'replace' : 'verb';
  return (
    <FormDrawer
      {...drawer}
      width="editor"
      title={t('edit.title', { name: visibleText(displayName(variable.name), 80) })}
      verb={t(`edit.${verb}`)}
      blocked={(draft.untouched && present === null) || wrongBytes}
      change={change}
      input={(words) => ({
        name: variable.name,
        ...draft.newValue,
        etag: present?.etag ?? draft.etag,
        anyway: refusal.doubts !== null,
        ...words,
      })}
      done={({ name }) => t('edit.done', { name: visibleText(displayName(name), 60) })}
      onRefused={(error) => setPresent((last) => refusalOf(error, []).present ?? last)}
      error={refusal.rest}
    >
      <Stack gap="sm">
        {(variable.problems.some(({ code }) => code === 'not-text') || draft.beforeBase64 !== null) && (
          <SegmentedControl
            aria-label={t('field.form')}
            data={[
              { value: 'text', label: t('field.formText') },
              { value: 'bytes', label: t('field.formBytes') },
            ]}
            value={draft.form}
            onChange={(form) => edited(draft.setForm)(form === 'bytes' ? 'bytes' : 'text')}
          />
        )}
        {!draft.loaded && <LoadPresent draft={draft} variable={variable} />}
        {isBytes ? (
          <TextField
            label={t('field.base64')}
            description={t('field.base64Hint')}
            error={wrongBytes ? t('field.noBase64') : refusal.fields.valueBase64}
            model=""
            text={draft.base64}
            onText={edited(draft.setBase64)}
          />
        ) : (
          <ValueField
            name={variable.name}
            kind={variable.kind}
            secret={secret}
            model={draft.before ?? ''}
            text={draft.text ?? ''}
            onText={edited<string>((text) => draft.setText(text))}
            seed={draft.seed}
            error={refusal.fields.value}
            doubtsShown={refusal.doubts !== null}
            onShown={setClear}
          />
        )}
        {variable.ttlSeconds !== null && <Dimmed size="xs">{t('edit.ttlStays')}</Dimmed>}
        {refusal.doubts && <Doubts doubts={refusal.doubts} />}
        {present && (
          <ChangedMeanwhile
            present={present}
            seen={secret ? null : (draft.before ?? hexOrNull(draft.beforeBase64))}
            mine={secret ? null : isBytes ? hexOrNull(draft.base64) : (draft.text ?? '')}
            onLoadTheirs={
              secret || (present.value === null && !present.valueBase64)
                ? null
                : () => {
                    change.reset();
                    draft.loadTheirs(present);
                    setPresent(null);
                  }
            }
          />
        )}
        {!draft.untouched && !present && (
          <ValueDiff
            masked={secret && !clear}
            before={{
              text: isBytes || draft.beforeBase64 ? hexOrNull(draft.beforeBase64) : draft.before,
              lengthBytes: variable.lengthBytes,
            }}
            after={{
              text: isBytes ? hexOrNull(draft.base64) : draft.text,
              lengthBytes: draft.lengthBytes,
            }}
          />
        )}
      </Stack>
    </FormDrawer>
  );
};

interface LoadPresentProps {
  draft: ReturnType<typeof useDraft>;
  variable: Variable;
}

/** For a value the list does not hold: the user replaces it unseen, or loads (reveals) it first. */
const LoadPresent = ({ draft, variable: { name, lengthBytes } }: LoadPresentProps) => {
  const t = useTranslations('env.edit');
  const { bytes } = useFormat();
  const tooLarge = lengthBytes > EDITABLE_BYTES;
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Dimmed size="xs" flex={1} miw={200}>
          {t(tooLarge ? 'tooLarge' : 'unseen', { size: bytes(lengthBytes) })}
        </Dimmed>
        {!tooLarge && (
          <Button
            size="compact-sm"
            variant="default"
            loading={draft.reveal.isPending}
            onClick={() => draft.reveal.mutate({ name })}
          >
            {t('load')}
          </Button>
        )}
      </Group>
      {draft.reveal.isError && <ProblemAlert error={draft.reveal.error} />}
    </>
  );
};
