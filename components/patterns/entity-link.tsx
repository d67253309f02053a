'use client';

import { Anchor, type AnchorProps } from '@mantine/core';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { useConnection } from './connection';
import { HostileText } from './hostile-text';

/** What names an entity in an address. */
export interface EntityName {
  kind: string | null;
  app: string | null;
  id: string;
}

/** The address of an entity's own page. The kind is qualified by its application, because several may have that kind. */
export const entityHref = (connection: string, { kind, app, id }: EntityName & { kind: string }): string =>
  `/${connection}/entities?${new URLSearchParams({ kind: app === null ? kind : `${app}.${kind}`, id })}`;

interface EntityLinkProps extends AnchorProps {
  entity: EntityName & {
    title?: string | null;
    /** Whether it can be an id of its kind; what cannot is shown as text. */
    linkable: boolean;
  };
  /** Its title, else its id, unless given. */
  children?: ReactNode;
  /** Characters shown before the rest is cut. */
  max?: number;
}

/** An entity that leads to its page. */
export const EntityLink = ({ entity, children, max = 60, ...anchor }: EntityLinkProps) => {
  const { id: connection } = useConnection();
  const { kind, app, id, title, linkable } = entity;
  const text = children ?? <HostileText max={max}>{title || id}</HostileText>;
  if (!linkable || kind === null) return <span>{text}</span>;
  return (
    <Anchor
      component={Link}
      href={entityHref(connection, { kind, app, id })}
      prefetch={false}
      c="var(--kw-active-text)"
      inherit
      onClick={(event) => event.stopPropagation()}
      {...anchor}
    >
      {text}
    </Anchor>
  );
};
