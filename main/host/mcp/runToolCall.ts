import type { ListedTool } from './serverLists.ts';
import type { TaskHandle, ToolCallOutcome, ToolCallRequest } from './callTool.ts';
import { outcomeOf } from './callResult.ts';
import { paramHeadersOf, paramHeaderValues } from './paramHeaders.ts';
import { type RequestContext, type RequestOutcome, runRequest } from './runRequest.ts';
import { progressOfTask } from './taskProgress.ts';
import { taskOf } from './tasks.ts';

/** The server wants other headers than were sent: its list of tools has changed (2026-07-28). Nothing was run. */
const headerMismatch = -32020;

/** `task`: the server runs it on its own, and the result is to be asked for. */
export type CallAnswer = ToolCallOutcome | { kind: 'task'; task: TaskHandle };

export interface ToolCallContext extends RequestContext {
  era: 'legacy' | 'modern';
  /** Modern Streamable HTTP, where arguments may have to stand in headers too. */
  overHttp: boolean;
  tool(): ListedTool | undefined;
  /** Reads the list of tools again, whatever is known of it. */
  readToolsAgain(): Promise<void>;
}

/** Runs one call. Never throws. See {@link runRequest} for its time-out. */
export async function runToolCall(
  context: ToolCallContext,
  request: Omit<ToolCallRequest, 'serverId'>,
  timeoutMs: number,
): Promise<CallAnswer> {
  const send = (): Promise<RequestOutcome> =>
    runRequest(
      context,
      {
        method: 'tools/call',
        params: {
          name: request.tool,
          arguments: request.arguments,
          ...(asTask(context) ? { task: {}, [progressOfTask]: request.onProgress } : {}),
        },
        signal: request.signal,
        call: { callId: request.callId, conversationId: request.conversationId },
        headers: headersOf(context, request.arguments),
        onProgress: request.onProgress,
        mayHaveEffect: true,
      },
      timeoutMs,
    );
  let outcome = await send();
  if (outcome.kind === 'protocolError' && outcome.code === headerMismatch && context.overHttp) {
    await context.readToolsAgain();
    outcome = await send();
  }
  if (outcome.kind !== 'answer') return outcome;
  const task = taskOf(context.era, outcome.result, context.clock.now());
  return task ? { kind: 'task', task } : outcomeOf(context, outcome.result);
}

/**
 * Whether to ask for a task (2025-11-25 "Tasks"; later the server decides): always where the server takes one for this tool. Some
 * demand it, and of the others a long call then outlives both the connection and the application.
 */
const asTask = ({ client, era, tool }: ToolCallContext): boolean =>
  era === 'legacy' && tool()?.runsAsTask === true && client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined;

function headersOf(context: ToolCallContext, values: Record<string, unknown>): Record<string, string> {
  const tool = context.overHttp ? context.tool() : undefined;
  const asked = tool && paramHeadersOf(tool.inputSchema);
  return asked && 'headers' in asked ? paramHeaderValues(asked.headers, values) : {};
}
