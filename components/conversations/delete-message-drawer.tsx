'use client';

import { Alert, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { confirmationAsked } from '@/components/patterns/confirmation-asked';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { ApiProblem } from '@/lib/api-client';
import type { Message } from '@/lib/conversations/schema';
import { conversationContracts } from '@/lib/conversations/schema';
import classes from './conversations.module.css';
import { MessageHead } from './message-list';
import { MessageText } from './message-text';
import type { ConversationName } from './queries';

/** Characters of a line, and lines, of the message in the drawer. */
const MAX_LINE = 300;
const MAX_LINES = 8;

const isChanged = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'changed';

interface DeleteMessageDrawerProps {
  conversation: ConversationName;
  message: Message | null;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
}

/** Deletes one message; shows it, and says which copies remain. */
export const DeleteMessageDrawer = ({ conversation, message, ...drawer }: DeleteMessageDrawerProps) => {
  const t = useTranslations('conversations.delete');
  const { id } = useConnection();
  const change = useCommand(conversationContracts.deleteMessage, id);
  const changed = isChanged(change.error);
  return (
    <FormDrawer
      {...drawer}
      title={t('title')}
      verb={t('title')}
      destructive
      needsConfirmation
      // Another attempt would be refused too; the list has the message as it is now.
      blocked={changed}
      change={change}
      confirm={confirmationAsked(change.error)}
      input={(words) => ({ ...conversation, messageId: message?.id ?? '', ...words })}
      done={({ deleted, messages }) =>
        deleted ? t('done', { known: messages === null ? 'no' : 'yes', count: messages ?? 0 }) : t('already')
      }
      staysValid={t('stays')}
      stays="asItIs"
      error={changed ? null : change.error}
    >
      {message && (
        <Stack gap="sm">
          <div className={classes.quoted}>
            <MessageHead message={message} />
            <p className={classes.content}>
              <MessageText message={message} max={MAX_LINE} maxLines={MAX_LINES} />
            </p>
          </div>
          <span>{t(message.problem === 'missing' ? 'consequenceMissing' : 'consequence')}</span>
          {changed && (
            <Alert color="orange" role="alert" title={t('changedTitle')}>
              {t('changed')}
            </Alert>
          )}
        </Stack>
      )}
    </FormDrawer>
  );
};
