// `node test/host/programs/writePolicySchema.ts`: docs/policy.schema.json, after a change of the policy's form. `npx prettier --write` it then.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { managedPolicySchema } from '../../../main/host/policy/managedPolicy.ts';

writeFileSync(path.resolve(import.meta.dirname, '../../../docs/policy.schema.json'), JSON.stringify(managedPolicySchema()));
