import type { FinanceDeclaration } from '../define-source.ts';
import { edgar } from './edgar/index.ts';
import { twelvedata } from './twelvedata/index.ts';

/** In the order in which the configuration describes them. */
export const financeSources: readonly FinanceDeclaration[] = [edgar, twelvedata];
