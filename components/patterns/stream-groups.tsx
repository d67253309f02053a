'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { StreamGroup } from '@/lib/key-values/schema';
import { Dimmed } from './dimmed';
import { Facts } from './facts';
import { Count, Duration } from './figures';
import { Panel } from './panel';
import { ShownBytes } from './shown-bytes';

const Lag = ({ lag }: { lag: number | null }) => {
  const t = useTranslations('patterns.groups');
  return lag === null ? <span>{t('unknown')}</span> : <Count value={lag} />;
};

const Group = ({ group }: { group: StreamGroup }) => {
  const t = useTranslations('patterns.groups');
  return (
    <section>
      <Text fw={500}>{t.rich('group', { name: () => <ShownBytes of={group.name} max={80} /> })}</Text>
      <Facts
        facts={[
          { label: t('lag'), value: <Lag lag={group.lag} /> },
          { label: t('pending'), value: <Count value={group.pending} /> },
          { label: t('lastDelivered'), value: <code>{group.lastDeliveredId}</code> },
          { label: t('consumers'), value: <Count value={group.consumerCount} /> },
        ]}
      />
      <ul>
        {group.consumers.map(({ name, pending, idleSeconds }) => (
          <li key={name.text ?? name.base64}>
            <Text size="sm">
              <ShownBytes of={name} max={80} />:{' '}
              {t.rich('consumer', { pending, idle: () => <Duration value={idleSeconds} /> })}
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** The groups of a stream: their undelivered and unacknowledged entries, and their consumers. */
export const StreamGroups = ({ groups }: { groups: readonly StreamGroup[] | null }) => {
  const t = useTranslations('patterns.groups');
  return (
    <Panel title={t('title')}>
      {groups?.map((group) => (
        <Group key={group.name.text ?? group.name.base64} group={group} />
      ))}
      {!groups?.length && <Dimmed>{t(groups ? 'none' : 'notPermitted')}</Dimmed>}
    </Panel>
  );
};
