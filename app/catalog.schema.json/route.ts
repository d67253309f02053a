export { GET } from '@/app/api/[[...path]]/route';
