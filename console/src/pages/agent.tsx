import type { ReactNode } from 'react';
import { Page } from '../parts/page.tsx';

export function AgentPage(): ReactNode {
  return (
    <Page title="Agent" about="">
      {null}
    </Page>
  );
}
