import { realpathSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { messageOf, refuse } from '../host/refusal.ts';

interface Common {
  /** The data folder; undefined for `MAITRE_DATA_DIR`, else the usual one. */
  data: string | undefined;
  /** Absolute path of a file in the `mcpServers` shape. */
  servers: string | undefined;
}

/** What one run of the command line is to do. Paths are absolute. */
export type CommandLine =
  | (Common & { command: 'run'; model: string; scriptFiles: string[]; answers: string | undefined; traceModel: boolean; message: string })
  | (Common & { command: 'servers' })
  | (Common & { command: 'tools' })
  | (Common & { command: 'call'; server: string; tool: string; json: string; allow: boolean })
  | (Common & { command: 'install'; file: string; values: string | undefined })
  | (Common & { command: 'audit'; what: 'verify' | 'export' })
  | { command: 'help' };

export const usage = `Usage:
  npm run -s cli -- run --model MODEL [--data DIR] [--servers FILE] [--answers FILE] [--trace-model] MESSAGE
  npm run -s cli -- servers [--data DIR] [--servers FILE]
  npm run -s cli -- tools [--data DIR] [--servers FILE]
  npm run -s cli -- call [--data DIR] [--servers FILE] SERVER TOOL JSON [--allow]
  npm run -s cli -- install [--data DIR] [--values FILE] BUNDLE
  npm run -s cli -- audit [--data DIR] --verify | --export
  npm run -s cli -- help
MODEL is demo, scripted:FILE, provider/model or compatible:BASE_URL#NAME. See docs/cli.md.`;

const options = {
  data: { type: 'string' },
  servers: { type: 'string' },
  model: { type: 'string' },
  answers: { type: 'string' },
  'trace-model': { type: 'boolean' },
  allow: { type: 'boolean' },
  values: { type: 'string' },
  verify: { type: 'boolean' },
  export: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;
type Option = keyof typeof options;

const taken: Readonly<Record<CommandLine['command'], readonly Option[]>> = {
  run: ['data', 'servers', 'model', 'answers', 'trace-model'],
  servers: ['data', 'servers'],
  tools: ['data', 'servers'],
  call: ['data', 'servers', 'allow'],
  install: ['data', 'values'],
  audit: ['data', 'verify', 'export'],
  help: [],
};
const isCommand = (name: string | undefined): name is CommandLine['command'] => name !== undefined && Object.hasOwn(taken, name);

/** Reads the arguments. Refuses with `invalidInput` and a sentence that names the command which prints the usage. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const parsed = parse(args);
  if (parsed.values.help === true) return { command: 'help' };
  const [command, ...rest] = parsed.positionals;
  if (!isCommand(command)) return wrong(command === undefined ? 'A command is missing.' : `There is no command “${command}”.`);
  for (const option of Object.keys(parsed.values)) {
    if (!taken[command].some((name) => name === option)) return wrong(`“${command}” does not take --${option}.`);
  }
  const { values } = parsed;
  const common = { data: values.data, servers: values.servers === undefined ? undefined : existing(values.servers, '--servers') };
  switch (command) {
    case 'help':
      only(rest, []);
      return { command };
    case 'run': {
      const message = only(rest, ['MESSAGE'])[0] ?? '';
      if (message.trim() === '') return wrong('The message is empty.');
      if (values.model === undefined) return wrong('--model is missing.');
      const script = values.model.startsWith('scripted:') ? existing(values.model.slice('scripted:'.length), '--model') : undefined;
      return {
        ...common,
        command,
        model: script === undefined ? values.model : `scripted:${script}`,
        scriptFiles: script === undefined ? [] : [script],
        answers: values.answers === undefined ? undefined : existing(values.answers, '--answers'),
        traceModel: values['trace-model'] === true,
        message,
      };
    }
    case 'servers':
    case 'tools':
      only(rest, []);
      return { ...common, command };
    case 'call': {
      const [server = '', tool = '', json = ''] = only(rest, ['SERVER', 'TOOL', 'JSON']);
      return { ...common, command, server, tool, json, allow: values.allow === true };
    }
    case 'install': {
      const [file = ''] = only(rest, ['BUNDLE']);
      return {
        ...common,
        command,
        file: existing(file, 'BUNDLE'),
        values: values.values === undefined ? undefined : existing(values.values, '--values'),
      };
    }
    case 'audit':
      only(rest, []);
      if ((values.verify === true) === (values.export === true)) return wrong('“audit” takes one of --verify and --export.');
      return { ...common, command, what: values.verify === true ? 'verify' : 'export' };
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    return wrong(messageOf(error));
  }
}

function only(given: readonly string[], names: readonly string[]): readonly string[] {
  if (given.length < names.length) return wrong(`${names[given.length] ?? ''} is missing.`);
  if (given.length > names.length) return wrong(`“${given[names.length] ?? ''}” is too much. Put a message of several words in quotes.`);
  return given;
}

function existing(file: string, option: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    return refuse('invalidInput', `The file of ${option} cannot be read: ${messageOf(error)}`);
  }
}

function wrong(sentence: string): never {
  return refuse('invalidInput', `${sentence} How each command is written: npm run -s cli -- help`);
}
