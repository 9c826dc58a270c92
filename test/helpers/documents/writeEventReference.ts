import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventReference } from './eventReference.js';
import { repositoryRoot } from '../repository.js';

writeFileSync(join(repositoryRoot(), 'docs/events.md'), await eventReference());
