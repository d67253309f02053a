'use client';

import { Conversation } from '@/components/conversations/conversation';
import { EntitiesPage } from '@/components/entities/entities-page';

/** The entities of a connection; a chat or a room with its messages. */
export const Explorer = () => (
  <EntitiesPage conversation={(of, below) => <Conversation {...of}>{below}</Conversation>} />
);
