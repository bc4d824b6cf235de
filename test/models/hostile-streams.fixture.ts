import { calls } from './hostile-calls.fixture.ts';
import { pieces } from './hostile-pieces.fixture.ts';
import { reported } from './hostile-reported.fixture.ts';
import type { HostileStream } from './hostile-stream.fixture.ts';
import { texts, usages } from './hostile-texts.fixture.ts';

export const hostileStreams: readonly HostileStream[] = [
  ...pieces,
  ...calls,
  ...texts,
  ...usages,
  ...reported,
];
