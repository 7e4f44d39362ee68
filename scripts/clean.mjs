// Empties the one generated folder, so that a source that was moved leaves no built file behind.
import { rmSync } from 'node:fs';
rmSync(new URL('../tools', import.meta.url), { recursive: true, force: true });
