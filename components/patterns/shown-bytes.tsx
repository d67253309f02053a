'use client';

import { VisuallyHidden } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ShownBytes as Bytes } from '@/lib/key-values/schema';
import { escapeByte, nameText } from '@/lib/visible-text';
import { fromBase64 } from './file-bytes';
import { HostileText } from './hostile-text';
import classes from './shown-bytes.module.css';
import { useFormat } from './use-format';

interface ShownBytesProps {
  of: Bytes;
  /** Number of characters before the rest is cut. */
  max?: number;
  /** Whether it is a field or member, where every character matters. */
  isName?: boolean;
}

/** Dots in place of a secret: the page contains nothing of it, not even its length. */
export const Masked = () => {
  const t = useTranslations('patterns.bytes');
  return (
    <span className={classes.masked}>
      <span aria-hidden>•••</span>
      <VisuallyHidden>{t('masked')}</VisuallyHidden>
    </span>
  );
};

/** Bytes that are not UTF-8, in the syntax of `bytesOfName`: printable ASCII unchanged, any other byte as `\xNN`. */
export const escapedBytes = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) =>
    byte > 0x20 && byte < 0x7f && byte !== 0x5c ? String.fromCharCode(byte) : escapeByte(byte),
  ).join('');

/** The name of a field or member, for titles too; null where it is masked. */
export const elementText = (
  { text, base64 }: Pick<Bytes, 'text' | 'base64'>,
  max = Infinity,
): string | null => {
  if (text !== null) return nameText(text);
  // Four base64 characters are three bytes, each at most four characters when escaped.
  return base64 === null ? null : escapedBytes(fromBase64(base64.slice(0, 4 * Math.ceil((max + 1) / 3))));
};

/** A field, member or value on one line: masked, as text, or with its bytes escaped. */
export const ShownBytes = ({ of, max = 200, isName = false }: ShownBytesProps) => {
  const t = useTranslations('patterns.bytes');
  const format = useFormat();
  const text = isName || of.text === null ? elementText(of, isName ? Infinity : max) : of.text;
  if (text === null) return <Masked />;
  return (
    <span className={classes.bytes}>
      <HostileText max={max}>{text}</HostileText>
      {(of.truncated || (of.text === null && of.bytes > max)) && (
        <span className={classes.quiet}> {t('ofBytes', { size: format.bytes(of.bytes) })}</span>
      )}
    </span>
  );
};
