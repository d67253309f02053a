import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { AccountPage } from '@/components/auth/account-page';

export const generateMetadata = async (): Promise<Metadata> => {
  const t = await getTranslations('auth.account');
  return { title: t('title') };
};

export default function Account() {
  return <AccountPage />;
}
