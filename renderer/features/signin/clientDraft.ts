import type { SignInClient } from '../../../preload/contract/signIn.ts';

/** What the form of a client holds while it is filled in. */
export interface ClientDraft {
  kind: SignInClient['kind'];
  clientId: string;
  clientSecret: string;
  redirectPort: string;
  proof: 'secret' | 'key';
  privateKey: string;
  algorithm: string;
  idpIssuer: string;
  idpClientId: string;
  idpClientSecret: string;
}

export const emptyClientDraft: ClientDraft = {
  kind: 'person',
  clientId: '',
  clientSecret: '',
  redirectPort: '',
  proof: 'secret',
  privateKey: '',
  algorithm: 'ES256',
  idpIssuer: '',
  idpClientId: '',
  idpClientSecret: '',
};

export type ClientProblem = 'missing' | 'port' | 'address';
export type ClientProblems = Partial<Record<keyof ClientDraft, ClientProblem>>;

const needed = (draft: ClientDraft): readonly (keyof ClientDraft)[] => {
  switch (draft.kind) {
    case 'person':
      return ['clientId'];
    case 'machine':
      return draft.proof === 'secret' ? ['clientId', 'clientSecret'] : ['clientId', 'privateKey'];
    case 'organization':
      return ['idpIssuer', 'idpClientId', 'clientId', 'clientSecret'];
  }
};

const isWebAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

/** The draft as the command takes it, or what is wrong with single fields of it. */
export function readClientDraft(draft: ClientDraft): { ok: true; client: SignInClient } | { ok: false; problems: ClientProblems } {
  const problems: ClientProblems = {};
  for (const field of needed(draft)) if (draft[field].trim() === '') problems[field] = 'missing';
  const port = draft.redirectPort.trim();
  const portNumber = Number(port);
  if (draft.kind !== 'machine' && port !== '' && !(/^\d+$/.test(port) && portNumber >= 1024 && portNumber <= 65_535))
    problems.redirectPort = 'port';
  if (draft.kind === 'organization' && problems.idpIssuer === undefined && !isWebAddress(draft.idpIssuer.trim()))
    problems.idpIssuer = 'address';
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  const clientId = draft.clientId.trim();
  const secret = draft.clientSecret.trim();
  switch (draft.kind) {
    case 'person':
      return {
        ok: true,
        client: {
          kind: 'person',
          clientId,
          ...(secret === '' ? {} : { clientSecret: secret }),
          ...(port === '' ? {} : { redirectPort: portNumber }),
        },
      };
    case 'machine':
      return {
        ok: true,
        client: {
          kind: 'machine',
          clientId,
          proof:
            draft.proof === 'secret'
              ? { kind: 'secret', secret }
              : { kind: 'key', privateKey: draft.privateKey.trim(), algorithm: draft.algorithm },
        },
      };
    case 'organization': {
      const idpSecret = draft.idpClientSecret.trim();
      return {
        ok: true,
        client: {
          kind: 'organization',
          clientId,
          clientSecret: secret,
          idpIssuer: draft.idpIssuer.trim(),
          idpClientId: draft.idpClientId.trim(),
          ...(idpSecret === '' ? {} : { idpClientSecret: idpSecret }),
          ...(port === '' ? {} : { redirectPort: portNumber }),
        },
      };
    }
  }
}
