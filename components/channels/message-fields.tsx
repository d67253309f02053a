'use client';

import { Group, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
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

/** The message in a form by its shape, or as it is typed. */
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
              <TextInput
                key={field}
                label={t(`field.${field}`)}
                value={draft[field]}
                onChange={(event) => onDraft({ [field]: event.currentTarget.value })}
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
        <Textarea
          label={t(`field.${shape}`)}
          value={draft.text}
          onChange={(event) => onDraft({ text: event.currentTarget.value })}
          error={isWrong && t('notJson')}
          autosize
          minRows={4}
          maxRows={16}
        />
      )}
    </Stack>
  );
};
