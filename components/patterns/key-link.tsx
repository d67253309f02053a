'use client';

import { Anchor, type AnchorProps } from '@mantine/core';
import { useConnection } from './connection';
import { KeyText } from './hostile-text';
import { Link } from './link';

/** The address of a key's own page. */
export const keyHref = (connection: string, keyId: string): string =>
  `/${connection}/keys/${encodeURIComponent(keyId)}`;

interface KeyLinkProps extends AnchorProps {
  keyId: string;
  /** As shown: secrets masked, other bytes as `\xNN`. */
  children: string;
  /** Characters shown before the rest is cut. */
  max?: number;
}

/** A key that leads to its page. */
export const KeyLink = ({ keyId, children, max = 120, ...anchor }: KeyLinkProps) => {
  const { id } = useConnection();
  return (
    <Anchor component={Link} href={keyHref(id, keyId)} c="var(--kw-active-text)" {...anchor}>
      <KeyText max={max}>{children}</KeyText>
    </Anchor>
  );
};
