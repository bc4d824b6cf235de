import type { Adapter } from '../adapter.ts';
import { cosine } from './cosine/index.ts';
import { labels } from './labels/index.ts';
import { late } from './late/index.ts';
import { markers } from './markers/index.ts';
import { pairs } from './pairs/index.ts';
import { pointers } from './pointers/index.ts';
import { segments } from './segments/index.ts';

/** Every way to ask a model; the first that suits is taken. */
export const adapters: readonly Adapter[] = [cosine, pairs, markers, labels, late, pointers, segments];
