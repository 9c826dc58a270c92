import type { Tuned } from './bundle.js';

/** The report as one HTML file. */
export const reportHtml = ({ name }: Tuned): string => name;
