import type { Attempt } from './escape.ts';
import { bombs } from './escapes-bombs.ts';
import { javascript } from './escapes-javascript.ts';
import { forgeries, processes } from './escapes-processes.ts';
import { files, network } from './escapes-system.ts';

/** Ways out of the sandbox. Each is tried on every runner it is written for. */
export const attempts: readonly Attempt[] = [
  ...files,
  ...network,
  ...processes,
  ...forgeries,
  ...bombs,
  ...javascript,
];
