import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiFailure } from '../api/failure.ts';

/** Shows a failure with its request id, as in the log of the server. Renders nothing without one. */
export function Failure({ of: failure }: { readonly of: unknown }): ReactNode {
  if (failure === null || failure === undefined) return null;
  const known = failure instanceof ApiFailure ? failure : null;
  const message = failure instanceof Error ? failure.message : 'The reason is not known.';
  return (
    <Alert color="red" variant="outline" role="alert" title={titleOf(known)}>
      <Text size="sm" className="nestor-text">
        {message}
      </Text>
      {typeof known?.retryAfterS === 'number' && <Text size="sm">Try again in {known.retryAfterS} s.</Text>}
      {typeof known?.requestId === 'string' && (
        <Text size="xs" c="dimmed">
          Status {known.status}, request {known.requestId}
        </Text>
      )}
    </Alert>
  );
}

function titleOf(failure: ApiFailure | null): string {
  switch (failure?.status) {
    case undefined:
      return 'That did not work';
    case 0:
      return 'No answer';
    case 401:
      return 'The key is not accepted';
    case 403:
      return 'The key may not do this';
    case 429:
      return 'Too many requests';
    default:
      return 'The server refused this';
  }
}
