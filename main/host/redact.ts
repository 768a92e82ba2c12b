/** Stands where a secret stood. */
export const struckOut = '[removed]';

/** Names of fields whose value is a secret whatever it looks like. `tokens` and the like count things, so a whole word is asked for. */
const secretName =
  /(^|[_\-.\s]|(?<=[a-z]))(authorization|cookie|passw(or)?d|passphrase|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|credentials?)$/i;

/** Shapes that well-known secrets have. Each is linear in the length of the text. */
const shapes: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, struckOut],
  [/\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/gi, `Bearer ${struckOut}`],
  [/\b(authorization["']?\s{0,5}[:=]\s{0,5}["']?(?:[a-z]{1,20} )?)[^\s"',;]{4,}/gi, `$1${struckOut}`],
  // OpenAI, Anthropic, Stripe and those that copy them; GitHub; GitLab; Slack; Google; AWS; npm; Hugging Face; JSON Web Tokens.
  [/\b(sk|pk|rk)[-_][A-Za-z0-9_-]{12,}/g, struckOut],
  [/\b(gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,})/g, struckOut],
  [/\bxox[a-z]-[A-Za-z0-9-]{8,}/g, struckOut],
  [/\bAIza[A-Za-z0-9_-]{30,}/g, struckOut],
  [/\b(AKIA|ASIA)[A-Z0-9]{16}\b/g, struckOut],
  [/\b(npm|hf)_[A-Za-z0-9]{16,}/g, struckOut],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, struckOut],
  // Name and password in an address; a key or token among its parameters or in a line of text.
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:"']{1,200}:[^\s/@"']{1,200}@/gi, `$1${struckOut}@`],
  [
    /\b((?:api[_-]?key|apikey|access[_-]?token|refresh[_-]?token|token|secret|password|passwd|client[_-]?secret)["']?\s*[=:]\s*["']?)[^\s"'&,;]{4,}/gi,
    `$1${struckOut}`,
  ],
];

/** What is read of one text, and what is kept: a secret that the first cut would halve lies behind the second, however much was struck out before it. */
const readLength = 65_536;
const keptLength = 32_768;
const longestHalved = 4096;

/** Shorter ones would strike out ordinary words. */
const shortestKnown = 6;

/** Whether a value of this name is a secret whatever it looks like. */
export const isSecretName = (name: string): boolean => secretName.test(name);

/** Strikes out whatever looks like a secret, in a text of any length. */
export function withoutLookalikes(text: string): string {
  let output = text;
  for (const [shape, replacement] of shapes) output = output.replace(shape, replacement);
  return output;
}

/** Strikes out secrets from what is written down: those it was told of, and whatever looks like one. */
export interface Redactor {
  /** From now on this very text goes, however it is escaped in JSON. */
  add(secret: string): void;
  /** At most 32 Ki characters. */
  text(text: string): string;
  /** Only those it was told of, in a text of any length, also as JSON writes them. */
  known(text: string): string;
  /** A copy of a JSON-like value without secrets. What no JSON can hold becomes text; cycles and great depth end. */
  value(value: unknown): unknown;
}

export function createRedactor(): Redactor {
  const known = new Set<string>();

  const withoutKnown = (input: string): string => {
    let output = input;
    for (const secret of known) output = output.replaceAll(secret, struckOut);
    return output;
  };

  const text = (input: string): string => {
    const output = withoutLookalikes(withoutKnown(input.slice(0, readLength)));
    const wasCut = input.length > readLength;
    const kept = wasCut ? Math.min(keptLength, Math.max(0, output.length - longestHalved)) : keptLength;
    return wasCut || output.length > kept ? `${output.slice(0, kept)}…` : output;
  };

  const value = (input: unknown, depth = 0): unknown => {
    if (typeof input === 'string') return text(input);
    if (typeof input === 'number' || typeof input === 'boolean' || input === null || input === undefined) return input;
    if (depth > 8) return '[deep]';
    if (input instanceof Error)
      return value({ name: input.name, message: input.message, stack: input.stack, cause: input.cause }, depth + 1);
    if (Array.isArray(input)) return input.map((item) => value(item, depth + 1));
    if (typeof input !== 'object') return text(String(input));
    return Object.fromEntries(
      Object.entries(input).map(([name, member]) => [
        text(name),
        secretName.test(name) && (typeof member === 'string' || typeof member === 'number') ? struckOut : value(member, depth + 1),
      ]),
    );
  };

  return {
    add(secret) {
      // A line of a longer secret, as programs print it, is as good as the whole.
      for (const piece of [secret, ...secret.split(/\r?\n/)]) {
        if (piece.trim().length < shortestKnown) continue;
        known.add(piece);
        // As it stands inside JSON text.
        known.add(JSON.stringify(piece).slice(1, -1));
      }
    },
    text,
    known: withoutKnown,
    value: (input) => value(input),
  };
}
