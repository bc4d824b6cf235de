import type { RunnerDeclaration } from '../runner.ts';
import { bubblewrap } from './bubblewrap/index.ts';
import { pyodide } from './pyodide/index.ts';

/** Every runner, the better one first: `auto` tries them in this order. */
export const sandboxRunners: readonly RunnerDeclaration[] = [bubblewrap, pyodide];
