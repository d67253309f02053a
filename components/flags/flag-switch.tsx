'use client';

import { Badge, Loader, Switch } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useContext, useState } from 'react';
import { InCard } from '@/components/data-table/in-card';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { onDemand } from '@/components/patterns/on-demand';
import { Tooltip } from '@/components/patterns/tooltip';
import type { Flag } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import classes from './flags.module.css';
import { useObstacle } from './policy';
import { useDeletedNotice } from './use-deleted-notice';
import { useFlagToggle } from './use-flag-toggle';

const FlagPopover = onDemand(async () => (await import('./flag-popover')).FlagPopover);

const IN_LINE = { display: 'inline-block', verticalAlign: 'middle' };

/** Opens a confirmation first. Shows the new state while the request runs and reverts if it is refused. */
export const FlagSwitch = ({ flag }: { flag: Flag }) => {
  const t = useTranslations('flags');
  const { id } = useConnection();
  const inCard = useContext(InCard);
  const general = useObstacle();
  const toggle = useFlagToggle(flag);
  const [target, setTarget] = useState<HTMLElement | null>(null);
  useDeletedNotice(id, flag.name, toggle.opened);
  if (flag.enabled === null) return <Dimmed>{t('notBoolean')}</Dimmed>;

  const { shown, pending } = toggle;
  const obstacle = general ?? (flag.request?.state === 'pending' ? 'requested' : null);
  // A disabled switch looks alike on and off.
  if (obstacle)
    return (
      <Tooltip label={t(`obstacle.${obstacle}`)}>
        <Badge color={shown ? 'green' : 'gray'}>{t(shown ? 'on' : 'off')}</Badge>
      </Tooltip>
    );
  const label = t('switch', { name: visibleText(flag.name, 80) });
  const control = (
    <Switch
      checked={shown}
      onChange={toggle.open}
      disabled={pending}
      label={t(shown ? 'on' : 'off')}
      aria-label={label}
      {...(inCard && { size: 'lg', classNames: { root: classes.cardSwitch } })}
      thumbIcon={pending ? <Loader size={10} /> : undefined}
    />
  );
  return (
    <>
      <span ref={setTarget} style={IN_LINE}>
        {control}
      </span>
      {toggle.seen && target && <FlagPopover label={label} target={target} toggle={toggle} />}
    </>
  );
};
