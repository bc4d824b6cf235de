import { Button } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** Tokens of the pages behind the first, the last of them that of the page that is open. */
  readonly tokens: readonly string[];
  readonly onTokens: (tokens: readonly string[]) => void;
  /** Of the page after this one; nothing where this is the last. */
  readonly next: string | null | undefined;
  /** Words for the way back, and on. */
  readonly labels?: readonly [back: string, on: string];
}

/** Steps through pages that are named by tokens, which know only what comes after them. */
export function Pager({ tokens, onTokens, next, labels: [back, on] = ['Newer', 'Older'] }: Props): ReactNode {
  return (
    <>
      {tokens.length > 0 && (
        <Button
          variant="default"
          size="compact-md"
          onClick={() => {
            onTokens(tokens.slice(0, -1));
          }}
        >
          {back}
        </Button>
      )}
      {next && (
        <Button
          variant="default"
          size="compact-md"
          onClick={() => {
            onTokens([...tokens, next]);
          }}
        >
          {on}
        </Button>
      )}
    </>
  );
}
