'use client';

import { type FormEvent, useRef, useState } from 'react';
import { addressOfProvider, type GivenSecondStep, signIn } from '@/components/patterns/credentials';
import type { FactorNeeded } from '@/lib/access/second-factor/schema';
import { ApiProblem, basePath } from '@/lib/api-client';
import { formatDuration } from '@/lib/format';
import { callbackPath } from './callback-path';
import { SecondStep, type SecondStepText } from './second-step';
import classes from './sign-in-form.module.css';
import { useCountdown } from './use-countdown';

/** `throttled` has `{wait}` in it, and those about the provider have `{name}`. */
export type SignInTexts = Record<
  | 'title'
  | 'email'
  | 'password'
  | 'showPassword'
  | 'submit'
  | 'refused'
  | 'throttled'
  | 'problem'
  | 'unexpected'
  | 'advice'
  | 'provider'
  | 'providerRefused'
  | 'providerFailed'
  | 'providerEnded'
  | 'providerUnconfirmed'
  | 'headerRefused'
  | 'or'
  | SecondStepText,
  string
>;

/** A sign-in whose password was right. */
interface Second extends FactorNeeded {
  email: string;
  word: string;
}

export type SignInFailure = Extract<keyof SignInTexts, `provider${string}ed` | 'headerRefused'>;

interface SignInFormProps {
  callbackUrl: string | null;
  /** The name of the company's OpenID provider; null without one. */
  provider: string | null;
  /** Why the provider or a proxy did not sign the visitor in, or why their session ended. */
  failure: SignInFailure | null;
  locale: string;
  texts: SignInTexts;
}

/** Sign-in form; shows the remaining wait after too many attempts. Plain elements, because visitors wait for it. */
export const SignInForm = ({ callbackUrl, provider, failure, locale, texts }: SignInFormProps) => {
  const password = useRef<HTMLInputElement>(null);
  const [pending, setPending] = useState(false);
  const [shown, setShown] = useState(false);
  const [refused, setRefused] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [wait, beginWait] = useCountdown();
  const [second, setSecond] = useState<Second | null>(null);

  const attempt = async (email: string, word: string, given?: GivenSecondStep) => {
    const answer = await signIn(email, word, given);
    if (answer.ok) {
      const next = callbackPath(callbackUrl, window.location.origin, basePath());
      // The account page shows the recovery codes of the new second factor.
      window.location.assign(given?.setUp ? `${basePath()}/account` : next);
      return;
    }
    if (answer.reason === 'throttled') beginWait(answer.retryAfterSeconds);
    else if (answer.reason === 'second-factor') {
      const { choices, setUp, isWrong } = answer.needed;
      setSecond((before) => ({ email, word, choices, setUp: setUp ?? before?.setUp ?? null, isWrong }));
    } else {
      setSecond(null);
      setRefused(true);
    }
    setPending(false);
    password.current?.select();
  };
  const begin = (work: () => Promise<void>) => {
    setPending(true);
    setRefused(false);
    setError(null);
    work().catch((cause: unknown) => {
      setError(cause);
      setPending(false);
    });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    begin(() => attempt(String(form.get('email')), String(form.get('password'))));
  };
  const leave = () => {
    setPending(true);
    setError(null);
    addressOfProvider(callbackPath(callbackUrl, window.location.origin, basePath()))
      .then((url) => window.location.assign(url))
      .catch((cause: unknown) => {
        setError(cause);
        setPending(false);
      });
  };
  const messages = (
    <div aria-live="assertive">
      {(refused || second?.isWrong) && wait === 0 && !pending && (
        <p className={classes.refused}>{refused ? texts.refused : texts.wrongCode}</p>
      )}
      {wait > 0 && (
        <p className={classes.throttled}>{texts.throttled.replace('{wait}', formatDuration(wait, locale))}</p>
      )}
      {error !== null && <Trouble error={error} texts={texts} />}
    </div>
  );
  if (second)
    return (
      <SecondStep
        choices={second.choices}
        setUp={second.setUp}
        disabled={pending || wait > 0}
        messages={messages}
        texts={texts}
        onGiven={(given) => begin(() => attempt(second.email, second.word, given))}
        onFailed={setError}
        onBack={() => setSecond(null)}
      />
    );
  const named = (text: string) => text.replace('{name}', provider ?? '');
  return (
    <form method="post" className={classes.form} onSubmit={submit}>
      <h1>{texts.title}</h1>
      {failure && (
        <p role="alert" className={classes.refused}>
          {named(texts[failure])}
        </p>
      )}
      {provider && (
        <>
          <button type="button" className={classes.submit} disabled={pending} onClick={leave}>
            {named(texts.provider)}
          </button>
          <p className={classes.or}>{texts.or}</p>
        </>
      )}
      <label>
        {texts.email}
        <input
          name="email"
          type="email"
          autoComplete="username"
          maxLength={254}
          required
          // biome-ignore lint/a11y/noAutofocus: the page has no other purpose
          autoFocus={!provider}
        />
      </label>
      <div className={classes.password}>
        <label htmlFor="password">{texts.password}</label>
        <input
          ref={password}
          id="password"
          name="password"
          type={shown ? 'text' : 'password'}
          autoComplete="current-password"
          maxLength={1024}
          required
        />
        <button
          type="button"
          className={classes.toggle}
          aria-label={texts.showPassword}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          <Eye crossed={shown} />
        </button>
      </div>
      {messages}
      <button
        type="submit"
        className={provider ? classes.second : classes.submit}
        disabled={pending || wait > 0}
        aria-busy={pending}
      >
        {texts.submit}
      </button>
    </form>
  );
};

const Eye = ({ crossed }: { crossed: boolean }) => (
  <svg
    width="18"
    height="18"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    aria-hidden="true"
  >
    <path d="M2.5 12s3.5-6.5 9.5-6.5S21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z" />
    <circle cx="12" cy="12" r="2.5" />
    {crossed && <path d="M4 4l16 16" />}
  </svg>
);

/** The server failed, or did not answer. */
const Trouble = ({ error, texts }: { error: unknown; texts: SignInTexts }) => {
  const problem = error instanceof ApiProblem ? error : null;
  return (
    <div className={classes.refused}>
      <strong>{problem?.document.title ?? texts.problem}</strong>
      <p>{problem?.message ?? texts.unexpected}</p>
      {problem?.requestId && (
        <p>
          {texts.advice} <code>{problem.requestId}</code>
        </p>
      )}
    </div>
  );
};
