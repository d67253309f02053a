import { NotFound } from '@/components/shell/look';

export default function NotFoundInConsole() {
  return <NotFound />;
}
