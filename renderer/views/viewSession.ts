import type { Bridge } from '../../preload/contract/bridge.ts';
import type { CallId } from '../../preload/contract/ids.ts';
import type { Result } from '../../preload/contract/result.ts';
import type { ViewReach, ViewState, ViewWords } from '../../preload/contract/views.ts';
import { newCommandId } from '../bridge/newCommandId.ts';
import { readViewMessage, rpcCodes, type ViewMessage } from './viewMessages.ts';

/** The revision of MCP Apps that is spoken. */
const protocolVersion = '2026-01-26';
const sandbox = 'ui/notifications/sandbox-';

/** Messages that a view may send within that time, in milliseconds. More is no view that anybody looks at. */
const mostMessages = 600;
const countedMs = 5000;
/** Requests that wait for their answer. */
const mostOpen = 30;
const mostLogged = 200;
/** How long a view may take to say goodbye, in milliseconds. */
const teardownMs = 1000;

export interface ViewSessionOptions {
  bridge: Bridge;
  view: Extract<ViewState, { state: 'ready' }>;
  version: string;
  /** The window of the page around the view: who alone is heard. */
  frame(): Window | null;
  /** `hostContext`, as it is now. */
  context(): Record<string, unknown>;
  /** What the view says of its size; whatever it is. */
  onSize(size: { height?: unknown; width?: unknown }): void;
  /** Resolves with whether the person has opened it. */
  onLink(url: string): Promise<boolean>;
  /** It has said something for the model. `isEmpty`: it takes it back. Returns false where there is no room for it. */
  mayMessage(): boolean;
  onWords(kind: ViewWords['kind'], isEmpty: boolean): void;
  /** It is stopped, and why. */
  onStopped(why: 'tooMuch'): void;
}

/** One view, from the first message of its frame to its goodbye. It passes on what the host decides, and decides nothing itself. */
export interface ViewSession {
  /** A message came to the window. Anything that is not from this view's frame is nobody's. */
  receive(event: Pick<MessageEvent, 'source' | 'origin' | 'data'>): void;
  /** The call may have ended. */
  callChanged(): void;
  /** Something of `hostContext` is other now. */
  contextChanged(part: Record<string, unknown>): void;
  /** Resolves when the view has said goodbye, or has taken too long. Nothing is heard of it after that. */
  close(): Promise<void>;
}

