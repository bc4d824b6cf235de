import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { DeciderPage } from './deciders/decider-page.tsx';
import { DeciderListPage } from './deciders/list-page.tsx';
import { NewDeciderPage } from './deciders/new-page.tsx';

/** All deciders, or the one that the address names. */
export function DecidersPage(): ReactNode {
  const [location] = useLocation();
  const name = location.slice('/deciders/'.length);
  if (name === '') return <DeciderListPage />;
  // A name has no capital letter, so none can be like this.
  if (name === 'NEW') return <NewDeciderPage />;
  return <DeciderPage key={name} name={name} />;
}
