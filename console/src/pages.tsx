import {
  Activity,
  BookOpen,
  Bot,
  BrainCircuit,
  ChartColumn,
  Database,
  KeyRound,
  Layers,
  ListChecks,
  MessageSquare,
  Package,
  Rocket,
  Scale,
  Search,
  type LucideIcon,
} from 'lucide-react';
import { lazy, type ComponentType } from 'react';

export interface PageEntry {
  /** Below /console. */
  readonly path: string;
  /** Whether addresses below `path` belong to this page as well. */
  readonly isNested?: boolean;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly page: ComponentType;
}

/** Every page, loaded when it is first opened. */
export const pages: readonly PageEntry[] = [
  {
    path: '/first-steps',
    label: 'First steps',
    icon: Rocket,
    page: lazy(async () => ({ default: (await import('./pages/first-steps.tsx')).FirstStepsPage })),
  },
  {
    path: '/decide',
    label: 'Decide',
    icon: Scale,
    page: lazy(async () => ({ default: (await import('./pages/decide.tsx')).DecidePage })),
  },
  {
    path: '/deciders',
    isNested: true,
    label: 'Deciders',
    icon: BrainCircuit,
    page: lazy(async () => ({ default: (await import('./pages/deciders.tsx')).DecidersPage })),
  },
  {
    path: '/batches',
    isNested: true,
    label: 'Batches',
    icon: Layers,
    page: lazy(async () => ({ default: (await import('./pages/batches.tsx')).BatchesPage })),
  },
  {
    path: '/chat',
    label: 'Chat',
    icon: MessageSquare,
    page: lazy(async () => ({ default: (await import('./pages/chat.tsx')).ChatPage })),
  },
  {
    path: '/agent',
    label: 'Agent',
    icon: Bot,
    page: lazy(async () => ({ default: (await import('./pages/agent.tsx')).AgentPage })),
  },
  {
    path: '/search',
    label: 'Search',
    icon: Search,
    page: lazy(async () => ({ default: (await import('./pages/search.tsx')).SearchPage })),
  },
  {
    path: '/usage',
    label: 'Usage',
    icon: ChartColumn,
    page: lazy(async () => ({ default: (await import('./pages/usage.tsx')).UsagePage })),
  },
  {
    path: '/keys',
    label: 'Keys',
    icon: KeyRound,
    page: lazy(async () => ({ default: (await import('./pages/keys.tsx')).KeysPage })),
  },
  {
    path: '/jobs',
    label: 'Jobs',
    icon: ListChecks,
    page: lazy(async () => ({ default: (await import('./pages/jobs.tsx')).JobsPage })),
  },
  {
    path: '/skills',
    label: 'Skills',
    icon: Package,
    page: lazy(async () => ({ default: (await import('./pages/skills.tsx')).SkillsPage })),
  },
  {
    path: '/index',
    label: 'Index',
    icon: Database,
    page: lazy(async () => ({ default: (await import('./pages/index-sources.tsx')).IndexPage })),
  },
  {
    path: '/models',
    label: 'Models and health',
    icon: Activity,
    page: lazy(async () => ({ default: (await import('./pages/models.tsx')).ModelsPage })),
  },
  {
    path: '/docs',
    isNested: true,
    label: 'Documentation',
    icon: BookOpen,
    page: lazy(async () => ({ default: (await import('./pages/docs.tsx')).DocsPage })),
  },
];
