'use client';

import { Alert, Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import type { ServerClient } from '@/lib/server/clients/schema';

/** Commands that the console's user may not use: what they would say is "—". */
export const Missing = ({ commands }: { commands: readonly string[] }) => {
  const t = useTranslations('server');
  if (commands.length === 0) return null;
  return (
    <Dimmed size="xs" my="xs">
      {t('missing', { commands: commands.join(', ') })}
    </Dimmed>
  );
};

interface OwnBadgeProps {
  of: { own: boolean; saysKeyward: boolean; inScript?: boolean };
}

/** After a name: a connection of Keyward, or one that only names itself so; and that a script called. */
export const OwnBadge = ({ of: { own, saysKeyward, inScript } }: OwnBadgeProps) => {
  const t = useTranslations('server');
  if (!own && !saysKeyward && !inScript) return null;
  return (
    <>
      {' '}
      {inScript && <Badge color="gray">{t('slow.inScript')}</Badge>}{' '}
      {(own || saysKeyward) && (
        <Badge color={own ? 'gray' : 'orange'}>{t(own ? 'own.badge' : 'own.says')}</Badge>
      )}
    </>
  );
};

/** Keyward’s own connections, and those of replication, stay. A name alone makes none its own. */
export const mayBeKilled = ({ own, kind }: ServerClient): boolean =>
  !own && kind !== 'replica' && kind !== 'primary';

export const ClientName = ({ client }: { client: ServerClient }) => {
  const t = useTranslations('server');
  const { name } = client;
  return (
    <>
      {name === null ? <span>{t('clients.unnamed')}</span> : <HostileText max={60}>{name}</HostileText>}
      <OwnBadge of={client} />
    </>
  );
};

interface RefusedProps {
  refused: { reason: string; missing: string[] } | null | undefined;
}

/** Why the server does not give a list. */
export const Refused = ({ refused }: RefusedProps) => {
  const t = useTranslations('server');
  if (!refused) return null;
  return (
    <Alert color="orange" title={t('refused')} mb="sm">
      {refused.reason}
      <Missing commands={refused.missing} />
    </Alert>
  );
};
