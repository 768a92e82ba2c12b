import type { Translation } from '../translation.ts';
import type { forms as en } from '../en/forms.ts';

export const forms: Translation<typeof en> = {
  choose: '请选择…',
  required: '必须填写。',
  number: '这里需要一个数字。',
  integer: '这里需要一个整数。',
  atLeast: '至少 {{limit}}。',
  atMost: '至多 {{limit}}。',
  minLength_other: '至少 {{count}} 个字符。',
  maxLength_other: '至多 {{count}} 个字符。',
  minItems_other: '至少选择 {{count}} 项。',
  maxItems_other: '至多选择 {{count}} 项。',
  email: '这不是电子邮件地址。',
  uri: '这不是网址，例如 https://example.com。',
  date: '这里需要日期，例如 2026-01-31。',
  dateTime: '这里需要日期和时间，例如 2026-01-31T09:00:00Z。',
  json: '这不是有效的 JSON。',
  noJson: '这不是有效的 JSON：请看第 {{line}} 行第 {{column}} 列。',
  noObject: '参数须是一个 JSON 对象，例如 {"path": "/tmp/a"}。',
};
