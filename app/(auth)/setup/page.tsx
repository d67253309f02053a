import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { getTranslations } from 'next-intl/server';
import { SetupForm } from '@/components/auth/setup-form';
import { awaitsSetup } from '@/lib/access/setup';

export const generateMetadata = async (): Promise<Metadata> => {
  const t = await getTranslations('auth.setup');
  return { title: t('title') };
};

export default async function SetupPage() {
  if (!(await awaitsSetup())) redirect('/sign-in');
  return <SetupForm />;
}
