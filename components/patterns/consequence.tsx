'use client';

import { Alert, Checkbox, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { Preview } from '@/lib/families/schema';
import { HostileText } from './hostile-text';
import { Strong } from './strong';
import { useFormat } from './use-format';

interface ConsequenceProps {
  preview: Preview;
  withoutUndo: boolean;
  onWithoutUndo: (agreed: boolean) => void;
  /** Whether the server refused to delete with undo. */
  asked: boolean;
}

/** Titles of the families that are not caches, so nothing rebuilds them. Guarded families have a separate warning. */
const onlyCopiesIn = ({ byFamily }: Preview): string[] =>
  byFamily.filter(({ cache, sensitive, keys }) => !cache && !sensitive && keys > 0).map(({ title }) => title);

/** The effects of an invalidation: whether undo is possible, the load on the origin, and what depends on the keys. */
export const Consequence = ({ preview, withoutUndo, onWithoutUndo, asked }: ConsequenceProps) => {
  const t = useTranslations('families.preview');
  const tWord = useTranslations('words');
  const { list } = useFormat();
  const sensitive = preview.byFamily.filter((row) => row.sensitive).map((row) => row.title);
  const onlyCopies = onlyCopiesIn(preview);
  return (
    <>
      <Load preview={preview} />
      {preview.needsSensitive && (
        <Alert color="red" title={t('sensitiveTitle')}>
          <HostileText max={300}>{t('sensitive', { families: list(sensitive) })}</HostileText>
        </Alert>
      )}
      {onlyCopies.length > 0 && (
        <Alert color="orange" title={t('onlyCopyTitle')}>
          <HostileText max={300}>{t('onlyCopy', { families: list(onlyCopies) })}</HostileText>
        </Alert>
      )}
      {preview.undo.possible && !asked ? (
        <Undoable preview={preview} />
      ) : (
        <Alert color="orange" title={t('final')}>
          <Text size="sm" mb="xs">
            {t(`whyFinal.${preview.undo.why ?? 'other'}`, { count: preview.keys })}
          </Text>
          <Checkbox
            label={tWord('deleteFinally')}
            checked={withoutUndo}
            onChange={(event) => onWithoutUndo(event.currentTarget.checked)}
          />
        </Alert>
      )}
    </>
  );
};

const Undoable = ({ preview: { undo, exact } }: { preview: Preview }) => {
  const t = useTranslations('families.preview');
  const format = useFormat();
  return (
    <Text size="sm">
      {t(exact ? 'undoable' : 'undoableAbout', {
        count: undo.keys,
        hours: format.number(undo.hours),
        memory: format.bytes(undo.bytes),
      })}
      {undo.tooLarge > 0 && <Strong component="span"> {t('tooLarge', { count: undo.tooLarge })}</Strong>}
    </Text>
  );
};

const Load = ({ preview }: { preview: Preview }) => {
  const t = useTranslations('families.preview');
  const format = useFormat();
  const { hitRate, expectedMissesPerSecond: misses } = preview;
  return (
    <Text size="sm">
      {!preview.needsSensitive && onlyCopiesIn(preview).length === 0 && t('refill')}{' '}
      {hitRate !== null && t('hitRate', { rate: format.ratio(hitRate) })}{' '}
      {misses === null ? t('missesUnknown') : t('misses', { rate: format.perSecond(misses) })}
    </Text>
  );
};
