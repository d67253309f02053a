'use client';

import { Select, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { fieldError } from '@/components/patterns/field-error';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { FLAG_KINDS, type Flag, type FlagAbout, flagContracts, MAX_TAGS } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { FlagDeleted, isDeleted } from './changed-meanwhile';

interface DescribeFlagProps {
  /** null before it opened once. */
  flag: Flag | null;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
}

/** What people note about a flag: description, owner, kind and tags. */
export const DescribeFlag = ({ flag, ...props }: DescribeFlagProps) =>
  flag && <DescribeForm flag={flag} {...props} />;

const DescribeForm = ({ flag, ...props }: DescribeFlagProps & { flag: Flag }) => {
  const t = useTranslations('flags');
  const tWord = useTranslations('words');
  const describe = useCommand(flagContracts.describe);
  const { error } = describe;
  const [fields, setFields] = useState<FlagAbout>(flag);
  const set = (change: Partial<FlagAbout>) => setFields((now) => ({ ...now, ...change }));
  const { description, owner, kind, tags } = fields;
  const name = visibleText(flag.name, 60);
  const isGone = isDeleted(error);
  return (
    <FormDrawer
      {...props}
      title={t('describe.of', { name })}
      verb={tWord('save')}
      blocked={isGone}
      change={describe}
      input={(words) => ({
        name: flag.name,
        // Only what was edited: another editor may have changed the rest meanwhile.
        ...(description !== flag.description && { description: description ?? '' }),
        ...(owner !== flag.owner && { owner: owner ?? '' }),
        ...(kind !== flag.kind && { kind }),
        ...(tags !== flag.tags && { tags }),
        ...words,
      })}
      done={() => t('describe.done', { name })}
      error={isGone ? null : error}
    >
      <Stack gap="md">
        {isGone && <FlagDeleted name={flag.name} />}
        <Textarea
          label={tWord('description')}
          description={t('describe.example')}
          value={description ?? ''}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={fieldError(error, 'description')}
          maxLength={500}
          autosize
          minRows={2}
          maxRows={6}
        />
        <TextInput
          label={t('column.owner')}
          description={t('describe.ownerHint')}
          value={owner ?? ''}
          onChange={(event) => set({ owner: event.currentTarget.value })}
          error={fieldError(error, 'owner')}
          maxLength={100}
        />
        <Select
          label={tWord('kind')}
          description={kind && t(`kindHint.${kind}`)}
          placeholder={t('describe.noKind')}
          data={FLAG_KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
          value={kind}
          onChange={(value) => set({ kind: FLAG_KINDS.find((each) => each === value) ?? null })}
          clearable
        />
        <TagsInput
          label={t('describe.tags')}
          description={t('describe.tagsHint', { count: MAX_TAGS })}
          value={tags}
          onChange={(value) => set({ tags: value })}
          error={fieldError(error, 'tags')}
          maxTags={MAX_TAGS}
          maxLength={40}
          acceptValueOnBlur
        />
      </Stack>
    </FormDrawer>
  );
};
