'use client';

import { Input, SegmentedControl, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer, type ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { type Flag, flagName, STYLES } from '@/lib/flags/schema';
import { useTwoPerson } from './policy';
import { useFlagChange } from './queries';

type Style = (typeof STYLES)[number];

const PREFIX = 'FEATURE_';
const EMPTY = { name: PREFIX, enabled: false, style: '' as Style | '', description: '' };

/** What is wrong with a name as far as it is typed; null while nothing is. */
const faultOf = (name: string, flags: readonly Flag[]): 'prefix' | 'letters' | 'long' | 'taken' | null => {
  if (PREFIX.startsWith(name)) return null;
  if (!name.startsWith(PREFIX)) return 'prefix';
  if (!/^[A-Z0-9_]*$/.test(name)) return 'letters';
  if (!flagName.safeParse(name).success) return 'long';
  return flags.some((flag) => flag.name === name) ? 'taken' : null;
};

/** Creating at once, or asking for it where two people are needed: then the style is the majority's. */
const useCreating = (onClose: () => void) => {
  const t = useTranslations('flags.create');
  const { id } = useConnection();
  const asking = useTwoPerson();
  const create = useFlagChange('create', id);
  const request = useFlagChange('request', id);
  const toast = useUndoToast();
  const submit = async (fields: typeof EMPTY, words: ChangeWords): Promise<void> => {
    const { name, enabled, style, description } = fields;
    const wanted = { name, enabled, ...words };
    const more = { ...(style ? { style } : {}), ...(description.trim() ? { description } : {}) };
    const done = await (asking
      ? request.mutateAsync({ ...wanted, action: 'create' })
      : create.mutateAsync({ ...wanted, ...more })
    ).catch(() => null);
    // The drawer shows the mutation's own error.
    if (!done) return;
    onClose();
    const { auditId, undoUntil } = done;
    toast({ message: t(asking ? 'requested' : 'done', { name }), auditId, undoUntil });
  };
  const reset = () => {
    create.reset();
    request.reset();
  };
  const { isPending, error } = asking ? request : create;
  return { asking, pending: isPending, error, submit, reset };
};

interface CreateFlagProps {
  opened: boolean;
  onClose: () => void;
  flags: readonly Flag[];
}

/** A new flag: its name checked while it is typed, its state, how it is written, and what it does. */
export const CreateFlag = ({ opened, onClose, flags }: CreateFlagProps) => {
  const t = useTranslations('flags.create');
  const [fields, setFields] = useState(EMPTY);
  const close = () => {
    setFields(EMPTY);
    creating.reset();
    onClose();
  };
  const creating = useCreating(close);
  const { asking } = creating;
  const set = (change: Partial<typeof EMPTY>) => setFields({ ...fields, ...change });
  const fault = faultOf(fields.name, flags);
  return (
    <ChangeDrawer
      opened={opened}
      onClose={close}
      title={t('title')}
      verb={t(asking ? 'ask' : 'verb')}
      blocked={fault !== null || !flagName.safeParse(fields.name).success}
      pending={creating.pending}
      error={creating.error}
      onSubmit={(words) => void creating.submit(fields, words)}
    >
      <Stack gap="md">
        <Text size="sm">{t(asking ? 'consequenceAsking' : 'consequence')}</Text>
        <TextInput
          label={t('name')}
          description={t('nameHint')}
          value={fields.name}
          onChange={(event) => set({ name: event.currentTarget.value.trim() })}
          error={fault && t(`fault.${fault}`)}
          maxLength={200}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          data-autofocus
          required
        />
        <Stack gap={4} align="flex-start">
          <Input.Label labelElement="div">{t('state')}</Input.Label>
          <SegmentedControl
            aria-label={t('state')}
            data={[
              { value: 'off', label: t('off') },
              { value: 'on', label: t('on') },
            ]}
            value={fields.enabled ? 'on' : 'off'}
            onChange={(state) => set({ enabled: state === 'on' })}
          />
        </Stack>
        {!asking && (
          <>
            <Select
              label={t('style')}
              description={t('styleHint')}
              placeholder={t('styleOfMost')}
              data={[...STYLES]}
              value={fields.style || null}
              onChange={(style) => set({ style: (style as Style | null) ?? '' })}
              clearable
            />
            <Textarea
              label={t('description')}
              description={t('descriptionHint')}
              value={fields.description}
              onChange={(event) => set({ description: event.currentTarget.value })}
              maxLength={500}
              autosize
              minRows={2}
              maxRows={6}
            />
          </>
        )}
      </Stack>
    </ChangeDrawer>
  );
};
