import type { ReactNode } from 'react';
import { Page } from '../parts/page.tsx';

export function DecidePage(): ReactNode {
  return (
    <Page title="Decide" about="">
      {null}
    </Page>
  );
}
