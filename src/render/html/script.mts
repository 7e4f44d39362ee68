/** The page's own program, put together from its parts. The browser runs it as one piece, in a scope of its own. */
import { DOM } from './script-dom.mts';
import { FACTS } from './script-facts.mts';
import { KEYS } from './script-keys.mts';
import { LIST } from './script-list.mts';
import { ROWS } from './script-rows.mts';

export const SCRIPT = `'use strict';\n(() => {\n${[DOM, FACTS, ROWS, LIST, KEYS].join('\n')}\n})();\n`;
