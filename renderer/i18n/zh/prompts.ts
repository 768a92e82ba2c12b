import type { prompts as en } from '../en/prompts.ts';
import type { Translation } from '../translation.ts';

export const prompts: Translation<typeof en> = {
  button: '使用提示词',
  prompts: '提示词',
  noneAnywhere: '没有就绪的服务器提供提示词。',
  none: '此服务器不提供提示词。',
  tabHint: '试用提示词会显示服务器生成的内容，不会发给任何模型。',
  required: '此项必填。',
  cancel: '取消',
  preview: '预览',
  asking: '正在询问服务器…',
  back: '返回',
  use: '放入消息',
  previewHint: '这是 {{server}} 写的。你可以随意修改；它会放入你的消息，在你发送之前什么都不会发出。',
  previewHintSides: '这是 {{server}} 写的，其中包含回答。你可以随意修改；它会放入你的消息并标明每一方，在你发送之前什么都不会发出。',
  messages: '提示词生成的内容',
  'role.user': '你',
  'role.assistant': '回答',
  textOf: '{{side}}，第 {{number}} 条消息',
  hidden_other: '含有 {{count}} 个隐藏字符。',
  goesAlong: '作为附件一起发送。',
  leftOut: '无法放入消息，因此省略。',
  nothing: '服务器没有生成任何消息。',
  try: '试用',
  tryLabel: '试用 {{name}}',
};
