import type { tasks as en } from '../en/tasks.ts';
import type { Translation } from '../translation.ts';

export const tasks: Translation<typeof en> = {
  title: '服务器的任务',
  hint: '关闭对话或退出后任务仍会继续，下次启动时会接着跟进。',
  hintNotKept: '关闭对话后任务仍会继续。没有钥匙串，重启 Maitre 后将找不到它们。',
  count_other: '{{count}} 个任务',
  unread: '任务未知',
  until: '保留到 {{time}}',
  'status.working': '进行中',
  'status.inputRequired': '在对话中等待你',
  progress: '{{tool}} 的进度',
  openChat: '打开对话',
  openChatNamed: '打开“{{title}}”',
  cancel: '停止',
  cancelLabel: '停止 {{tool}}',
};
