'use client';

import { Anchor, type AnchorProps } from '@mantine/core';
import { useConnection } from './connection';
import { KeyText } from './hostile-text';
import { Link } from './link';

/** The URL of a key's own page. */
export const keyHref = (connection: string, keyId: string): string =>
  `/${connection}/keys/${encodeURIComponent(keyId)}`;

interface KeyLinkProps extends AnchorProps {
  keyId: string;
  /** In displayed form: secrets masked, other bytes as `\xNN`. */
  children: string;
  /** Number of characters before the rest is cut. */
  max?: number;
}

/** A link to a key's page. */
export const KeyLink = ({ keyId, children, max = 120, ...anchor }: KeyLinkProps) => {
  const { id } = useConnection();
  return (
    <Anchor component={Link} href={keyHref(id, keyId)} c="var(--kw-key-link)" {...anchor}>
      <KeyText max={max}>{children}</KeyText>
    </Anchor>
  );
};
