export const tasks = {
  title: 'Tasks of servers',
  hint: 'They go on when you close the chat or quit, and are followed again at the next start.',
  count_one: '{{count}} task',
  count_other: '{{count}} tasks',
  unread: 'Tasks unknown',
  until: 'kept until {{time}}',
  'status.working': 'Working',
  'status.inputRequired': 'Waits for you in the chat',
  openChat: 'Open the chat',
  openChatNamed: 'Open “{{title}}”',
  cancel: 'Stop',
  cancelLabel: 'Stop {{tool}}',
} as const;
