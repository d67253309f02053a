'use client';

import { Input, SegmentedControl, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { type Flag, type FlagNaming, flagContracts, flagNameFault, STYLES } from '@/lib/flags/schema';
import { useTwoPerson } from './policy';

type Style = (typeof STYLES)[number];

const EMPTY = { name: null as string | null, enabled: false, style: '' as Style | '', description: '' };

/** The first problem of the name typed so far, or null. */
const faultOf = (name: string, flags: readonly Flag[], naming: FlagNaming) => {
  if (naming.prefix.startsWith(name)) return null;
  const fault = flagNameFault(naming, name);
  if (fault) return fault === 'empty' ? null : fault;
  return flags.some((flag) => flag.name === name) ? 'taken' : null;
};

interface CreateFlagProps {
  opened: boolean;
  onClose: () => void;
  flags: readonly Flag[];
  naming: FlagNaming;
}

/** Form for a new flag. The name is checked as it is typed. */
export const CreateFlag = ({ opened, onClose, flags, naming }: CreateFlagProps) => {
  const t = useTranslations('flags.create');
  const tFlags = useTranslations('flags');
  const tWord = useTranslations('words');
  const needsApproval = useTwoPerson();
  const create = useCommand(needsApproval ? flagContracts.request : flagContracts.create);
  const [fields, setFields] = useState(EMPTY);
  const close = () => {
    setFields(EMPTY);
    onClose();
  };
  const set = (change: Partial<typeof EMPTY>) => setFields({ ...fields, ...change });
  const { enabled, style, description } = fields;
  const { prefix, kind } = naming;
  // The form starts with what every name begins with.
  const name = fields.name ?? prefix;
  const fault = faultOf(name, flags, naming);
  const reasonOf = (of: NonNullable<typeof fault>) =>
    of === 'letters' ? t(`fault.letters.${kind}`) : t(`fault.${of}`, { prefix });
  return (
    <FormDrawer
      operation="flags.create"
      opened={opened}
      onClose={close}
      title={t('verb')}
      verb={t(needsApproval ? 'request' : 'verb')}
      blocked={fault !== null || flagNameFault(naming, name) !== null}
      change={create}
      input={(words) => ({
        name,
        enabled,
        // The server chooses the format of a requested flag.
        ...(needsApproval
          ? { action: 'create' }
          : { ...(style && { style }), ...(description.trim() && { description }) }),
        ...words,
      })}
      done={() => t(needsApproval ? 'requested' : 'done', { name })}
    >
      <Stack gap="md">
        <Text size="sm">{needsApproval ? t('consequenceRequest') : t(`consequence.${kind}`)}</Text>
        <TextInput
          label={tWord('name')}
          description={t(`nameHint.${kind}`, { prefix: prefix || 'none' })}
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value.trim() })}
          error={fault && reasonOf(fault)}
          maxLength={200}
          autoComplete="off"
          autoCapitalize={kind === 'variable' ? 'characters' : 'none'}
          spellCheck={false}
          required
        />
        <Stack gap={4} align="flex-start">
          <Input.Label labelElement="div">{tWord('state')}</Input.Label>
          <SegmentedControl
            aria-label={tWord('state')}
            data={[
              { value: 'off', label: tFlags('off') },
              { value: 'on', label: tFlags('on') },
            ]}
            value={enabled ? 'on' : 'off'}
            onChange={(state) => set({ enabled: state === 'on' })}
          />
        </Stack>
        {!needsApproval && (
          <>
            <Select
              label={tWord('storedFormat')}
              description={t('styleHint')}
              placeholder={t('styleOfMost')}
              data={[...STYLES]}
              value={style || null}
              onChange={(style) => set({ style: (style as Style | null) ?? '' })}
              clearable
            />
            <Textarea
              label={tWord('description')}
              description={tFlags('describe.example')}
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
