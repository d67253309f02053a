'use client';

import { EntityLink } from './entity-link';
import { HostileText } from './hostile-text';

interface EntityTextProps {
  of: { kind: string | null; app: string | null; id: string; title?: string | null; linkable: boolean };
  /** Number of characters before the rest is cut. */
  max?: number;
}

/** An entity as a link to its page, or as text where it cannot be an id of its kind. */
export const EntityText = ({ of: { kind, linkable, ...named }, max = 60 }: EntityTextProps) =>
  linkable && kind !== null ? (
    <EntityLink of={{ kind, ...named }} max={max} inherit />
  ) : (
    <HostileText max={max}>{named.title || named.id}</HostileText>
  );
