import { redirect } from 'next/navigation';
import { getLocale, getTranslations } from 'next-intl/server';
import { titled } from '@/app/titled';
import { SignInForm, type SignInTexts } from '@/components/access/sign-in-form';
import { PROVIDER_ERRORS } from '@/lib/access/provider-errors';
import { needsSetup } from '@/lib/access/setup';
import { env } from '@/lib/configuration';

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
    provider: t.raw('signIn.provider'),
    providerRefused: t.raw('signIn.providerRefused'),
    providerFailed: t.raw('signIn.providerFailed'),
    or: t('signIn.or'),
    secondTitle: t('secondFactor.title'),
    secondNote: t('secondFactor.note'),
    code: t('secondFactor.code'),
    wrongCode: t('secondFactor.wrongCode'),
    passkey: t('secondFactor.usePasskey'),
    setUpTitle: t('secondFactor.setUp'),
    setUpNote: t('secondFactor.setUpNote'),
    byHand: t('secondFactor.byHand'),
    qr: t('secondFactor.qr'),
    back: t('secondFactor.back'),
  };
};

const failureOf = (error: unknown) => {
  if (error === undefined) return null;
  return error === PROVIDER_ERRORS.refused ? 'providerRefused' : 'providerFailed';
};

export default async function SignInPage({ searchParams }: SignInPageProps) {
  const { oidc } = env();
  // Unknown while the store is unreachable; the form then shows the reason. A provider may have the first admin.
  if (!oidc && (await needsSetup().catch(() => false))) redirect('/setup');
  const { callbackUrl, error } = await searchParams;
  return (
    <SignInForm
      provider={oidc?.name ?? null}
      failure={failureOf(error)}
      callbackUrl={typeof callbackUrl === 'string' ? callbackUrl : null}
      locale={await getLocale()}
      texts={await textsOfForm()}
    />
  );
}
