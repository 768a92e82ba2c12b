import type { views as en } from '../en/views.ts';
import type { Translation } from '../translation.ts';

export const views: Translation<typeof en> = {
  label: '{{server}} 的视图',
  offered: '{{server}} 可以用它自己的视图显示此结果。',
  changed: '{{server}} 的视图与你同意的不同。',
  what: '视图是服务器编写的小页面。它只能看到这次调用及其结果，看不到 Maitre 的其他内容；它的调用只会发往它自己的服务器，并像任何调用一样询问你。',
  agree: '显示视图',
  agreeAgain: '显示新视图',
  show: '显示视图',
  asText: '仅文本',
  unavailable: '服务器为此提供了视图，但无法显示。',
  nothing: '它无法访问 Maitre 之外的任何地方。',
  hosts: '它可以从这些地址加载内容，因此也能把它看到的内容发送到那里：',
  refused_other: '另外请求了 {{count}} 项，未获允许',
  reachesNothing: '无法访问外部',
  reachesSome: '它可以访问的地址',
  stopped: '视图发送的内容过多，已被停止。结果以文本形式显示在上方。',
  wantsToOpen: '视图想在浏览器中打开 {{host}}：',
  open: '打开',
  dontOpen: '不打开',
  along: '来自视图',
  'words.message': '视图的消息',
  'words.context': '视图显示的内容',
  wordsHint: '这是 {{server}} 写的。它会以该服务器的名义随你的消息一起发送；在你发送之前什么都不会发出。',
};
