import type { ServerProfile } from '../toolProfile.ts';

const nobody = { untrusted: false, private: false };
const demo = { effects: ['reads'], results: nobody } as const;

/** Read from the code of @modelcontextprotocol/server-everything 2026.8.31, which shows every feature and holds nothing. */
export const everything: ServerProfile = {
  results: { untrusted: true, private: false },
  tools: {
    echo: demo,
    'get-annotated-message': demo,
    'get-env': { effects: ['reads'], results: { untrusted: false, private: true } },
    'get-resource-links': demo,
    'get-resource-reference': demo,
    'get-roots-list': { effects: ['reads'], results: { untrusted: false, private: true } },
    'get-structured-content': demo,
    'get-sum': demo,
    'get-tiny-image': demo,
    'trigger-long-running-operation': demo,
    'simulate-research-query': demo,
    'toggle-simulated-logging': { effects: ['changes'], results: nobody },
    'toggle-subscriber-updates': { effects: ['changes'], results: nobody },
    // Fetches the address that stands in the arguments.
    'gzip-file-as-resource': { effects: ['reads', 'sendsOut'], destinations: ['/data'] },
    // Text of the arguments goes to a model, a form or a page of the server.
    'trigger-sampling-request': { effects: ['sendsOut'], destinations: ['/prompt'] },
    'trigger-sampling-request-async': { effects: ['sendsOut'], destinations: ['/prompt'] },
    'trigger-elicitation-request': { effects: ['reads'], results: { untrusted: false, private: true } },
    'trigger-elicitation-request-async': { effects: ['reads'], results: { untrusted: false, private: true } },
    'trigger-url-elicitation': { effects: ['sendsOut'] },
  },
};
