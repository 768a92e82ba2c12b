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
  use: '加入消息',
  previewHint: '这是 {{server}} 写的。它会以该服务器的名义随你的消息一起发送；在你发送之前什么都不会发出。',
  from: '来自 {{server}}',
  takeOff: '移除 {{name}}',
  madeAnew: '这是你选择时服务器生成的内容。发送时会重新生成。',
  messages: '提示词生成的内容',
  'role.user': '你',
  'role.assistant': '回答',
  nothing: '服务器没有生成任何消息。',
  try: '试用',
  tryLabel: '试用 {{name}}',
};
