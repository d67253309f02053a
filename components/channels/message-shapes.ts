import { idOf, parseJson, writeJson } from '@/lib/exact-json';

/** How a message is written: by a form in the shape of a notification or an event, as JSON, or as any text. */
export const SHAPES = ['notification', 'event', 'json', 'text'] as const;
export type Shape = (typeof SHAPES)[number];

/** The fields of the form, as typed. */
export interface Draft {
  type: string;
  userId: string;
  entityType: string;
  entityId: string;
  action: string;
  title: string;
  author: string;
  /** The payload of an event, JSON, or any text. */
  text: string;
}

export const EMPTY_DRAFT: Draft = {
  type: '',
  userId: '',
  entityType: '',
  entityId: '',
  action: 'created',
  title: '',
  author: '',
  text: '',
};

const parsed = (text: string): { value: unknown } | null => {
  try {
    return { value: parseJson(text) };
  } catch {
    return null;
  }
};

const notification = (draft: Draft, now: number): string =>
  writeJson({
    type: draft.type,
    ...(draft.userId && { user_id: idOf(draft.userId) }),
    ...(draft.entityType && { entity_type: draft.entityType }),
    ...(draft.entityId && { entity_id: idOf(draft.entityId) }),
    action: draft.action,
    data: {
      ...(draft.title && { title: draft.title }),
      ...(draft.author && { author: draft.author }),
    },
    timestamp: Math.floor(now / 1000),
  });

/** The payload to publish; null while the fields are incomplete. `now`: epoch ms. */
export const payloadOf = (shape: Shape, draft: Draft, now: number): string | null => {
  if (shape === 'text') return draft.text;
  if (shape === 'notification') return draft.type ? notification(draft, now) : null;
  const json = parsed(draft.text);
  if (!json) return null;
  return shape === 'json' ? draft.text : writeJson({ payload: json.value, action: draft.action });
};
