'use client';

import { Input, SegmentedControl, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { type Flag, flagName, STYLES } from '@/lib/flags/schema';
import { useTwoPerson } from './policy';
import { useCreateFlag } from './queries';

type Style = (typeof STYLES)[number];

const PREFIX = 'FEATURE_';
const EMPTY = { name: PREFIX, enabled: false, style: '' as Style | '', description: '' };

/** The first problem of the name typed so far, or null. */
const faultOf = (name: string, flags: readonly Flag[]): 'prefix' | 'letters' | 'long' | 'taken' | null => {
  if (PREFIX.startsWith(name)) return null;
  if (!name.startsWith(PREFIX)) return 'prefix';
  if (!/^[A-Z0-9_]*$/.test(name)) return 'letters';
  if (!flagName.safeParse(name).success) return 'long';
  return flags.some((flag) => flag.name === name) ? 'taken' : null;
};

interface CreateFlagProps {
  opened: boolean;
  onClose: () => void;
  flags: readonly Flag[];
}

/** Form for a new flag. The name is checked as it is typed. */
export const CreateFlag = ({ opened, onClose, flags }: CreateFlagProps) => {
  const t = useTranslations('flags.create');
  const { id } = useConnection();
  const needsApproval = useTwoPerson();
  const create = useCreateFlag(id, needsApproval);
  const [fields, setFields] = useState(EMPTY);
  const close = () => {
    setFields(EMPTY);
    onClose();
  };
  const set = (change: Partial<typeof EMPTY>) => setFields({ ...fields, ...change });
  const { name, enabled, style, description } = fields;
  const fault = faultOf(name, flags);
  return (
    <FormDrawer
      opened={opened}
      onClose={close}
      title={t('title')}
      verb={t(needsApproval ? 'request' : 'verb')}
      blocked={fault !== null || !flagName.safeParse(name).success}
      change={create}
      input={(words) => ({
        name,
        enabled,
        ...(style ? { style } : {}),
        ...(description.trim() ? { description } : {}),
        ...words,
      })}
      done={() => t(needsApproval ? 'requested' : 'done', { name })}
    >
      <Stack gap="md">
        <Text size="sm">{t(needsApproval ? 'consequenceRequest' : 'consequence')}</Text>
        <TextInput
          label={t('name')}
          description={t('nameHint')}
          value={name}
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
            value={enabled ? 'on' : 'off'}
            onChange={(state) => set({ enabled: state === 'on' })}
          />
        </Stack>
        {!needsApproval && (
          <>
            <Select
              label={t('style')}
              description={t('styleHint')}
              placeholder={t('styleOfMost')}
              data={[...STYLES]}
              value={style || null}
              onChange={(style) => set({ style: (style as Style | null) ?? '' })}
              clearable
            />
            <Textarea
              label={t('description')}
              description={t('descriptionHint')}
              value={description}
              onChange={(event) => set({ description: event.currentTarget.value })}
              maxLength={500}
              autosize
              minRows={2}
              maxRows={6}
            />
          </>
        )}
      </Stack>
    </FormDrawer>
  );
};
