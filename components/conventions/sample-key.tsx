'use client';

import { KeyText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import { useMay } from '@/components/patterns/viewer';

interface SampleKeyProps {
  of: { key: string; keyId: string | null };
}

/** A key of a sample, as a link for users who may see keys; or a command, setting or place named instead of a key. */
export const SampleKey = ({ of: { key, keyId } }: SampleKeyProps) => {
  const mayView = useMay('keys:view');
  if (!mayView || keyId === null) return <KeyText max={100}>{key}</KeyText>;
  return (
    <KeyLink keyId={keyId} max={100}>
      {key}
    </KeyLink>
  );
};
