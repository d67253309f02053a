import { redirect } from 'next/navigation';
import { getLocale, getTranslations } from 'next-intl/server';
import { titled } from '@/app/titled';
import { SignInForm, type SignInTexts } from '@/components/access/sign-in-form';
import { needsSetup } from '@/lib/access/setup';

export const generateMetadata = titled('access.signIn.title');

interface SignInPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

const textsOfForm = async (): Promise<SignInTexts> => {
  const t = await getTranslations('access');
  const tWord = await getTranslations('words');
  const problem = await getTranslations('patterns.problem');
  return {
    title: t('signIn.title'),
    email: tWord('email'),
    password: tWord('password'),
    showPassword: tWord('showPassword'),
    submit: t('signIn.title'),
    refused: t('signIn.refused'),
    throttled: t.raw('signIn.throttled'),
    problem: tWord('broke'),
    unexpected: problem('unexpected'),
    advice: problem('advice.internal'),
  };
};

export default async function SignInPage({ searchParams }: SignInPageProps) {
  // Unknown while the store is unreachable; the form then shows the reason.
  if (await needsSetup().catch(() => false)) redirect('/setup');
  const { callbackUrl } = await searchParams;
  return (
    <SignInForm
      callbackUrl={typeof callbackUrl === 'string' ? callbackUrl : null}
      locale={await getLocale()}
      texts={await textsOfForm()}
    />
  );
}
