import { Button, CopyButton, Group, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { fromHash, toHash } from './link.ts';
import { fromWholeRequest, toFormMode, toRequest } from './request.ts';
import type { UsedWork } from './use-work.ts';

interface Props extends Pick<UsedWork, 'work' | 'change'> {
  /** What the address asks; null where somebody wants a link. */
  readonly asked: string | null;
}

/** An address that holds state and questions, for somebody else or for later. */
export function LinkToThis({ work, change, asked }: Props): ReactNode {
  const [link, setLink] = useState<string | null>(null);
  const [message, setMessage] = useState('');
  const make = async (): Promise<void> => {
    const read = toRequest(work);
    setMessage('message' in read ? read.message : '');
    if ('message' in read) return;
    const hash = await toHash(read.request);
    setLink(location.origin + location.pathname + hash);
  };
  useFirst(() => void (asked === null ? make() : takeAsked(asked, change, setMessage)));
  return (
    <Group gap="xs" align="flex-end">
      <Button variant="default" size="compact-sm" onClick={() => void make()}>
        Link to this
      </Button>
      {link !== null && (
        <>
          <TextInput
            aria-label="Link to state and questions"
            size="xs"
            readOnly
            value={link}
            onFocus={(event) => {
              event.currentTarget.select();
            }}
          />
          <CopyButton value={link}>
            {({ copied, copy }) => (
              <Button variant="default" size="compact-sm" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </>
      )}
      <Text size="sm" role="status">
        {message}
      </Text>
    </Group>
  );
}

/** When it is shown. */
function useFirst(work: () => void): void {
  const first = useRef<(() => void) | null>(work);
  useEffect(() => {
    first.current?.();
    first.current = null;
  }, []);
}

/** What was taken is not in the address any more. */
async function takeAsked(
  asked: string,
  change: UsedWork['change'],
  tell: (message: string) => void,
): Promise<void> {
  const text = await fromHash(asked);
  if (text === null) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  const whole = fromWholeRequest(text);
  const questions = whole === null ? null : toFormMode(whole.questionsJson ?? '');
  if (whole === null || questions === null || 'message' in questions) {
    tell('The link holds no question that this page can show.');
    return;
  }
  const { model } = JSON.parse(text) as { readonly model?: unknown };
  change({
    about: 'one',
    state: whole.state,
    ...questions,
    ...(typeof model === 'string' ? { engine: model } : {}),
  });
  tell('Taken from the link.');
}
