import type { ReactNode } from 'react';
import { Page } from '../parts/page.tsx';

export function JobsPage(): ReactNode {
  return (
    <Page title="Jobs" about="">
      {null}
    </Page>
  );
}
