import { NotFound } from '@/components/shell/trouble';

export default function NotFoundInConsole() {
  return <NotFound />;
}
