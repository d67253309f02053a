'use client';

import { Loader, Popover, Switch, Text, Tooltip } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { useMay } from '@/components/patterns/viewer';
import type { Flag } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { FlagQuestion } from './flag-question';
import { useSetFlag } from './queries';

const IN_LINE = { display: 'inline-block', verticalAlign: 'middle' };

/** Why there is no switching here; null where there is. */
const useObstacle = (): 'role' | 'readOnly' | null => {
  const mayToggle = useMay('flags:toggle');
  const { readOnly } = useConnection();
  if (!mayToggle) return 'role';
  return readOnly ? 'readOnly' : null;
};

/** The switch asks for a reason first, shows where it is going while the server decides, and goes back if refused. */
export const FlagSwitch = ({ flag }: { flag: Flag }) => {
  const t = useTranslations('flags');
  const { id } = useConnection();
  const obstacle = useObstacle();
  const set = useSetFlag(id);
  const undoToast = useUndoToast();
  // The flag as it was when the question was asked: its etag tells whether somebody was quicker.
  const [seen, setSeen] = useState<Flag | null>(null);
  const [opened, setOpened] = useState(false);
  if (flag.enabled === null)
    return (
      <Text size="sm" c="dimmed">
        {t('noBoolean')}
      </Text>
    );

  const shown = set.isPending ? set.variables.enabled : flag.enabled;
  const ask = () => {
    set.reset();
    setSeen(flag);
    setOpened(true);
  };
  const close = () => {
    if (!set.isPending) setOpened(false);
  };
  const submit = (enabled: boolean, etag: string, reason: string) =>
    set.mutate(
      { name: flag.name, enabled, etag, ...(reason ? { reason } : {}) },
      {
        onSuccess: (done) => {
          setOpened(false);
          undoToast({
            message: t(done.enabled ? 'isOn' : 'isOff', { name: visibleText(done.name, 60) }),
            auditId: done.auditId,
            undoUntil: done.undoUntil,
          });
        },
      },
    );
  const control = (
    <Switch
      checked={shown}
      onChange={ask}
      disabled={obstacle !== null || set.isPending}
      label={t(shown ? 'on' : 'off')}
      aria-label={t('switch', { name: visibleText(flag.name, 80) })}
      thumbIcon={set.isPending ? <Loader size={10} /> : undefined}
    />
  );
  if (obstacle)
    return (
      <Tooltip label={t(`obstacle.${obstacle}`)}>
        <span style={IN_LINE}>{control}</span>
      </Tooltip>
    );
  return (
    <Popover
      opened={opened}
      onChange={(open) => !open && close()}
      onDismiss={close}
      position="bottom-start"
      width={320}
      shadow="md"
      withArrow
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <span style={IN_LINE}>{control}</span>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={t('switch', { name: visibleText(flag.name, 80) })}>
        {seen && (
          <FlagQuestion
            seen={seen}
            pending={set.isPending}
            error={set.error}
            onSubmit={submit}
            onClose={close}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
};
