/**
 * Splits what a person pasted as one command line into words, as a shell would by quotes and blanks alone.
 * Nothing is expanded: `$HOME`, `*` and `|` stay the characters they are, since no shell ever runs a server.
 * An open quote runs to the end.
 */
export const splitCommandLine = (line: string): string[] => {
  const words: string[] = [];
  let word = '';
  let started = false;
  let quote: '"' | "'" | null = null;
  for (const character of line) {
    if (quote !== null) {
      if (character === quote) quote = null;
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      started = true;
    } else if (/\s/.test(character)) {
      if (started) words.push(word);
      word = '';
      started = false;
    } else {
      word += character;
      started = true;
    }
  }
  if (started) words.push(word);
  return words;
};

/**
 * True where a command field seems to hold a whole line (`npx -y some-server`). A path with blanks in it
 * (`C:\Program Files\…`) starts with a slash, a drive or a dot and is left alone.
 */
export const looksLikeCommandLine = (command: string): boolean => {
  const text = command.trim();
  return /\s/.test(text) && !/^(["']|[\\/.~]|[A-Za-z]:)/.test(text);
};
