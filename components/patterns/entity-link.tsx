'use client';

import { type AnchorProps, Badge, Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { EntityRef } from '@/lib/entities/schema';
import { useConnection } from './connection';
import { HostileText, KeyText } from './hostile-text';
import { TextLink } from './text-link';

interface Named {
  kind: string;
  app?: string | null;
}

/** The unambiguous name of a kind: `{app}.{kind}`. A qualified kind is unchanged. */
export const kindRef = ({ kind, app }: Named): string =>
  app && !kind.includes('.') ? `${app}.${kind}` : kind;

/** The URL of an entity. Its id may contain anything, so it is in the query. */
export const entityHref = (connection: string, entity: Named & { id: string }): string =>
  `/${connection}/entities?${new URLSearchParams({ kind: kindRef(entity), id: entity.id })}`;

interface EntityLinkProps extends AnchorProps {
  of: Named & { id: string; title?: string | null };
  /** Number of characters before the rest is cut. */
  max?: number;
}

/** A link to an entity, by its title or, without one, by its id. */
export const EntityLink = ({ of, max = 80, ...anchor }: EntityLinkProps) => {
  const { id } = useConnection();
  return (
    <TextLink href={entityHref(id, of)} {...anchor}>
      <HostileText max={max}>{of.title || of.id}</HostileText>
    </TextLink>
  );
};

/** An element of a relation: a link, or text where it is not an entity. Damage is marked. */
export const EntityRefText = ({ of, max = 80 }: { of: EntityRef; max?: number }) => {
  const t = useTranslations('patterns.entity');
  const { kind, linkable, exists, self } = of;
  return (
    <Group gap={6} component="span" style={{ display: 'inline-flex' }}>
      {kind !== null && linkable ? (
        <EntityLink of={{ ...of, kind }} max={max} />
      ) : (
        <HostileText max={max}>{of.title || of.id}</HostileText>
      )}
      {kind !== null && !linkable && exists === false && <Mark>{t('notAnId')}</Mark>}
      {kind !== null && linkable && exists === false && <Mark>{t('missing')}</Mark>}
      {self && <Mark>{t('self')}</Mark>}
    </Group>
  );
};

interface IdBesideTitleProps {
  of: { id: string; title?: string | null };
  /** The stored form, where it differs from the id. */
  stored?: string;
  max?: number;
}

/** Shown after an entity's title: the id that the title replaced. */
export const IdBesideTitle = ({ of, stored = of.id, max = 40 }: IdBesideTitleProps) =>
  of.title ? (
    <>
      {' '}
      <KeyText max={max}>{stored}</KeyText>
    </>
  ) : null;

const Mark = ({ children }: { children: string }) => (
  <Badge component="span" size="xs" color="orange" flex="none">
    {children}
  </Badge>
);
