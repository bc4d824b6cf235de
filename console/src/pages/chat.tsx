import type { ReactNode } from 'react';
import { Page } from '../parts/page.tsx';

export function ChatPage(): ReactNode {
  return (
    <Page title="Chat" about="">
      {null}
    </Page>
  );
}
