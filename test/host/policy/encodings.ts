const hexEscapes = (text: string): string =>
  [...text]
    .map((unit) =>
      unit
        .split('')
        .map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
    )
    .join('');
const percentAll = (text: string): string => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&');

/** How a text may be written. Padding says nothing, so it need not be marked. */
export const encodings: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  base64: (text) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
  'base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  'base64 in lines': (text) =>
    Buffer.from(text)
      .toString('base64')
      .replace(/=+$/, '')
      .replaceAll(/.{20}(?!$)/g, '$&\r\n'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'hex in capitals': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  percent: (text) => encodeURIComponent(text),
  'percent throughout': percentAll,
  'escapes of JSON': (text) => JSON.stringify(text).slice(1, -1),
  'escapes of every letter': hexEscapes,
  'base64 in percent': (text) => encodeURIComponent(Buffer.from(text).toString('base64').replace(/=+$/, '')),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
  'base64 of base64': (text) => {
    const inner = Buffer.from(text).toString('base64');
    return Buffer.from(inner.replace(/=+$/, '')).toString('base64').replace(/=+$/, '');
  },
};
