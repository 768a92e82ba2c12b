/**
 * A server of 2025-11-25 with tasks, whose tool `survey` may be called as one and does as its arguments say: it is done when the file
 * `until` exists. `progress` is sent as soon as the task stands, `silent` has it keep requests for a result open for good that came
 * before the end, `notifies` has it tell of the end by itself, `ask` has it ask for a form meanwhile, `pollMs` is what it wishes between
 * two questions. `plain` asks for a form and answers when that is answered. Tasks stand in the folder named on the command line, so that
 * they outlive the program; what was asked for stands in `asked.txt` there, the program's id in `pid.txt`. `noTasks` after the folder: it
 * does not say that it takes tasks.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { initializeResult, type Message, notify, refuse, reply, serveLegacy, text, tool, write } from './rawStdio.ts';

interface Survey {
  until?: string;
  progress?: number[];
  silent?: boolean;
  notifies?: boolean;
  pollMs?: number;
  ask?: boolean;
}

const [folder = '.', noTasks] = process.argv.slice(2);
writeFileSync(path.join(folder, 'pid.txt'), String(process.pid));
const fileOf = (taskId: string) => path.join(folder, `${taskId}.json`);
const surveyOf = (taskId: string): Survey | undefined =>
  existsSync(fileOf(taskId)) ? (JSON.parse(readFileSync(fileOf(taskId), 'utf8')) as Survey) : undefined;
const isDone = ({ until }: Survey): boolean => until === undefined || existsSync(until);
const askForm = (id: string, message: string, meta: Record<string, unknown> = {}) =>
  write({
    jsonrpc: '2.0',
    id,
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: { type: 'object', properties: {} }, ...meta },
  });
const tasks = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
const plain = new Map<string, Message>();
const waiting: { request: Message; taskId: string; survey: Survey }[] = [];
const watched = new Set<string>();

const taskOf = (taskId: string, survey: Survey) => ({
  taskId,
  status: isDone(survey) ? 'completed' : 'working',
  statusMessage: isDone(survey) ? 'counted' : 'counting',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttl: null,
  pollInterval: survey.pollMs ?? 50,
});
const relatedTo = (taskId: string) => ({ _meta: { 'io.modelcontextprotocol/related-task': { taskId } } });
const resultOf = (taskId: string) => ({ ...text('nine owls'), ...relatedTo(taskId) });
const taskIdOf = (message: Message) => String(message.params?.['taskId']);

function watch(taskId: string, survey: Survey): void {
  if (watched.has(taskId)) return;
  watched.add(taskId);
  const timer = setInterval(() => {
    if (!isDone(survey)) return;
    clearInterval(timer);
    if (survey.notifies === true) notify('notifications/tasks/status', taskOf(taskId, survey));
    for (const each of waiting.splice(0)) {
      if (each.taskId !== taskId) waiting.push(each);
      else if (each.survey.silent !== true) reply(each.request, resultOf(taskId));
    }
  }, 20);
}

serveLegacy({
  initialize: (message) => reply(message, initializeResult({ tools: {}, ...(noTasks === undefined ? tasks : {}) })),
  'tools/list': (message) => reply(message, { tools: [tool('plain'), { ...tool('survey'), execution: { taskSupport: 'optional' } }] }),
  'tools/call': (message) => {
    appendFileSync(path.join(folder, 'asked.txt'), `${String(message.params?.['name'])}${message.params?.['task'] ? ' as task' : ''}\n`);
    if (message.params?.['name'] === 'plain') {
      plain.set(`plain ${String(message.id)}`, message);
      return askForm(`plain ${String(message.id)}`, 'Plain?');
    }
    const survey = (message.params?.['arguments'] ?? {}) as Survey;
    const progressToken = message.params?._meta?.['progressToken'];
    if (message.params?.['task'] === undefined) return reply(message, text('nine owls, at once'));
    const taskId = `survey-${process.pid}-${String(message.id)}`;
    writeFileSync(fileOf(taskId), JSON.stringify(survey));
    reply(message, { task: taskOf(taskId, survey) });
    for (const progress of survey.progress ?? []) notify('notifications/progress', { progressToken, progress, total: 1 });
    watch(taskId, survey);
  },
  'tasks/get': (message) => {
    const survey = surveyOf(taskIdOf(message));
    appendFileSync(path.join(folder, 'asked.txt'), 'tasks/get\n');
    if (!survey) return refuse(message, -32602, 'Unknown task');
    watch(taskIdOf(message), survey);
    reply(message, taskOf(taskIdOf(message), survey));
  },
  'tasks/result': (message) => {
    appendFileSync(path.join(folder, 'asked.txt'), 'tasks/result\n');
    const taskId = taskIdOf(message);
    const survey = surveyOf(taskId);
    if (!survey) return refuse(message, -32602, 'Unknown task');
    if (isDone(survey)) return reply(message, resultOf(taskId));
    waiting.push({ request: message, taskId, survey });
    watch(taskId, survey);
    if (survey.ask === true) {
      askForm(`survey ${String(message.id)}`, 'Survey?', relatedTo(taskId));
    }
  },
  answer: (message) => {
    const call = plain.get(String(message.id));
    if (call) reply(call, text('plainly'));
  },
  'tasks/cancel': (message) => {
    appendFileSync(path.join(folder, 'asked.txt'), 'tasks/cancel\n');
    const survey = surveyOf(taskIdOf(message));
    if (!survey) return refuse(message, -32602, 'Unknown task');
    reply(message, { ...taskOf(taskIdOf(message), survey), status: 'cancelled' });
  },
});