export function createViewSession(options: ViewSessionOptions): ViewSession {
  const { bridge, view } = options;
  const { viewId } = view;
  const { origin } = new URL(view.url);
  let phase: 'loading' | 'asked' | 'ready' | 'closing' | 'closed' = 'loading';
  let received: number[] = [];
  let open = 0;
  let logged = 0;
  let toldInput = false;
  let toldEnd = false;
  let goodbye: (() => void) | null = null;

  // The page around the view has an origin of its own, so nobody else can stand in its place and read this.
  const post = (message: object) => options.frame()?.postMessage({ jsonrpc: '2.0', ...message }, origin);
  const notify = (method: string, params: object) => post({ method, params });
  const answer = (id: string | number, result: object) => post({ id, result });
  const refuse = (id: string | number, code: number, message: string) => post({ id, error: { code, message } });

  async function tellCall(): Promise<void> {
    if (phase !== 'ready' || toldEnd) return;
    const data = await bridge.invoke('view.data', { viewId });
    if (!data.ok || (phase as string) !== 'ready' || toldEnd) return;
    const { argumentsJson, end } = data.value;
    if (!toldInput) {
      toldInput = true;
      notify('ui/notifications/tool-input', { arguments: JSON.parse(argumentsJson) });
    }
    if (end === undefined) return;
    toldEnd = true;
    if (end.kind === 'result') notify('ui/notifications/tool-result', JSON.parse(end.resultJson));
    else notify('ui/notifications/tool-cancelled', { reason: end.reason });
  }

  /** Passes the host's answer on, as it is: it was made for the view. */
  async function pass(id: string | number, made: Promise<Result<{ callId: CallId }>>): Promise<void> {
    const call = await made;
    if (!call.ok) return void refuse(id, rpcCodes.refused, call.error.message);
    const result = await bridge.invoke('view.result', { viewId, callId: call.value.callId });
    if (result.ok) answer(id, JSON.parse(result.value.resultJson));
    else refuse(id, rpcCodes.refused, result.error.message);
  }

  async function say(id: string | number, kind: ViewWords['kind'], params: Record<string, unknown>): Promise<void> {
    if (kind === 'message' && !options.mayMessage()) return void answer(id, { isError: true });
    const said = await bridge.invoke('view.say', { commandId: newCommandId(), viewId, kind, paramsJson: JSON.stringify(params) });
    if (!said.ok) return void refuse(id, rpcCodes.invalidParams, said.error.message);
    options.onWords(kind, said.value.isEmpty);
    answer(id, {});
  }

  async function serve({ id, method, params }: Extract<ViewMessage, { kind: 'request' }>): Promise<void> {
    if (method === 'ping') return void answer(id, {});
    if (method === 'ui/initialize') {
      if (phase !== 'loading') return void refuse(id, rpcCodes.invalidRequest, 'This view is initialized already.');
      phase = 'asked';
      const result = {
        protocolVersion,
        hostInfo: { name: 'maitre', version: options.version },
        hostCapabilities: capabilitiesOf(view.reach),
        hostContext: options.context(),
      };
      return void answer(id, result);
    }
    if (phase !== 'ready') return void refuse(id, rpcCodes.invalidRequest, 'The view is not initialized.');
    switch (method) {
      case 'tools/call': {
        const { name, arguments: values = {} } = params;
        if (typeof name !== 'string' || name === '') return void refuse(id, rpcCodes.invalidParams, 'A call names a tool.');
        const argumentsJson = JSON.stringify(values);
        return pass(id, bridge.invoke('view.call', { commandId: newCommandId(), viewId, tool: name, argumentsJson }));
      }
      case 'resources/read': {
        const { uri } = params;
        if (typeof uri !== 'string' || uri === '') return void refuse(id, rpcCodes.invalidParams, 'A resource has an address.');
        return pass(id, bridge.invoke('view.read', { commandId: newCommandId(), viewId, uri }));
      }
      case 'ui/message':
        return say(id, 'message', params);
      case 'ui/update-model-context':
        return say(id, 'context', params);
      case 'ui/open-link': {
        const { url } = params;
        const opened = typeof url === 'string' && (await options.onLink(url));
        return void answer(id, opened ? {} : { isError: true });
      }
      case 'ui/request-display-mode':
        return void answer(id, { mode: 'inline' });
      default:
        return void refuse(id, rpcCodes.methodNotFound, 'There is no such method here.');
    }
  }

  function hear({ method, params }: Extract<ViewMessage, { kind: 'notification' }>): void {
    if (method === 'ui/notifications/initialized' && phase === 'asked') {
      phase = 'ready';
      void tellCall();
    } else if (phase !== 'ready') return;
    else if (method === 'ui/notifications/size-changed') options.onSize(params);
    else if (method === 'notifications/message' && logged < mostLogged) {
      logged += 1;
      const { level, data } = params;
      const text = (typeof data === 'string' ? data : (JSON.stringify(data) ?? '')).slice(0, 2000);
      void bridge.invoke('view.log', { commandId: newCommandId(), viewId, level: String(level).slice(0, 20), text });
    }
  }

  function isTooMuch(): boolean {
    const now = performance.now();
    received = [...received.filter((at) => now - at < countedMs), now];
    return received.length > mostMessages;
  }

  function end(): void {
    phase = 'closed';
    goodbye?.();
    void bridge.invoke('view.close', { commandId: newCommandId(), viewId });
  }

  return {
    receive({ source, origin: from, data }) {
      if (phase === 'closed' || source === null || source !== options.frame() || from !== origin) return;
      if (isTooMuch()) {
        end();
        options.onStopped('tooMuch');
        return;
      }
      const message = readViewMessage(data);
      if (message === null) return;
      if (message.kind === 'response') {
        if (message.id === goodbyeId) goodbye?.();
        return;
      }
      if (message.kind === 'notification') {
        // From the page around the view alone: it lets nothing of the kind pass.
        if (message.method === `${sandbox}proxy-ready`) notify(`${sandbox}resource-ready`, { sandbox: 'allow-scripts' });
        else hear(message);
        return;
      }
      if (open >= mostOpen) {
        refuse(message.id, rpcCodes.refused, `At most ${mostOpen} requests of a view are under way.`);
        return;
      }
      open += 1;
      void serve(message).finally(() => {
        open -= 1;
      });
    },

    callChanged: () => void tellCall(),

    contextChanged(part) {
      if (phase === 'ready') notify('ui/notifications/host-context-changed', part);
    },

    async close() {
      if (phase === 'ready') {
        phase = 'closing';
        const said = new Promise<void>((resolve) => {
          goodbye = resolve;
          setTimeout(resolve, teardownMs);
        });
        post({ id: goodbyeId, method: 'ui/resource-teardown', params: {} });
        await said;
      }
      if ((phase as string) !== 'closed') end();
    },
  };
}

/** The one request that goes to a view. */
const goodbyeId = 'goodbye';

/** Only what works is said to work. */
const capabilitiesOf = ({ connect, load }: ViewReach) => ({
  openLinks: {},
  serverTools: {},
  serverResources: {},
  logging: {},
  sandbox: { permissions: {}, csp: { connectDomains: connect, resourceDomains: load } },
  updateModelContext: { text: {}, image: {}, structuredContent: {} },
  message: { text: {}, image: {} },
});
