'use client';

import { KeyText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import { useMay } from '@/components/patterns/viewer';
import type { BiggestKey } from '@/lib/analysis/schema';

/** The key with a link to its page, for who may see keys. */
export const BiggestKeyName = ({ row }: { row: BiggestKey }) =>
  useMay('keys:view') ? (
    <KeyLink keyId={row.keyId} size="sm">
      {row.key}
    </KeyLink>
  ) : (
    <KeyText>{row.key}</KeyText>
  );
