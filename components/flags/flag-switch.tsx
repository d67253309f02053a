'use client';

import { Loader, Popover, Switch, Text, Tooltip } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import type { Flag } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { FlagQuestion } from './flag-question';
import { useObstacle } from './policy';
import { useGoneNotice } from './use-gone-notice';
import { useTurning } from './use-turning';

const IN_LINE = { display: 'inline-block', verticalAlign: 'middle' };

/** The switch asks for a reason first, shows where it is going while the server decides, and goes back if refused. */
export const FlagSwitch = ({ flag }: { flag: Flag }) => {
  const t = useTranslations('flags');
  const { id } = useConnection();
  const nobody = useObstacle();
  const turning = useTurning(flag);
  useGoneNotice(id, flag.name, turning.opened);
  if (flag.enabled === null)
    return (
      <Text size="sm" c="dimmed">
        {t('noBoolean')}
      </Text>
    );

  const { shown, pending, opened, close } = turning;
  const obstacle = nobody ?? (flag.request?.state === 'pending' ? 'asked' : null);
  const label = t('switch', { name: visibleText(flag.name, 80) });
  const control = (
    <Switch
      checked={shown}
      onChange={turning.ask}
      disabled={obstacle !== null || pending}
      label={t(shown ? 'on' : 'off')}
      aria-label={label}
      thumbIcon={pending ? <Loader size={10} /> : undefined}
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
      <Popover.Dropdown role="dialog" aria-label={label}>
        {turning.seen && (
          <FlagQuestion
            seen={turning.seen}
            asking={turning.asking}
            pending={pending}
            error={turning.error}
            onSubmit={turning.submit}
            onClose={close}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
};
