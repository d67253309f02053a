'use client';

import { Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { KeyText } from '@/components/patterns/hostile-text';
import { TextLink } from '@/components/patterns/text-link';
import touch from '@/components/patterns/touch.module.css';
import { useMay } from '@/components/patterns/viewer';
import type { EntityKindRow, EntityView } from '@/lib/entities/schema';
import { userIdText } from '@/lib/sessions/schema';
import classes from './entities.module.css';
import type { EntityName } from './queries';

interface EntityFactsProps {
  of: EntityName;
  view: EntityView | undefined;
  kind: EntityKindRow | undefined;
}

/** Below the heading: what it is, its id, whether it is online, and its sessions. */
export const EntityFacts = ({ of, view, kind }: EntityFactsProps) => {
  const t = useTranslations('entities.entity');
  const tWord = useTranslations('words');
  const { id: connection } = useConnection();
  const maySessions = useMay('sessions:view');
  return (
    <div className={`${classes.head} ${touch.thumbs}`}>
      <TextLink
        c="inherit"
        underline="always"
        href={`/${connection}/entities?${new URLSearchParams({ kind: of.kind })}`}
      >
        {kind ? t('ofKind', { kind: kind.title, app: kind.app }) : of.kind}
      </TextLink>
      <span>
        {tWord('id')} <KeyText max={120}>{of.id}</KeyText>
      </span>
      {typeof view?.online === 'boolean' && (
        <Group gap={6}>
          <span className={classes.dot} data-online={view.online || undefined} aria-hidden />
          {t(view.online ? 'online' : 'offline')}
        </Group>
      )}
      {view?.sessions && maySessions && (
        <TextLink
          c="inherit"
          underline="always"
          href={`/${connection}/sessions?user=${encodeURIComponent(userIdText(of.id))}`}
        >
          {tWord('sessions')}
        </TextLink>
      )}
    </div>
  );
};
