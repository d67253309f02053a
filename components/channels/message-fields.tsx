'use client';

import { Group, Select, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { ExactText } from '@/components/patterns/exact-text';
import { type Draft, payloadOf, SHAPES, type Shape } from './message-shapes';

const ACTIONS = ['created', 'updated', 'deleted'];
const PLACES = {
  type: ['type'],
  user: ['userId'],
  entity: ['entityType', 'entityId'],
  data: ['title', 'author'],
} as const satisfies Record<string, readonly (keyof Draft)[]>;

interface MessageFieldsProps {
  shape: Shape;
  onShape: (shape: Shape) => void;
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
}

/** The fields of the message's shape, or a field for any text. */
export const MessageFields = ({ shape, onShape, draft, onDraft }: MessageFieldsProps) => {
  const t = useTranslations('channels.publish');
  const isText = shape !== 'notification';
  const isWrong = isText && draft.text !== '' && payloadOf(shape, draft, 0) === null;
  return (
    <Stack gap="sm">
      <Select
        label={t('shape.label')}
        data={SHAPES.map((value) => ({ value, label: t(`shape.${value}`) }))}
        value={shape}
        onChange={(value) => onShape((value as Shape | null) ?? shape)}
        allowDeselect={false}
      />
      {shape === 'notification' &&
        Object.entries(PLACES).map(([row, fields]) => (
          <Group key={row} grow>
            {fields.map((field) => (
              <ExactText
                key={field}
                label={t(`field.${field}`)}
                value={draft[field]}
                onChange={(text) => onDraft({ [field]: text })}
                maxLength={500}
              />
            ))}
          </Group>
        ))}
      {(shape === 'notification' || shape === 'event') && (
        <Select
          label={t('field.action')}
          data={ACTIONS}
          value={draft.action}
          onChange={(action) => onDraft({ action: action ?? draft.action })}
          allowDeselect={false}
        />
      )}
      {isText && (
        <ExactText
          label={t(`field.${shape}`)}
          value={draft.text}
          onChange={(text) => onDraft({ text })}
          error={isWrong && t('notJson')}
          minRows={4}
          maxRows={16}
        />
      )}
    </Stack>
  );
};
