import { NotFound } from '@/components/shell/look';

export default function NotFoundPage() {
  return (
    <main>
      <NotFound />
    </main>
  );
}
