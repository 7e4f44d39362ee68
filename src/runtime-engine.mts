#!/usr/bin/env node
import { start } from './lib/cli/start.mts';

start(() => import('./commands/execution/table.mts'));
