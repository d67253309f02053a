'use client';

export { default } from '../setup/error';
