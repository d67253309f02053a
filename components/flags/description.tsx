'use client';

import { ActionIcon, Button, Group, Stack, Text, Textarea, UnstyledButton } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type KeyboardEvent, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { HostileText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { Tooltip } from '@/components/patterns/tooltip';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { useCommand } from '@/components/patterns/use-command';
import type { Flag } from '@/lib/flags/schema';
import { flagContracts } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { FlagDeleted, isDeleted } from './changed-meanwhile';
import classes from './flags.module.css';
import { useObstacle } from './policy';
import { useDeletedNotice } from './use-deleted-notice';

/** A flag's description. Users who may change flags edit it in place. */
export const Description = ({ flag }: { flag: Flag }) => {
  const t = useTranslations('flags.describe');
  const mayChange = useObstacle() === null;
  const [editing, setEditing] = useState(false);
  if (editing) return <DescriptionForm flag={flag} onClose={() => setEditing(false)} />;
  const name = visibleText(flag.name, 80);
  if (!flag.description)
    return mayChange ? (
      <UnstyledButton aria-label={t('addOf', { name })} onClick={() => setEditing(true)}>
        <Text size="xs" c="dimmed" td="underline">
          {t('add')}
        </Text>
      </UnstyledButton>
    ) : null;
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Text size="xs" c="dimmed" component="div">
        <HostileText max={160}>{flag.description}</HostileText>
      </Text>
      {mayChange && (
        <Tooltip label={t('edit')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="xs"
            className={classes.edit}
            aria-label={t('of', { name })}
            onClick={() => setEditing(true)}
          >
            <IconPencil size={13} />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
};

const DescriptionForm = ({ flag, onClose }: { flag: Flag; onClose: () => void }) => {
  const t = useTranslations('flags.describe');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const [text, setText] = useState(flag.description ?? '');
  const describe = useCommand(flagContracts.describe, id);
  const toast = useUndoToast();
  useDeletedNotice(id, flag.name, true);
  const name = visibleText(flag.name, 80);
  const save = () =>
    describe.mutate(
      { name: flag.name, description: text },
      {
        onSuccess: ({ auditId, undoUntil }) => {
          onClose();
          toast({ message: t('done', { name }), auditId, undoUntil });
        },
      },
    );
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    save();
  };
  return (
    <Stack gap={6} mt={4}>
      <Textarea
        size="xs"
        aria-label={t('of', { name })}
        placeholder={t('example')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
        maxLength={500}
        autosize
        minRows={2}
        maxRows={6}
        autoFocus
      />
      {isDeleted(describe.error) ? (
        <FlagDeleted name={flag.name} />
      ) : (
        describe.error && <ProblemAlert error={describe.error} />
      )}
      <Group gap={6}>
        <Button size="compact-xs" onClick={save} loading={describe.isPending}>
          {tWord('save')}
        </Button>
        <Button size="compact-xs" variant="default" onClick={onClose} disabled={describe.isPending}>
          {tWord('cancel')}
        </Button>
      </Group>
    </Stack>
  );
};
