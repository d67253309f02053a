export { default } from '../setup/layout';
