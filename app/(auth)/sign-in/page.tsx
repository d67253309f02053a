import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { getLocale, getTranslations } from 'next-intl/server';
import { titled } from '@/app/titled';
import { callbackPath } from '@/components/access/callback-path';
import { type SignInFailure, SignInForm, type SignInTexts } from '@/components/access/sign-in-form';
import { currentActor } from '@/lib/access/current';
import { headerUser } from '@/lib/access/header-sign-in';
import { PROVIDER_ERRORS } from '@/lib/access/provider-errors';
import { needsSetup } from '@/lib/access/setup';
import { endOfSession } from '@/lib/access/user-sessions';
import { env } from '@/lib/configuration';

export const generateMetadata = titled('access.signIn.title');

interface SignInPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

const textsOfForm = async (): Promise<SignInTexts> => {
  const t = await getTranslations('access');
  const tFactor = await getTranslations('secondFactor');
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
    providerEnded: t.raw('signIn.providerEnded'),
    providerUnconfirmed: t.raw('signIn.providerUnconfirmed'),
    headerRefused: t('signIn.headerRefused'),
    or: t('signIn.or'),
    secondTitle: tFactor('title'),
    secondNote: tFactor('note'),
    code: tFactor('code'),
    wrongCode: tFactor('wrongCode'),
    passkey: tFactor('usePasskey'),
    setUpTitle: tFactor('setUp'),
    setUpNote: tFactor('setUpNote'),
    byHand: tFactor('byHand'),
    qr: tFactor('qr'),
    back: tFactor('back'),
  };
};

const ENDS = { refused: 'providerEnded', unconfirmed: 'providerUnconfirmed' } as const;

const failureOf = async (error: unknown): Promise<SignInFailure | null> => {
  if (error !== undefined) return error === PROVIDER_ERRORS.refused ? 'providerRefused' : 'providerFailed';
  const end = await endOfSession((await headers()).get('cookie'), Date.now()).catch(() => null);
  return end && ENDS[end];
};

/** The outcome of a sign-in by a trusted proxy; unknown while the store is unreachable. */
const outcomeOfHeader = async (): Promise<'none' | 'signedIn' | 'refused' | 'unknown'> => {
  if (!headerUser(await headers())) return 'none';
  const actor = await currentActor().catch(() => undefined);
  if (actor === undefined) return 'unknown';
  return actor ? 'signedIn' : 'refused';
};

/** Without the base path, which Next adds again. */
const wayTo = (callbackUrl: string | null): string =>
  callbackPath(callbackUrl, 'http://localhost', env().basePath).slice(env().basePath.length);

export default async function SignInPage({ searchParams }: SignInPageProps) {
  const { oidc, header } = env();
  const { callbackUrl, error } = await searchParams;
  const wanted = typeof callbackUrl === 'string' ? callbackUrl : null;
  const byHeader = await outcomeOfHeader();
  if (byHeader === 'signedIn') redirect(wayTo(wanted));
  // While the store is unreachable, the form shows the reason. The first admin may come from a provider or a proxy.
  if (!oidc && !header && (await needsSetup().catch(() => false))) redirect('/setup');
  return (
    <SignInForm
      provider={oidc?.name ?? null}
      failure={byHeader === 'refused' ? 'headerRefused' : await failureOf(error)}
      callbackUrl={wanted}
      locale={await getLocale()}
      texts={await textsOfForm()}
    />
  );
}
