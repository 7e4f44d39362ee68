#!/usr/bin/env node
// An older path of the runtime layer.
import './agents-handoff.mts';
