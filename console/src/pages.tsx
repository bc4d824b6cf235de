import {
  Activity,
  BookOpen,
  Bot,
  BrainCircuit,
  ChartColumn,
  Database,
  FileText,
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
  /** Heading in the navigation; the first page stands above all groups. */
  readonly group?: 'Decisions' | 'Answers' | 'Knowledge' | 'Server';
  readonly label: string;
  readonly icon: LucideIcon;
  readonly page: ComponentType;
}

/** Every page, loaded when it is first opened. Those of a group stand together. */
export const pages: readonly PageEntry[] = [
  {
    path: '/first-steps',
    label: 'First steps',
    icon: Rocket,
    page: lazy(async () => ({ default: (await import('./pages/first-steps.tsx')).FirstStepsPage })),
  },
  {
    path: '/decide',
    group: 'Decisions',
    label: 'Decide',
    icon: Scale,
    page: lazy(async () => ({ default: (await import('./pages/decide.tsx')).DecidePage })),
  },
  {
    path: '/deciders',
    isNested: true,
    group: 'Decisions',
    label: 'Deciders',
    icon: BrainCircuit,
    page: lazy(async () => ({ default: (await import('./pages/deciders.tsx')).DecidersPage })),
  },
  {
    path: '/batches',
    isNested: true,
    group: 'Decisions',
    label: 'Batches',
    icon: Layers,
    page: lazy(async () => ({ default: (await import('./pages/batches.tsx')).BatchesPage })),
  },
  {
    path: '/chat',
    group: 'Answers',
    label: 'Chat',
    icon: MessageSquare,
    page: lazy(async () => ({ default: (await import('./pages/chat.tsx')).ChatPage })),
  },
  {
    path: '/agent',
    group: 'Answers',
    label: 'Agent',
    icon: Bot,
    page: lazy(async () => ({ default: (await import('./pages/agent.tsx')).AgentPage })),
  },
  {
    path: '/search',
    group: 'Answers',
    label: 'Search',
    icon: Search,
    page: lazy(async () => ({ default: (await import('./pages/search.tsx')).SearchPage })),
  },
  {
    path: '/jobs',
    group: 'Answers',
    label: 'Jobs',
    icon: ListChecks,
    page: lazy(async () => ({ default: (await import('./pages/jobs.tsx')).JobsPage })),
  },
  {
    path: '/documents',
    group: 'Knowledge',
    label: 'Your documents',
    icon: FileText,
    page: lazy(async () => ({ default: (await import('./pages/documents.tsx')).DocumentsPage })),
  },
  {
    path: '/index',
    group: 'Knowledge',
    label: 'Index',
    icon: Database,
    page: lazy(async () => ({ default: (await import('./pages/index-sources.tsx')).IndexPage })),
  },
  {
    path: '/skills',
    group: 'Knowledge',
    label: 'Skills',
    icon: Package,
    page: lazy(async () => ({ default: (await import('./pages/skills.tsx')).SkillsPage })),
  },
  {
    path: '/usage',
    group: 'Server',
    label: 'Usage',
    icon: ChartColumn,
    page: lazy(async () => ({ default: (await import('./pages/usage.tsx')).UsagePage })),
  },
  {
    path: '/keys',
    group: 'Server',
    label: 'Keys',
    icon: KeyRound,
    page: lazy(async () => ({ default: (await import('./pages/keys.tsx')).KeysPage })),
  },
  {
    path: '/models',
    group: 'Server',
    label: 'Models and health',
    icon: Activity,
    page: lazy(async () => ({ default: (await import('./pages/models.tsx')).ModelsPage })),
  },
  {
    path: '/docs',
    isNested: true,
    group: 'Server',
    label: 'Documentation',
    icon: BookOpen,
    page: lazy(async () => ({ default: (await import('./pages/docs.tsx')).DocsPage })),
  },
];
