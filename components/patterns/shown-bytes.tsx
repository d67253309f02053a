'use client';

import { VisuallyHidden } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ShownBytes as Bytes } from '@/lib/keys/schema';
import { fromBase64 } from './file-bytes';
import { HostileText } from './hostile-text';
import classes from './shown-bytes.module.css';
import { useFormat } from './use-format';

interface ShownBytesProps {
  of: Bytes;
  /** Characters shown before the rest is cut. */
  max?: number;
}

/** Dots in place of a secret: nothing of it is in the page, not even its length. */
export const Masked = () => {
  const t = useTranslations('patterns.bytes');
  return (
    <span className={classes.masked}>
      <span aria-hidden>•••</span>
      <VisuallyHidden>{t('masked')}</VisuallyHidden>
    </span>
  );
};

/** Bytes that are not UTF-8: printable ASCII as it is, any other byte as `\xNN`, a backslash doubled. */
export const escapedBytes = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => {
    if (byte === 0x5c) return '\\\\';
    return byte >= 0x20 && byte < 0x7f
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`;
  }).join('');

/** A field, member or value on one line: masked, as text, or with its bytes escaped. */
export const ShownBytes = ({ of, max = 200 }: ShownBytesProps) => {
  const t = useTranslations('patterns.bytes');
  const format = useFormat();
  if (of.text === null && of.base64 === null) return <Masked />;
  // Four characters of base64 are three bytes, each at most four characters when escaped.
  const text = of.text ?? escapedBytes(fromBase64(of.base64!.slice(0, 4 * Math.ceil((max + 1) / 3))));
  return (
    <span className={classes.bytes}>
      <HostileText max={max}>{text}</HostileText>
      {(of.truncated || (of.text === null && of.bytes > max)) && (
        <span className={classes.quiet}> {t('ofBytes', { size: format.bytes(of.bytes) })}</span>
      )}
    </span>
  );
};
