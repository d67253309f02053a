import { NotFound } from '@/components/shell/trouble';

export default function NotFoundPage() {
  return (
    <main>
      <NotFound />
    </main>
  );
}
