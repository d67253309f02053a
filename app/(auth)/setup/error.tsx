'use client';

import { Broken } from '@/components/shell/look';

export default function ErrorPage({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return (
    <main>
      <Broken error={error} retry={reset} />
    </main>
  );
}
