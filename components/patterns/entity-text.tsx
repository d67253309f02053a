'use client';

import { Anchor } from '@mantine/core';
import Link from 'next/link';
import { useConnection } from './connection';
import { HostileText } from './hostile-text';

/** What names an entity in an address. */
interface EntityName {
  kind: string;
  app: string | null;
  id: string;
}

/** The address of an entity's page. The kind is qualified by its application, because several may have that kind. */
export const entityAddress = (connection: string, { kind, app, id }: EntityName): string =>
  `/${connection}/entities?${new URLSearchParams({ kind: app === null ? kind : `${app}.${kind}`, id })}`;

interface EntityTextProps {
  of: Omit<EntityName, 'kind'> & { kind: string | null; title?: string | null; linkable: boolean };
  /** Characters shown before the rest is cut. */
  max?: number;
}

/** An entity by its title, else by its id: a link to its page, or text where it cannot be an id of its kind. */
export const EntityText = ({ of: { kind, app, id, title, linkable }, max = 60 }: EntityTextProps) => {
  const { id: connection } = useConnection();
  const text = <HostileText max={max}>{title || id}</HostileText>;
  if (!linkable || kind === null) return text;
  return (
    <Anchor
      component={Link}
      href={entityAddress(connection, { kind, app, id })}
      prefetch={false}
      c="var(--kw-active-text)"
      inherit
    >
      {text}
    </Anchor>
  );
};
