import type { Target } from './fuzz.ts';
import { args } from './targets/arguments.ts';
import { checkpoints } from './targets/checkpoints.ts';
import { lives } from './targets/lives.ts';
import { packages, records, registries, settings } from './targets/installing.ts';
import { plans, policies } from './targets/policies.ts';
import { configs, hooks, locks } from './targets/small.ts';
import { stores } from './targets/stores.ts';
import { transcripts } from './targets/transcripts.ts';

export const TARGETS: readonly Target[] = [transcripts, lives, stores, configs, hooks, locks, args, packages, records, settings, registries, policies, plans, checkpoints];
