import type { ReactNode } from 'react';
import { Page } from '../parts/page.tsx';

export function UsagePage(): ReactNode {
  return (
    <Page title="Usage" about="">
      {null}
    </Page>
  );
}
