/** The compiler's programming interface, which TypeScript 7 does not have: what generates types from OpenAPI needs it. */
export { ts as default } from '@ts-morph/common';
