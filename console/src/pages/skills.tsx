import type { ReactNode } from 'react';
import { Page } from '../parts/page.tsx';

export function SkillsPage(): ReactNode {
  return (
    <Page title="Skills" about="">
      {null}
    </Page>
  );
}
