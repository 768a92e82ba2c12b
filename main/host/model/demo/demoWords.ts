import type { ModelTool, PromptResult } from '../model.ts';
import { demoSentences } from './sentences.ts';

type Language = 'en' | 'zh';

/** The most of a result that is repeated in words; the row of the call shows all of it. */
const maxRepeated = 1500;

/** What came back, in plain words. The tool's own text stands in a block that it cannot leave, and what the host says of the call in another. */
export function report(result: PromptResult, tool: ModelTool | undefined, language: Language): string {
  const name =
    tool?.origin === undefined
      ? `“${result.wireName}”`
      : language === 'zh'
        ? `${tool.origin.serverName} 的“${tool.origin.tool}”`
        : `“${tool.origin.tool}” of ${tool.origin.serverName}`;
  if (result.denied === true) {
    return language === 'zh' ? `你没有允许 ${name}，所以什么都没有做。` : `You did not allow ${name}, so nothing was done.`;
  }
  const textBy = (by: 'host' | undefined): string =>
    result.parts
      .map((part) => (part.type === 'text' && part.by === by ? part.text : ''))
      .filter((part) => part !== '')
      .join('\n');
  const [text, note] = [textBy(undefined), textBy('host')];
  const images = result.parts.filter((part) => part.type === 'image').length;
  const head = result.isError
    ? language === 'zh'
      ? `我调用了 ${name}，但是失败了。`
      : `I called ${name}, but it failed.`
    : language === 'zh'
      ? `我调用了 ${name}。`
      : `I called ${name}.`;
  const answered = text === '' ? '' : `${language === 'zh' ? '返回的内容：' : 'It answered:'}\n\n${block(text, language)}`;
  const pictured =
    images === 0 ? '' : language === 'zh' ? `它还返回了 ${images} 张图片。` : `It gave ${images === 1 ? 'an image' : `${images} images`}.`;
  const noted = note === '' ? '' : `${language === 'zh' ? 'Maitre 的说明：' : 'Maitre says of it:'}\n\n${block(note, language)}`;
  const empty = text === '' && note === '' && images === 0 ? (language === 'zh' ? '它没有返回任何内容。' : 'It answered nothing.') : '';
  return [[head, answered].filter(Boolean).join(' '), pictured, empty, noted].filter(Boolean).join('\n\n');
}

/** When no tool fits: what the demo model is, and sentences that work with what is connected. */
export function cannot(tools: readonly ModelTool[], language: Language): string {
  const connected = new Set(tools.map(({ origin }) => origin?.tool));
  const examples = demoSentences.filter((sentence) => sentence.language === language && connected.has(sentence.tool)).slice(0, 4);
  const list = examples
    .map(({ sentence }) => `- ${sentence.replaceAll('{folder}', language === 'zh' ? '/你的/文件夹' : '/your/folder')}`)
    .join('\n');
  if (language === 'zh') {
    const what = '我是演示模型：没有人工智能，离线工作，只按关键词挑选一个工具。';
    if (tools.length === 0) return `${what}现在没有连接任何服务器。请在“设置 → 服务器”中添加“文件”或“记忆”。`;
    return `${what}我没有找到合适的工具。${list === '' ? '请写出工具的名称，参数写成 name=value。' : `可以试试：\n\n${list}`}`;
  }
  const what = 'I am the demo model: no AI, works offline. I pick one tool by keywords.';
  if (tools.length === 0) return `${what} No server is connected. Add Files or Memory under Settings, Servers.`;
  return `${what} I found no tool that fits. ${list === '' ? 'Name the tool, with its arguments as name=value.' : `Try:\n\n${list}`}`;
}

/** When a server asks: there is no tool to pick, and words it has none of its own. */
export function cannotForServer(language: Language): string {
  return language === 'zh'
    ? '我是演示模型：没有人工智能，所以无法回答服务器的问题。请为此对话选择另一个模型。'
    : 'I am the demo model: no AI, so I cannot answer what a server asks. Choose another model for this chat.';
}

/** When a tool fits and arguments are missing. */
export function incomplete(tool: ModelTool, missing: readonly string[], language: Language): string {
  const name = tool.origin?.tool ?? tool.wireName;
  const example = missing.map((argument) => `${argument}="…"`).join(' ');
  return language === 'zh'
    ? `“${name}”合适，但缺少参数：${missing.join('、')}。请在句子里写上，例如 ${example}。`
    : `“${name}” fits, but I miss ${missing.join(' and ')}. Write ${missing.length === 1 ? 'it' : 'them'} into the sentence, like ${example}.`;
}

/** Before the call. */
export function announce(tool: ModelTool, language: Language): string {
  const { serverName, tool: name } = tool.origin ?? { serverName: '', tool: tool.wireName };
  return language === 'zh' ? `我来调用 ${serverName} 的“${name}”。` : `I will call “${name}” of ${serverName}.`;
}

function block(text: string, language: Language): string {
  const characters = [...text];
  const shown = characters.length > maxRepeated ? characters.slice(0, maxRepeated).join('') : text;
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const rest = characters.length - maxRepeated;
  const more =
    rest <= 0
      ? ''
      : language === 'zh'
        ? `\n\n还有 ${rest} 个字符，完整内容见上面的调用。`
        : `\n\n${rest} more characters; the call above shows all.`;
  return `${fence}\n${shown.replace(/\n$/, '')}\n${fence}${more}`;
}
