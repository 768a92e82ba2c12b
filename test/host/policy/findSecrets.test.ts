import { expect, test } from 'vitest';
import { findSecrets } from '../../../main/host/policy/findSecrets.ts';
import { encodings } from './encodings.ts';

const token = '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';
test.each(Object.entries(encodings).filter(([name]) => name !== 'as it is'))('secrets are found through %s', async (_, encode) => {
  const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\n'.repeat(5)}-----END OPENSSH PRIVATE KEY-----\n`;
  const text = `Look: ${encode(`the token ${token} and\n${key}`)} !`;
  const found = await findSecrets(text, 0);
  expect(found.map(({ kind }) => kind)).toEqual(['GitHub Token', 'private key']);
  for (const { preview } of found) expect(preview).not.toContain(token.slice(6, 20));
});
