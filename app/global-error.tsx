'use client';

import { referenceOf } from '@/components/shell/reference';

/** The root layout itself failed: no theme or texts are available, so this is plain HTML. */
export default function GlobalError({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return (
    <html lang="en">
      <body style={{ fontFamily: 'system-ui, sans-serif', margin: '12vh auto', maxWidth: 520, padding: 20 }}>
        <h1>Keyward broke</h1>
        <p>Nothing was changed by that. Try again; if it stays, look at the console's log.</p>
        <p>
          Reference <code>{referenceOf(error)}</code>
        </p>
        <button type="button" onClick={reset}>
          Try again
        </button>
      </body>
    </html>
  );
}
