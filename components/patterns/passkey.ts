import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

/** What the server sent for `navigator.credentials`, and the token of its challenge. */
interface Challenge {
  options: object;
  token: string;
}

interface PasskeyAnswer {
  token: string;
  answer: { id: string; response: Record<string, unknown> };
}

/** The user closed the browser's dialog, or it took too long. */
const isGivenUp = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError');

const asked = async (token: string, ask: () => Promise<object>): Promise<PasskeyAnswer | null> => {
  try {
    return { token, answer: (await ask()) as PasskeyAnswer['answer'] };
  } catch (error) {
    if (isGivenUp(error)) return null;
    throw error;
  }
};

/** Asks the browser for one of the user's passkeys; null if the user gave up. */
export const askForPasskey = async ({ options, token }: Challenge): Promise<PasskeyAnswer | null> => {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return asked(token, () =>
    startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON }),
  );
};

/** Lets the browser make a passkey; null if the user gave up. */
export const makePasskey = async ({ options, token }: Challenge): Promise<PasskeyAnswer | null> => {
  const { startRegistration } = await import('@simplewebauthn/browser');
  return asked(token, () =>
    startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON }),
  );
};
