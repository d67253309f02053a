'use client';

import { useTranslations } from 'next-intl';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { onDemand } from '@/components/patterns/on-demand';
import type { Result } from '@/lib/contract';
import type { invitationContracts } from '@/lib/users/invitations/schema';

const ShownOnce = onDemand(async () => (await import('@/components/patterns/shown-once')).ShownOnce);

type MadeLink = Pick<Result<typeof invitationContracts.createLink>, 'link' | 'notMailed'>;

interface Links {
  /** Whether the console has a mail server. */
  canMail: boolean;
  /** Shows a link once, with the reason why it was not mailed. */
  show: (made: MadeLink) => void;
}

const LinksContext = createContext<Links>({ canMail: false, show: () => undefined });

export const useLinks = (): Links => useContext(LinksContext);

interface LinksProviderProps {
  canMail: boolean;
  children: ReactNode;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Without NEXTAUTH_URL the server uses a loopback address, which for the invited user is another machine. */
const shareable = (link: string): string => {
  const { origin } = window.location;
  const url = new URL(link, origin);
  return LOOPBACK.test(url.hostname) ? origin + url.pathname + url.hash : url.href;
};

/** Shows the links that the drawers inside create, because those drawers close. */
export const LinksProvider = ({ canMail, children }: LinksProviderProps) => {
  const t = useTranslations('users.invitation');
  const tWord = useTranslations('words');
  const [made, setMade] = useState<MadeLink | null>(null);
  const link = made?.link ? shareable(made.link) : null;
  const once = t('once');
  const texts = {
    title: t('link'),
    once: made?.notMailed ? `${t('notMailed', { why: made.notMailed })} ${once}` : once,
    copy: t('copy'),
    copied: tWord('copied'),
    stored: t('passedOn'),
  };
  return (
    <LinksContext value={{ canMail, show: setMade }}>
      {children}
      <ShownOnce secret={link} onClose={() => setMade(null)} testId="invitation-link" texts={texts} />
    </LinksContext>
  );
};
