/** The compiler API, which TypeScript 7 lacks; generating types from OpenAPI needs it. */
export { ts as default } from '@ts-morph/common';
