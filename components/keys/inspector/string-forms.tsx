'use client';

import { Alert, Button, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { Facts } from '@/components/patterns/facts';
import { AbsoluteTime, RelativeTime } from '@/components/patterns/relative-time';
import { Strong } from '@/components/patterns/strong';
import { useFormat } from '@/components/patterns/use-format';
import { BitmapView } from './bitmap-view';
import { type Form, isRaster, type StringView } from './forms';
import { HexView } from './hex-view';
import classes from './inspector.module.css';
import { isContainer, parseJson } from './json-rows';
import { inStyle, READABLE } from './json-style';
import { JsonTree } from './json-tree';
import { TextView } from './text-view';
import { timeOf } from './unix-time';
import { bytesOf } from './whole-value';

interface StringFormProps {
  form: Form;
  view: StringView;
  /** Reads the complete value where the page is only a part; null where it is too large. */
  onWhole: (() => void) | null;
  wholePending?: boolean;
}

/** A string, or a page of it, in one form. */
export const StringForm = ({ form, view, onWhole, wholePending = false }: StringFormProps) => {
  const { page, offset } = view;
  const bytes = useMemo(() => bytesOf(page), [page]);
  if (form === 'json') return <JsonForm text={page.text ?? ''} {...{ onWhole, wholePending }} />;
  if (form === 'jwt') return <Jwt jwt={view.jwt!} />;
  if (form === 'decoded') return <Decoded decoded={page.decoded!} />;
  if (form === 'number') return <NumberForm text={page.text ?? ''} />;
  if (form === 'image') return <Picture dataUrl={view.dataUrl} />;
  if (form === 'cardinality') return <Cardinality value={view.cardinality} />;
  if (form === 'bitmap') return <BitmapView bytes={bytes} offset={offset} bitsSet={view.bitsSet} />;
  if (form === 'hex') return <HexView bytes={bytes} offset={offset} />;
  return <TextView text={page.text ?? ''} />;
};

const JsonForm = ({
  text,
  onWhole,
  wholePending,
}: { text: string } & Pick<StringFormProps, 'onWhole' | 'wholePending'>) => {
  const t = useTranslations('keys.inspector.json');
  const value = useMemo(() => parseJson(text), [text]);
  if (value !== undefined) return <JsonTree value={value} />;
  return (
    <Alert color="gray">
      <Text size="sm">{t(onWhole ? 'partial' : 'tooLarge')}</Text>
      {onWhole && (
        <Button size="xs" variant="default" mt="xs" loading={wholePending ?? false} onClick={onWhole}>
          {t('loadWhole')}
        </Button>
      )}
    </Alert>
  );
};

const Jwt = ({ jwt }: { jwt: NonNullable<StringView['jwt']> }) => {
  const t = useTranslations('keys.inspector.value.jwt');
  return (
    <>
      <Facts
        facts={[
          jwt.expiresAt && {
            label: t('expires'),
            value: (
              <>
                <AbsoluteTime at={jwt.expiresAt} /> (<RelativeTime at={jwt.expiresAt} />)
              </>
            ),
          },
        ].map((fact) => fact || null)}
      />
      {(['header', 'claims'] as const).map((part) => (
        <section key={part} aria-label={t(part)}>
          <Strong mt="sm" mb={4}>
            {t(part)}
          </Strong>
          <TextView text={parseJson(jwt[part]) === undefined ? jwt[part] : inStyle(jwt[part], READABLE)} />
        </section>
      ))}
      <Dimmed size="xs" mt="xs">
        {t('noSignature')}
      </Dimmed>
    </>
  );
};

const Decoded = ({ decoded }: { decoded: NonNullable<StringView['page']['decoded']> }) => {
  const t = useTranslations('keys.inspector.value.decoded');
  const tKeys = useTranslations('keys');
  const value = useMemo(() => parseJson(decoded.text), [decoded.text]);
  return (
    <>
      <Text size="sm" mb="xs">
        {t('steps', { steps: decoded.steps.join(' → ') })}
        {decoded.truncated && ` · ${tKeys('inspector.element.truncated')}`}
      </Text>
      {isContainer(value) ? <JsonTree value={value} /> : <TextView text={decoded.text} />}
    </>
  );
};

const NumberForm = ({ text }: { text: string }) => {
  const t = useTranslations('keys.inspector.value.number');
  const format = useFormat();
  const time = timeOf(text);
  // Numbers that a double cannot hold are shown as stored.
  const exact = /^-?\d{1,15}$/.test(text);
  return (
    <>
      <div className={classes.figure}>{exact ? format.count(Number(text)) : text}</div>
      {time !== null && (
        <Dimmed>
          {t('asTime')} <AbsoluteTime at={time} />
        </Dimmed>
      )}
    </>
  );
};

const Picture = ({ dataUrl }: { dataUrl: string | null }) => {
  const t = useTranslations('keys.inspector.value');
  if (!isRaster(dataUrl)) return null;
  // biome-ignore lint/performance/noImgElement: the image is the value itself, and no address
  return <img src={dataUrl} alt={t('picture')} className={classes.picture} />;
};

const Cardinality = ({ value }: { value: number | null }) => {
  const t = useTranslations('keys.inspector.value.cardinality');
  const format = useFormat();
  return (
    <>
      <div className={classes.figure}>≈ {format.count(value)}</div>
      <Dimmed>{t('about')}</Dimmed>
    </>
  );
};
