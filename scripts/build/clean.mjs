// Empties the generated folders, so that a source that was moved leaves no built file behind.
import { rmSync } from 'node:fs';
for (const folder of ['.build', 'tools']) rmSync(new URL(`../../${folder}`, import.meta.url), { recursive: true, force: true });
