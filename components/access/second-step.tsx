'use client';

import type { FormEvent, ReactNode } from 'react';
import type { GivenSecondStep } from '@/components/patterns/credentials';
import { askForPasskey } from '@/components/patterns/passkey';
import type { FactorChoices, NewTotp } from '@/lib/access/second-factor/schema';
import classes from './sign-in-form.module.css';

export type SecondStepText =
  | 'secondTitle'
  | 'secondNote'
  | 'code'
  | 'wrongCode'
  | 'passkey'
  | 'setUpTitle'
  | 'setUpNote'
  | 'byHand'
  | 'qr'
  | 'back'
  | 'submit';

interface SecondStepProps {
  choices: FactorChoices | null;
  setUp: NewTotp | null;
  disabled: boolean;
  messages: ReactNode;
  texts: Record<SecondStepText, string>;
  onGiven: (given: GivenSecondStep) => void;
  /** The browser could not ask for the passkey. */
  onFailed: (cause: unknown) => void;
  onBack: () => void;
}

/** The second step of signing in: a code, a passkey, or an authenticator app to set up first. */
export const SecondStep = (props: SecondStepProps) => {
  const { choices, setUp, disabled, messages, texts, onGiven, onFailed, onBack } = props;
  const passkey = choices?.passkey;
  const takesCode = setUp !== null || choices?.code;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get('code'));
    onGiven({ factor: { code }, ...(setUp && { setUp: setUp.token }) });
  };
  const ask = () => {
    if (!passkey) return;
    askForPasskey(passkey)
      .then((factor) => factor && onGiven({ factor }))
      .catch(onFailed);
  };
  return (
    <form method="post" className={classes.form} onSubmit={submit}>
      <h1>{setUp ? texts.setUpTitle : texts.secondTitle}</h1>
      <p className={classes.note}>{setUp ? texts.setUpNote : texts.secondNote}</p>
      {setUp && <NewApp app={setUp} texts={texts} />}
      {passkey && (
        <button type="button" className={classes.submit} disabled={disabled} onClick={ask}>
          {texts.passkey}
        </button>
      )}
      {takesCode && (
        <label>
          {texts.code}
          <input
            name="code"
            autoComplete="one-time-code"
            spellCheck={false}
            maxLength={64}
            minLength={6}
            required
            // biome-ignore lint/a11y/noAutofocus: the step has no other purpose
            autoFocus
          />
        </label>
      )}
      {messages}
      {takesCode && (
        <button
          type="submit"
          className={passkey ? classes.second : classes.submit}
          disabled={disabled}
          aria-busy={disabled}
        >
          {texts.submit}
        </button>
      )}
      <button type="button" className={classes.back} onClick={onBack}>
        {texts.back}
      </button>
    </form>
  );
};

const NewApp = ({ app, texts }: { app: NewTotp; texts: SecondStepProps['texts'] }) => (
  <>
    <QrCode {...app.qr} label={texts.qr} />
    <p className={classes.note}>
      {texts.byHand} <code className={classes.secret}>{app.secret}</code>
    </p>
  </>
);

/** A QR code, dark on white in both themes: cameras need that. */
export const QrCode = ({ size, path, label }: NewTotp['qr'] & { label: string }) => (
  <svg viewBox={`0 0 ${size} ${size}`} className={classes.qr} role="img" aria-label={label}>
    <path d={path} fill="currentColor" shapeRendering="crispEdges" />
  </svg>
);
