import { Button, Stack } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { Failure } from './failure.tsx';

interface Props {
  readonly children: ReactNode;
}

interface State {
  readonly failure: unknown;
}

/** Keeps the navigation usable when a page fails. React knows no other way than a class. */
export class PageBoundary extends Component<Props, State> {
  override readonly state: State = { failure: null };

  static getDerivedStateFromError(failure: unknown): State {
    return { failure };
  }

  override render(): ReactNode {
    if (this.state.failure === null) return this.props.children;
    return (
      <Stack align="flex-start">
        <Failure of={this.state.failure} />
        <Button
          onClick={() => {
            this.setState({ failure: null });
          }}
        >
          Open the page again
        </Button>
      </Stack>
    );
  }
}
